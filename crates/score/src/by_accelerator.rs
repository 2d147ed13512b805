//! Computes the accuracy of predictions per accelerator, and the error on accelerators without
//! measurements. `cargo xtask accuracy` records the results for the engine
//! (`crates/catalog/src/accuracy/recorded.rs`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::prediction::Prediction;
use super::quantile::quantile;
use super::spread;
use super::summary::Entry;
use catalog::accuracy::Stack;
use engine::model::hardware::{Efficiency, Generation};
use engine::stats::Errors;

/// Accuracy on one accelerator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByAccelerator {
    /// Rows with a measured step time or peak memory.
    pub runs: usize,
    /// Errors of step times that are limited by the hardware.
    pub steps: Option<Errors>,
    /// Errors of peak memory.
    pub peaks: Option<Errors>,
}

/// Returns the accuracy on each accelerator, keyed by its identifier in the catalog.
pub fn measured<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeMap<&'static str, ByAccelerator> {
    let mut errors: BTreeMap<&'static str, (usize, Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for (entry, prediction) in predicted(entries) {
        let (step, peak) = (prediction.step_error(), prediction.memory_error());
        let (runs, steps, peaks) = errors.entry(prediction.scenario.accelerator.id).or_default();
        *runs += usize::from(step.is_some() || peak.is_some());
        steps.extend(step.filter(|_| entry.is_fast() == Some(true)));
        peaks.extend(peak);
    }
    let of = |(runs, steps, peaks): (usize, Vec<f64>, Vec<f64>)| ByAccelerator {
        runs,
        steps: Errors::from_errors(&steps),
        peaks: Errors::from_errors(&peaks),
    };
    errors.into_iter().map(|(id, errors)| (id, of(errors))).filter(|(_, of)| of.runs > 0).collect()
}

/// Returns whether the author of the source warns about the row: BigScience's V100 rows are off by
/// up to 40 %.
pub fn is_apart(source: &str, generation: Generation) -> bool {
    source.contains("BigScience") && generation == Generation::Volta
}

/// Returns ratios of measured to predicted step time if the efficiencies of kernels are borrowed
/// from other silicon. A generation with fitted efficiencies is predicted with the efficiencies of
/// each other fitted generation in turn; a generation without a fit uses the efficiencies that the
/// catalog borrows. All pairs of a generation and a lender have equal weight. Each ratio is paired
/// with its weight.
pub fn borrowed<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<(f64, f64)> {
    let mut of: Vec<(Generation, Efficiency, Vec<&Prediction>)> = Vec::new();
    for (entry, prediction) in predicted(entries) {
        let values = prediction.scenario.accelerator.values;
        let counts = entry.is_fast() == Some(true) && prediction.measured.step_time_s.is_some();
        if !counts || is_apart(entry.source(), values.generation) {
            continue;
        }
        match of.iter_mut().find(|(generation, ..)| *generation == values.generation) {
            Some((.., rows)) => rows.push(prediction),
            None => of.push((values.generation, values.efficiency, vec![prediction])),
        }
    }
    let mut ratios = Vec::new();
    for (generation, _, rows) in &of {
        let fitted = of.iter().filter(|(other, ..)| other.is_fitted() && other != generation);
        // A row of a generation without a fit keeps the efficiencies of its own accelerator.
        let others: Vec<Option<Efficiency>> =
            if generation.is_fitted() { fitted.map(|other| Some(other.1)).collect() } else { vec![None] };
        for other in others {
            let weight = 1.0 / rows.len() as f64;
            let ratio = |row: &&Prediction| with(row, other.unwrap_or(row.scenario.accelerator.values.efficiency));
            ratios.extend(rows.iter().filter_map(|row| Some((ratio(row)?, weight))));
        }
    }
    ratios
}

/// Returns measured over predicted step time of a row, predicted with other efficiencies.
fn with(row: &Prediction, efficiency: Efficiency) -> Option<f64> {
    let mut scenario = row.scenario;
    scenario.accelerator.values.efficiency = efficiency;
    let slower = scenario.report().update.time.step / row.report.update.time.step;
    row.measured.step_time_s.map(|measured| measured / (row.step_time_s * slower))
}

/// Returns ratios of measured to predicted peak memory with weights, for the rows counted by
/// [`spread::memory_ratios`]. All generations have equal total weight, which estimates the error on
/// an unmeasured generation.
pub fn elsewhere<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<(f64, f64)> {
    let mut of: Vec<(Generation, Vec<&Entry>)> = Vec::new();
    for entry in entries {
        let Ok(prediction) = &entry.outcome else { continue };
        let generation = prediction.scenario.accelerator.values.generation;
        match of.iter_mut().find(|(known, _)| *known == generation) {
            Some((_, rows)) => rows.push(entry),
            None => of.push((generation, vec![entry])),
        }
    }
    let ratios = of.into_iter().map(|(_, rows)| spread::memory_ratios(rows));
    ratios
        .flat_map(|ratios| ratios.iter().map(|ratio| (*ratio, 1.0 / ratios.len() as f64)).collect::<Vec<_>>())
        .collect()
}

fn predicted<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> impl Iterator<Item = (&'a Entry, &'a Prediction)> {
    entries.into_iter().filter_map(|entry| Some((entry, entry.outcome.as_ref().ok()?)))
}

/// Returns the stacks with measured step times, once each.
fn stacks<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Stack> {
    let timed = predicted(entries).filter(|(_, prediction)| prediction.step_error().is_some());
    let named = timed.map(|(_, prediction)| Stack::of(&prediction.scenario)).map(|stack| (format!("{stack:?}"), stack));
    named.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// Writes the recorded accuracy as Rust source.
pub fn rust<'a>(entries: impl IntoIterator<Item = &'a Entry> + Clone) -> String {
    let mut text = String::from(
        "//! Written by `cargo xtask accuracy` from tests/measured \
         (`crates/score/src/by_accelerator.rs`):\n//! not to be edited.\n\nuse super::{Band, Measured, Stack};\n\
         use engine::model::hardware::Generation;\nuse engine::model::software::Framework;\n\n\
         /// Measurements of each accelerator that \
         has rows, in alphabetical order.\n#[rustfmt::skip]\npub(super) const MEASURED: &[Measured] = &[\n",
    );
    // Writing to a string cannot fail.
    for (id, ByAccelerator { runs, steps, peaks }) in measured(entries.clone()) {
        let median =
            |errors: Option<Errors>| errors.map_or("None".to_owned(), |of| format!("Some({:.1})", 1e2 * of.median));
        let count = |errors: Option<Errors>| errors.map_or(0, |of| of.count);
        let _ = writeln!(
            text,
            "    Measured {{ accelerator: \"{id}\", runs: {runs}, steps: {}, step_error: {}, peaks: {}, peak_error: {} }},",
            count(steps),
            median(steps),
            count(peaks),
            median(peaks)
        );
    }
    let steps = borrowed(entries.clone());
    let [low, high] = [0.1, 0.9].map(|share| quantile(&steps, share).unwrap_or(f64::NAN));
    let _ = writeln!(
        text,
        "];\n\n/// Range of the step time on silicon without a fit: 10th and 90th percentile of measured over\n\
         /// predicted time, of fitted silicon with the fractions of the peaks that were fitted\n\
         /// to each other one, of silicon without a fit as the catalog predicts it.\n\
         pub(super) const BORROWED: Band = Band {{ low: {low:.2}, high: {high:.2} }};"
    );
    let peaks = elsewhere(entries.clone());
    let [low, high] = [0.1, 0.9].map(|share| quantile(&peaks, share).unwrap_or(f64::NAN));
    let _ = writeln!(
        text,
        "\n/// Range of the peak memory with each measured generation weighing the same.\n\
         pub(super) const ELSEWHERE: Band = Band {{ low: {low:.2}, high: {high:.2} }};"
    );
    text += "\n/// Stacks with published step times, in alphabetical order.\n#[rustfmt::skip]\n\
             pub(super) const STACKS: &[Stack] = &[\n";
    for stack in stacks(entries) {
        let Stack { framework, generation, experts, split } = stack;
        let _ = writeln!(
            text,
            "    Stack {{ framework: Framework::{framework:?}, generation: Generation::{generation:?}, \
             experts: {experts}, split: {split:?} }},"
        );
    }
    text += "];\n";
    text
}
