//! The section on fine-tuning.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{errors, left_out, line};
use crate::prediction::Prediction;
use crate::summary::Entry;
use engine::stats::Errors;

/// Writes steps and memory by source and by trained part, and rows left out.
pub(super) fn section(text: &mut String, entries: &[&Entry]) {
    if entries.is_empty() {
        return;
    }
    line(text, "\n## Fine-tuning\n");
    let read = entries.iter().filter(|entry| entry.outcome.is_ok()).count();
    let _ = writeln!(text, "{read} of {} rows are read.\n", entries.len());
    let source = |entry: &Entry| entry.source().to_owned();
    table(text, "Step time at any MFU", "Source", entries, source, Prediction::step_error);
    table(text, "Step time of the same rows", "Trains", entries, kind, Prediction::step_error);
    table(text, "Peak memory", "Source", entries, source, Prediction::memory_error);
    table(text, "Peak memory of the same rows", "Trains", entries, kind, Prediction::memory_error);
    left_out(text, entries);
}

/// Describes the part of the model that a row trains.
fn kind(entry: &Entry) -> String {
    let Ok(prediction) = &entry.outcome else { return String::new() };
    let trained = &prediction.scenario.trained;
    let words = match (trained.has_adapters(), trained.base.is_quantized()) {
        (false, _) => "Everything",
        (true, false) => "Adapters",
        (true, true) => "Adapters on a quantized base",
    };
    words.to_owned()
}

pub(super) fn table(
    text: &mut String,
    title: &str,
    column: &str,
    entries: &[&Entry],
    name: impl Fn(&Entry) -> String,
    error: fn(&Prediction) -> Option<f64>,
) {
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for entry in entries {
        let Some(error) = entry.outcome.as_ref().ok().and_then(error) else { continue };
        groups.entry(name(entry)).or_default().push(error);
    }
    let _ = writeln!(text, "{title}:\n");
    let _ = writeln!(text, "| {column} | Rows | Median error | Mean error | Signed |");
    line(text, "|---|---:|---:|---:|---:|");
    for (name, group) in &groups {
        let _ = writeln!(text, "| {name} | {} |", errors(Errors::from_errors(group)));
    }
    let all: Vec<f64> = groups.into_values().flatten().collect();
    let _ = writeln!(text, "| All | {} |\n", errors(Errors::from_errors(&all)));
}
