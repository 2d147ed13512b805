//! A guard for changes of the structure: 2,000 scenarios of all kinds, eight figures each, nine digits.
//!
//! `tests/links/guard.csv` holds links and figures. After a change that is meant, `cargo xtask test --record` writes the figures
//! anew; to add a scenario, add a line with its link.

use engine::share::decode;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/links/guard.csv");
const HEADER: &str =
    "link,step_time_s,exposed_comm_s,mfu,hfu,tokens_per_s_per_gpu,allocated_bytes,needed_bytes,held_bytes";
/// Differing lines that a failure shows.
const SHOWN: usize = 12;

/// The link with its figures at nine significant digits.
fn line(link: &str) -> String {
    let report = decode(link).scenario.report();
    let (time, memory) = (&report.time, &report.memory);
    let figures = [
        time.step.get(),
        time.exposed_comm.get(),
        report.mfu,
        report.hfu,
        report.tokens_per_s_per_gpu,
        memory.allocated.get(),
        memory.needed.get(),
        memory.peak.get(),
    ];
    figures.iter().fold(link.to_owned(), |line, figure| format!("{line},{figure:.8e}"))
}

/// The figures that differ, each with the change in percent.
fn difference(found: &str, recorded: &str) -> String {
    let figures = HEADER.split(',').zip(found.split(',').zip(recorded.split(','))).skip(1);
    let changed = figures.filter(|(_, (found, recorded))| found != recorded).map(|(name, (found, recorded))| {
        let ratio = found.parse::<f64>().unwrap() / recorded.parse::<f64>().unwrap_or(f64::NAN);
        format!("{name} {recorded} -> {found} ({:+.4} %)", 100.0 * (ratio - 1.0))
    });
    changed.collect::<Vec<_>>().join(", ")
}

#[test]
fn two_thousand_scenarios_give_their_recorded_figures() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    assert_eq!(header, HEADER);
    let recorded: Vec<&str> = rows.lines().collect();
    assert!(recorded.len() >= 2_000);
    let link = |row: &str| row.split(',').next().unwrap_or_default().to_owned();
    let found: Vec<String> = recorded.iter().map(|row| line(&link(row))).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(FILE, format!("{HEADER}\n{}\n", found.join("\n"))).unwrap();
        return;
    }
    let pairs = || found.iter().zip(&recorded).filter(|(found, recorded)| found != *recorded);
    let shown: Vec<String> = pairs()
        .take(SHOWN)
        .map(|(found, recorded)| format!("{}: {}", link(found), difference(found, recorded)))
        .collect();
    assert!(
        shown.is_empty(),
        "{} of {} scenarios changed; if that is meant, record them: cargo xtask test --record\n{}",
        pairs().count(),
        found.len(),
        shown.join("\n")
    );
}
