//! Fits the engine's constants to measured steps of any MFU, and cross-validates the fit by source:
//! `cargo xtask calibrate tests/measured/*.csv tests/measured/*/*.csv`.
//!
//! `--only WORD` fits only the constants whose keys begin with WORD, and may be repeated. `--set
//! KEY=VALUE` sets the initial value of a constant, which is also its final value if `--only`
//! excludes the constant. `--held-out` holds out each source in turn. `--write` writes the results
//! to `data/fitted.toml`; held-out errors are written only if they were computed. `--chapter`
//! writes the table of docs/book/accuracy/held-out.md, with the constants as they stand and held
//! out.
//!
//! Each constant has a prior: a value measured in isolation, or the value of similar constants,
//! with a width. The fit balances the prior against the rows.

#![allow(clippy::indexing_slicing, reason = "indices come from the tables they point into")]

mod chapter;
#[path = "../score/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the score example, which uses all of it")]
mod table;
mod write;

use std::process::ExitCode;

use catalog::accuracy::{self, Band, FAST_MFU};
use engine::stats::{mean, median, spearman};
use score::calibrate::case::{Case, numbered};
use score::calibrate::constants::constants;
use score::calibrate::fit::Fit;
use score::coverage::{self, Covered, Residual};

/// Command-line arguments.
#[derive(Default)]
struct Arguments {
    files: Vec<String>,
    only: Vec<String>,
    set: Vec<String>,
    hold_out: bool,
    write: bool,
    chapter: bool,
}

fn asked() -> Arguments {
    let mut asked = Arguments::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--only" => asked.only.extend(arguments.next()),
            "--set" => asked.set.extend(arguments.next()),
            "--held-out" => asked.hold_out = true,
            "--write" => asked.write = true,
            "--chapter" => asked.chapter = true,
            _ => asked.files.push(argument),
        }
    }
    asked
}

fn main() -> ExitCode {
    let Arguments { files, only, set, hold_out, write, chapter } = asked();
    let constants = constants();
    let is_free = |name: &str| only.is_empty() || only.iter().any(|word| name.starts_with(word.as_str()));
    let free: Vec<bool> = constants.iter().map(|(constant, _)| is_free(constant.key)).collect();
    let mut tables = table::Tables::default();
    for file in &files {
        if let Err(message) = tables.read_file(file) {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    }
    let mut cases: Vec<Case> = tables.training.iter().filter_map(|entry| Case::prepare(entry, &constants)).collect();
    let sources = numbered(&mut cases);
    let all: Vec<&Case> = cases.iter().collect();
    let mut start = vec![1.0; constants.len()];
    if let Err(message) = set_constants(&mut start, &set) {
        eprintln!("{message}");
        return ExitCode::from(2);
    }
    let mut fitted = Fit::new(&constants, &all, sources.len(), &start);
    println!("{} rows; loss {:.2} as the constants stand", all.len(), fitted.loss());
    fitted.descend(&free);
    println!("{:.2} fitted\n", fitted.loss());
    let mut without: Vec<Vec<f64>> = vec![fitted.factors.clone(); sources.len()];
    if hold_out {
        leave_out(&mut without, |at| {
            let rest: Vec<&Case> = all.iter().copied().filter(|case| case.of != at).collect();
            let mut fit = Fit::new(&constants, &rest, sources.len(), &fitted.factors);
            fit.descend(&free);
            fit.factors
        });
    }
    println!("| constant | now | fitted | deviation | rows | sources | held out |\n|---|---|---|---|---|---|---|");
    let mut found = Vec::new();
    for (at, (constant, _)) in constants.iter().enumerate() {
        let seen = fitted.seen(at);
        let mut of: Vec<usize> = seen.iter().map(|case| case.of).collect();
        of.sort_unstable();
        of.dedup();
        let errors: Vec<f64> = seen.iter().map(|case| (case.error(&without[case.of]).exp() - 1.0).abs()).collect();
        let row = write::FittedValue {
            key: constant.key,
            value: constant.value * fitted.factors[at],
            rows: seen.len(),
            sources: of.len(),
            deviation: fitted.deviation(at),
            held_out: hold_out.then(|| 1e2 * median(&errors).unwrap_or(0.0)),
        };
        println!(
            "| {} | {:.3} | {:.3} | {:.0} % | {} | {} | {:.1} % |",
            row.key,
            constant.value,
            row.value,
            1e2 * row.deviation,
            row.rows,
            row.sources,
            row.held_out.unwrap_or(f64::NAN)
        );
        found.push(row);
    }
    println!(
        "\n| source | rows | unexplained | now | fitted | of 20 % MFU or more | held out |\n|---|---|---|---|---|---|---|"
    );
    for (at, source) in sources.iter().enumerate() {
        let rows: Vec<&Case> = all.iter().copied().filter(|case| case.of == at).collect();
        let of = |factors: &[f64]| summary(rows.iter().map(|case| case.error(factors)));
        let (unexplained, out) = (1e2 * fitted.unexplained()[at], of(&without[at]));
        let (now, after) = (of(&start), of(&fitted.factors));
        let fast = summary(rows.iter().filter(|case| case.mfu >= FAST_MFU).map(|case| case.error(&fitted.factors)));
        println!("| {source} | {} | {unexplained:.0} % | {now} | {after} | {fast} | {out} |", rows.len());
    }
    if chapter
        && hold_out
        && let Err(message) = write_chapter(&sources, &all, &start, &without)
    {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    let held_out: Vec<(&Case, f64)> = all.iter().map(|case| (*case, case.error(&without[case.of]))).collect();
    for (name, fast) in [("MFU of 20 % or more", true), ("below", false)] {
        let rows = || held_out.iter().filter(|(case, _)| (case.mfu >= FAST_MFU) == fast);
        let of = |factors: &[f64]| summary(rows().map(|(case, _)| case.error(factors)));
        let out = summary(rows().map(|(_, error)| *error));
        println!("| {name} | {} | | {} | {} | {out} |", rows().count(), of(&start), of(&fitted.factors));
    }
    let slow = held_out.iter().filter(|(case, _)| case.mfu < FAST_MFU);
    let pairs: Vec<(f64, f64)> = slow.map(|(case, error)| (case.step, case.step * error.exp())).collect();
    println!("\nRank correlation below: {:.3}", spearman(&pairs).unwrap_or(f64::NAN));
    ranges(&all.iter().map(|case| residual(case, &without[case.of])).collect::<Vec<_>>());
    if write && let Err(message) = write::write(&found) {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Sets constants to the values of `KEY=VALUE`, as factors of the engine's.
fn set_constants(start: &mut [f64], set: &[String]) -> Result<(), String> {
    let constants = constants();
    for (key, value) in set.iter().filter_map(|pair| pair.split_once('=')) {
        let at = constants.iter().position(|(constant, _)| constant.key == key);
        let at = at.ok_or_else(|| format!("`{key}` is no constant of data/fitted.toml."))?;
        let value: f64 = value.parse().map_err(|_| format!("`{value}` is no number for {key}."))?;
        start[at] = value / constants[at].0.value;
    }
    Ok(())
}

/// Fits the constants without each source, on all processors: `fit` has the number of the source.
fn leave_out(without: &mut [Vec<f64>], fit: impl Fn(usize) -> Vec<f64> + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = without.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (first, part) in without.chunks_mut(share).enumerate() {
            let fit = &fit;
            scope.spawn(move || {
                for (at, factors) in part.iter_mut().enumerate() {
                    *factors = fit(first * share + at);
                }
            });
        }
    });
}

/// Writes the chapter on sources that are left out, with the errors of all cases with the constants
/// as they stand, and `without` their own source.
fn write_chapter(sources: &[String], all: &[&Case], start: &[f64], without: &[Vec<f64>]) -> Result<(), String> {
    let errors = |case: &&Case| (case.error(start), case.error(&without[case.of]));
    let rows: Vec<chapter::Source> = sources
        .iter()
        .enumerate()
        .map(|(at, name)| chapter::Source {
            name,
            errors: all.iter().filter(|case| case.of == at).map(errors).collect(),
        })
        .collect();
    chapter::write(&rows, &all.iter().map(|case| (case.mfu >= FAST_MFU, errors(case))).collect::<Vec<_>>())
}

/// Prints, for each kind of run, the range that contains 80 % of the steps with their source held
/// out of the fit, at any MFU, and the share of steps inside the catalog's range.
fn ranges(residuals: &[Residual]) {
    println!("\n| steps of | rows | sources | range | inside the catalog's | inside that of the other sources |");
    println!("|---|---|---|---|---|---|");
    for (kind, covered) in coverage::by(residuals, |residual| residual.kind) {
        let Some(Band { low, high }) = coverage::range(residuals.iter().filter(|residual| residual.kind == kind))
        else {
            continue;
        };
        let Covered { rows, sources, inside, held_out_inside, .. } = covered;
        let [inside, others] = [inside, held_out_inside].map(|share| 1e2 * share);
        println!("| {} | {rows} | {sources} | {low:.3} to {high:.3} | {inside:.0} % | {others:.0} % |", kind.name());
    }
}

/// Returns the residual of a row under these constants.
fn residual(case: &Case, factors: &[f64]) -> Residual {
    let ratio = (-case.error(factors)).exp();
    Residual::new(&case.source, &case.scenario, accuracy::step_time(&case.scenario), ratio)
}

/// Formats the median, mean and signed mean of the percentage error; `errors` are logarithms of
/// predicted over measured times.
fn summary(errors: impl Iterator<Item = f64>) -> String {
    let errors: Vec<f64> = errors.map(|error| error.exp() - 1.0).collect();
    let absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let percent = |value: Option<f64>| 1e2 * value.unwrap_or(f64::NAN);
    format!("{:.1} / {:.1} ({:+.1})", percent(median(&absolute)), percent(mean(&absolute)), percent(mean(&errors)))
}
