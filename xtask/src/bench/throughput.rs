//! Measures evaluations per second, native and in Chromium, with the same work on both
//! (`examples/throughput/work.rs`).

use super::table::{Row, Table, grouped};
use crate::browser::Browser;
use crate::engine::ENGINE;
use crate::shell::{cargo, output, watch};
use crate::{tools, wasm_tests};
use anyhow::{Result, anyhow};

/// Prefix of the lines of figures that `tests/throughput.rs` writes to the console.
const MARK: &str = "throughput: ";

/// Names the npm package in the rows of its figures.
pub(super) const PACKAGE: &str = "npm package in Node";

/// The example's name for the allocations of an evaluation.
const ALLOCATIONS: &str = "allocations";

/// Returns the failure of the bench if an evaluation allocates.
pub(super) fn allocates(table: &Table) -> Option<anyhow::Error> {
    let counted = table.value(&format!("{ALLOCATIONS}, native")).filter(|counted| !counted.starts_with("0 "))?;
    Some(anyhow!("An evaluation must not allocate: {counted} are made."))
}

pub(super) fn native() -> Result<Vec<Row>> {
    let mut example = cargo(&["run", "--quiet", "--release", "--package", ENGINE, "--example", "throughput"]);
    let text = output(&mut example).ok_or_else(|| {
        anyhow!("The engine's speed is not known: cargo run --release --package shardwise-engine --example throughput")
    })?;
    Ok(text.lines().filter_map(|line| row(line, "native")).collect())
}

pub(super) fn in_chromium(chromium: &Browser) -> Result<Vec<Row>> {
    tools::wasm_target()?;
    let arguments = ["--release", "--test", "throughput", "--", "--nocapture"];
    let mut test = wasm_tests::command(chromium, &arguments)?;
    let mut rows = Vec::new();
    let succeeded = watch(&mut test, |line| {
        rows.extend(line.split_once(MARK).and_then(|(_, figures)| row(figures, "Chromium")));
    })?;
    if succeeded { Ok(rows) } else { Err(anyhow!("The engine's speed in Chromium is not known: its test failed.")) }
}

/// Parses a line such as "evaluate_dense 412.5 ns".
pub(super) fn row(line: &str, place: &str) -> Option<Row> {
    let mut words = line.split_whitespace();
    let (name, value) = (words.next()?, words.next()?.parse::<f64>().ok()?);
    let unit = words.collect::<Vec<_>>().join(" ");
    let figure = if value >= 10_000.0 { grouped(value.round() as u64) } else { significant(value) };
    Some(Row::new(format!("{}, {place}", name.replace('_', " ")), format!("{figure} {unit}"), budget(name, place)))
}

/// Formats a number below 10,000 with three significant digits.
fn significant(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ if value == 0.0 => "0".to_owned(),
        _ => format!("{value:.3}"),
    }
}

fn budget(name: &str, place: &str) -> &'static str {
    match (name, place) {
        (ALLOCATIONS, _) => "0",
        ("evaluate_dense" | "evaluate_moe", "native") => "under 1 µs",
        ("evaluate_dense" | "evaluate_moe", _) => "under 2 µs",
        ("simulate_step_of_80_layers", _) => "under 2 ms",
        ("sweep_dense", "Chromium") => "over 1,000,000 /s",
        ("sweep_moe", "Chromium") | ("sweep_dense" | "sweep_moe", PACKAGE) => "over 300,000 /s",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_is_a_failure() {
        for (line, fails) in [("allocations 0 an evaluation", false), ("allocations 3 an evaluation", true)] {
            let mut table = Table::default();
            table.extend("speed", Ok(row(line, "native").into_iter().collect()));
            assert_eq!(allocates(&table).is_some(), fails, "{line}");
        }
    }

    #[test]
    fn a_line_of_figures_is_a_row() {
        let expected = Row::new("evaluate dense, native", "412 ns", "under 1 µs");
        assert_eq!(row("evaluate_dense 412.34 ns", "native"), Some(expected));
        let expected = Row::new("sweep dense, Chromium", "1,234,568 configurations/s", "over 1,000,000 /s");
        assert_eq!(row("sweep_dense 1234567.8 configurations/s", "Chromium"), Some(expected));
        let expected = Row::new("allocations, native", "0 an evaluation", "0");
        assert_eq!(row("allocations 0 an evaluation", "native"), Some(expected));
        assert_eq!(row("Compiling shardwise v0.1.0", "native"), None);
    }
}
