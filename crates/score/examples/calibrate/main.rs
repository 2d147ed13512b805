//! Fits the constants of the catalog to measured steps, by coordinate descent, and cross-validates
//! the fit by source: `cargo xtask calibrate tests/measured/*.csv`.
//!
//! `--only WORD` fits the constants whose names begin so, and leaves the others as the catalog has them; it may come several times.
//!
//! It only prints. The fitted values go into the catalog by hand, as a new revision.

#![allow(clippy::indexing_slicing, reason = "indices come from the tables they point into")]

mod constants;
#[path = "../score/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the score example, which uses all of it")]
mod table;

use std::collections::BTreeMap;
use std::process::ExitCode;

use constants::{CONSTANTS, Case, Constant};
use engine::catalog::accuracy::{self, Band, FAST_MFU};
use engine::model::step::evaluate;
use engine::stats::{mean, median};
use score::by_accelerator;
use score::coverage::{self, Covered, Residual};

/// Largest contribution of a single row: an error of one half has a cause that no constant can
/// correct.
const CAP: f64 = 0.5;
/// Number of passes over all constants.
const PASSES: usize = 12;

fn main() -> ExitCode {
    let (mut files, mut only) = (Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--only" { only.extend(arguments.next()) } else { files.push(argument) }
    }
    let is_fitted =
        |constant: &Constant| only.is_empty() || only.iter().any(|word| constant.name.starts_with(word.as_str()));
    let free: Vec<bool> = CONSTANTS.iter().map(is_fitted).collect();
    let mut tables = table::Tables::default();
    for file in &files {
        if let Err(message) = tables.read(file) {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    }
    let measured: Vec<Case> = tables.training.iter().filter_map(Case::of).filter(|case| !is_apart(case)).collect();
    let all: Vec<&Case> = measured.iter().filter(|case| case.mfu >= FAST_MFU).collect();
    let start = initial(&all);
    println!("{} rows; loss {:.4} as the catalog stands", all.len(), loss(&all, &start));
    let fitted = fit(&all, &start, &free);
    println!("{:.4} fitted\n", loss(&all, &fitted));
    for (constant, (before, after)) in CONSTANTS.iter().zip(start.iter().zip(&fitted)) {
        println!("{:<28} {before:>9.3} -> {after:>9.3}", constant.name);
    }
    println!("\n| source | rows | now | fitted | held out |\n|---|---|---|---|---|");
    let sources: BTreeMap<&str, Vec<&Case>> = all.iter().fold(BTreeMap::new(), |mut map, case| {
        map.entry(case.source.as_str()).or_insert_with(Vec::new).push(*case);
        map
    });
    let mut held_out = Vec::new();
    let mut residuals = Vec::new();
    for (source, rows) in &sources {
        let rest: Vec<&Case> = all.iter().copied().filter(|case| case.source != *source).collect();
        let without = fit(&rest, &start, &free);
        held_out.extend(rows.iter().map(|case| error(case, &without)));
        let of_source = measured.iter().filter(|case| case.source == *source);
        residuals.extend(of_source.map(|case| residual(case, &without)));
        let of = |values: &[f64]| summary(&rows.iter().map(|case| error(case, values)).collect::<Vec<_>>());
        println!("| {source} | {} | {} | {} | {} |", rows.len(), of(&start), of(&fitted), of(&without));
    }
    let of = |values: &[f64]| summary(&all.iter().map(|case| error(case, values)).collect::<Vec<_>>());
    println!("| All | {} | {} | {} | {} |", all.len(), of(&start), of(&fitted), summary(&held_out));
    // The fit has no row of these sources.
    let slow = measured.iter().filter(|case| !sources.contains_key(case.source.as_str()));
    residuals.extend(slow.map(|case| residual(case, &fitted)));
    ranges(&residuals);
    ExitCode::SUCCESS
}

/// Prints, by what decides the error, the range in which 80 % of the steps lie with their source held out of the fit, of all MFUs, and
/// how many lie in the catalog's range.
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
fn residual(case: &Case, values: &[f64]) -> Residual {
    let ratio = 1.0 / (1.0 + error(case, values));
    Residual::new(&case.source, &case.scenario, accuracy::step_time(&case.scenario), ratio)
}

/// Whether the source warns of the row.
fn is_apart(case: &Case) -> bool {
    by_accelerator::is_apart(&case.source, case.scenario.accelerator.values.generation)
}

/// Median, mean and signed mean of the absolute percentage error.
fn summary(errors: &[f64]) -> String {
    let absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let percent = |value: Option<f64>| 1e2 * value.unwrap_or(f64::NAN);
    format!("{:.1} / {:.1} ({:+.1})", percent(median(&absolute)), percent(mean(&absolute)), percent(mean(errors)))
}

/// Returns the constants of the catalog.
fn initial(cases: &[&Case]) -> Vec<f64> {
    let value = |at: usize| {
        let using = cases.iter().find(|case| case.constants.contains(&at));
        using.map_or(f64::NAN, |case| (CONSTANTS[at].get)(&case.setup))
    };
    (0..CONSTANTS.len()).map(value).collect()
}

/// Returns predicted over measured step time, less one.
fn error(case: &Case, values: &[f64]) -> f64 {
    let mut setup = case.setup;
    for &at in &case.constants {
        if values[at].is_finite() {
            (CONSTANTS[at].set)(&mut setup, values[at]);
        }
    }
    evaluate(&setup).time.step.get() / case.step - 1.0
}

/// Returns the mean error, with every source weighted by the square root of its number of rows.
fn loss(cases: &[&Case], values: &[f64]) -> f64 {
    let mut sources: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for case in cases {
        let (sum, count) = sources.entry(case.source.as_str()).or_default();
        *sum += (1.0 + error(case, values)).ln().abs().min(CAP);
        *count += 1.0;
    }
    let weight: f64 = sources.values().map(|(_, count)| count.sqrt()).sum();
    sources.values().map(|(sum, count)| sum / count * count.sqrt()).sum::<f64>() / weight
}

/// Coordinate descent: tries a few factors for each constant in turn and keeps the best, with a
/// range that narrows.
fn fit(cases: &[&Case], start: &[f64], free: &[bool]) -> Vec<f64> {
    let mut values = start.to_vec();
    let mut best = loss(cases, &values);
    let mut step = 0.20;
    for _ in 0..PASSES {
        let before = best;
        for (at, constant) in CONSTANTS.iter().enumerate() {
            if !free[at] || !values[at].is_finite() || !cases.iter().any(|case| case.constants.contains(&at)) {
                continue;
            }
            for factor in [1.0 - step, 1.0 - step / 3.0, 1.0 + step / 3.0, 1.0 + step] {
                let mut moved = values.clone();
                let (low, high) = constant.range;
                let width = (high - low) * 0.02;
                moved[at] =
                    (values[at] * factor + if factor > 1.0 { width * step } else { -width * step }).clamp(low, high);
                let candidate = loss(cases, &moved);
                if candidate < best {
                    (best, values) = (candidate, moved);
                }
            }
        }
        if before - best < 1e-4 {
            step *= 0.5;
        }
    }
    values
}
