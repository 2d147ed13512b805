//! What every published link gives: a change of the engine shows here, link by link, in a diff that a person reads.
//!
//! `tests/links/outputs.csv` holds the figures; `cargo xtask test --record` writes it anew after a change that is meant. What a link *means* never changes (`links.rs`); what the engine says of it gets better.

use std::collections::BTreeSet;

use engine::catalog::SCENARIOS;
use engine::share::decode;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/links/outputs.csv");
const BLOCKS: [&str; 2] =
    [include_str!("../../../../tests/links/v1.txt"), include_str!("../../../../tests/links/pins.txt")];
const HEADER: &str = "link,fits,step_time_s,mfu,tokens_per_s_per_gpu,needed_memory_bytes";

/// Every link of the files of links, then those of the examples, each once.
fn links() -> Vec<&'static str> {
    let first = |block: &'static str| block.lines().find(|line| !line.starts_with('#'));
    let published = BLOCKS.iter().flat_map(|text| text.split("\n\n")).filter_map(first);
    let mut seen = BTreeSet::new();
    let all = published.chain(SCENARIOS.iter().map(|entry| entry.link));
    all.map(str::trim).filter(|link| !link.is_empty() && seen.insert(*link)).collect()
}

/// A line of the file: the shortest digits that give the number back.
fn line(link: &str) -> String {
    let report = decode(link).scenario.report();
    let numbers = [report.time.step.get(), report.mfu, report.tokens_per_s_per_gpu, report.memory.needed.get()];
    numbers.iter().fold(format!("{link},{}", report.fits()), |line, number| format!("{line},{number:?}"))
}

#[test]
fn every_published_link_gives_its_recorded_figures() {
    let links = links();
    assert!(links.len() >= 60, "{}", links.len());
    let lines: Vec<String> = links.into_iter().map(line).collect();
    expect_test::expect_file![FILE].assert_eq(&format!("{HEADER}\n{}\n", lines.join("\n")));
}
