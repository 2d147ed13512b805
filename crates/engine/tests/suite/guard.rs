//! A guard for changes of the structure: 2,000 scenarios of all kinds and every published link,
//! twelve columns each: times, utilisation and memory with nine digits, the limiter, and the odds
//! of fitting with four decimals, as their curves are fitted anew with each measured run.
//!
//! `tests/links/guard.csv` holds links and figures. After a change that is meant, `cargo xtask test
//! --record` writes the figures anew, and adds published links that are new; to guard another
//! scenario, add a line with its link.

use std::collections::BTreeSet;

use catalog::SCENARIOS;
use engine::names;
use links::decode;

/// Links and what they mean.
const PUBLISHED: [&str; 2] =
    [include_str!("../../../../tests/links/v1.txt"), include_str!("../../../../tests/links/pins.txt")];

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/links/guard.csv");
const HEADER: &str = "link,step_time_s,exposed_comm_s,mfu,hfu,tokens_per_s_per_gpu,allocated_bytes,needed_bytes,\
                      held_bytes,limiter,fit_odds,rollout_time_s,run_time_s";
/// Columns besides the link.
const COLUMNS: usize = 12;
/// Differing lines that a failure shows.
const SHOWN: usize = 12;

/// The first line of each block of the files of links, and the links of the examples.
fn published() -> impl Iterator<Item = &'static str> {
    let first = |block: &'static str| block.lines().find(|line| !line.starts_with('#'));
    let blocks = PUBLISHED.iter().flat_map(|text| text.split("\n\n"));
    blocks.filter_map(first).chain(SCENARIOS.iter().map(|entry| entry.link)).filter(|link| !link.is_empty())
}

/// The link with its figures; the rollout's time is blank without one.
fn line(link: &str) -> String {
    let scenario = decode(link).scenario;
    let report = scenario.report();
    let (time, memory) = (&report.update.time, &report.memory);
    let digits = |figure: f64| format!("{figure:.8e}");
    let figures = [
        time.step.get(),
        time.exposed_comm.get(),
        report.update.mfu,
        report.update.hfu,
        report.update.tokens_per_s_per_gpu,
        memory.allocated.get(),
        memory.needed.get(),
        memory.peak.get(),
    ];
    let of_run = [
        names::limiter(report.limiter).key.to_owned(),
        format!("{:.4}", report.odds()),
        report.rollout.as_ref().map_or_else(String::new, |rollout| digits(rollout.time().get())),
        digits(scenario.run_of(&report).time.get()),
    ];
    let columns = figures.map(digits).into_iter().chain(of_run);
    columns.fold(link.to_owned(), |line, column| format!("{line},{column}"))
}

/// The columns that differ, each number with its change in percent.
fn difference(found: &str, recorded: &str) -> String {
    let columns = HEADER.rsplit(',').take(COLUMNS).zip(found.rsplit(',').zip(recorded.rsplit(',')));
    let changed = columns.filter(|(_, (found, recorded))| found != recorded).map(|(name, (found, recorded))| {
        match (found.parse::<f64>(), recorded.parse::<f64>()) {
            (Ok(new), Ok(old)) => format!("{name} {recorded} -> {found} ({:+.4} %)", 100.0 * (new / old - 1.0)),
            _ => format!("{name} {recorded} -> {found}"),
        }
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
    let link = |row: &str| row.rsplitn(COLUMNS + 1, ',').last().unwrap_or_default().to_owned();
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
