//! A guard for changes of the structure: 2,000 scenarios of all kinds and every published link,
//! eight figures each, nine digits.
//!
//! `tests/links/guard.csv` holds links and figures. After a change that is meant, `cargo xtask test
//! --record` writes the figures anew, and adds published links that are new; to guard another
//! scenario, add a line with its link.

use std::collections::BTreeSet;

use catalog::SCENARIOS;
use links::decode;

/// Links and what they mean.
const PUBLISHED: [&str; 2] =
    [include_str!("../../../../tests/links/v1.txt"), include_str!("../../../../tests/links/pins.txt")];

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/links/guard.csv");
const HEADER: &str =
    "link,step_time_s,exposed_comm_s,mfu,hfu,tokens_per_s_per_gpu,allocated_bytes,needed_bytes,held_bytes";
/// Differing lines that a failure shows.
const SHOWN: usize = 12;

/// The first line of each block of the files of links, and the links of the examples.
fn published() -> impl Iterator<Item = &'static str> {
    let first = |block: &'static str| block.lines().find(|line| !line.starts_with('#'));
    let blocks = PUBLISHED.iter().flat_map(|text| text.split("\n\n"));
    blocks.filter_map(first).chain(SCENARIOS.iter().map(|entry| entry.link)).filter(|link| !link.is_empty())
}

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
    let figures = HEADER.rsplit(',').take(8).zip(found.rsplit(',').zip(recorded.rsplit(',')));
    let changed = figures.filter(|(_, (found, recorded))| found != recorded).map(|(name, (found, recorded))| {
        let ratio = found.parse::<f64>().unwrap() / recorded.parse::<f64>().unwrap_or(f64::NAN);
        format!("{name} {recorded} -> {found} ({:+.4} %)", 100.0 * (ratio - 1.0))
    });
    changed.collect::<Vec<_>>().join(", ")
}

#[test]
fn scenarios_of_all_kinds_give_their_recorded_figures() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    assert_eq!(header, HEADER);
    let recorded: Vec<&str> = rows.lines().collect();
    assert!(recorded.len() >= 2_000);
    // A link may be JSON, with commas.
    let link = |row: &str| row.rsplitn(9, ',').last().unwrap_or_default().to_owned();
    let mut links: Vec<String> = recorded.iter().map(|row| link(row)).collect();
    let known: BTreeSet<String> = links.iter().cloned().collect();
    let new: BTreeSet<&str> = published().filter(|link| !known.contains(*link)).collect();
    links.extend(new.iter().map(|link| (*link).to_owned()));
    let found: Vec<String> = links.iter().map(|link| line(link)).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(FILE, format!("{HEADER}\n{}\n", found.join("\n"))).unwrap();
        return;
    }
    assert!(new.is_empty(), "record the figures of {new:#?}: cargo xtask test --record");
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
