//! The section on silicon other than NVIDIA's, and on `MLPerf`'s pre-training.

use std::fmt::Write as _;

use super::tuned::table;
use super::{left_out, line};
use crate::prediction::Prediction;
use crate::summary::{Entry, score};

/// Writes steps by source and by accelerator at any MFU, including mixtures and adapters; the
/// number of runs that ran and were predicted to fit; and rows left out.
pub(super) fn section(text: &mut String, entries: &[&Entry]) {
    if entries.is_empty() {
        return;
    }
    line(text, "\n## Other silicon, and MLPerf's pre-training\n");
    let read = entries.iter().filter(|entry| entry.outcome.is_ok()).count();
    let _ = writeln!(text, "{read} of {} rows are read.\n", entries.len());
    let source = |entry: &Entry| entry.source().to_owned();
    table(text, "Step time at any MFU", "Source", entries, source, Prediction::step_error);
    table(text, "Step time of the same rows", "Accelerator", entries, accelerator, Prediction::step_error);
    table(text, "Peak memory", "Accelerator", entries, accelerator, Prediction::memory_error);
    let confusion = score(entries.iter().copied()).confusion;
    let _ = writeln!(
        text,
        "{1} of {0} runs that ran are predicted to fit.",
        confusion.ran_fits + confusion.ran_does_not,
        confusion.ran_fits
    );
    left_out(text, entries);
}

/// Returns the name of a row's accelerator.
fn accelerator(entry: &Entry) -> String {
    let id = entry.outcome.as_ref().map_or("", |prediction| prediction.scenario.accelerator.id);
    catalog::accelerator(id).map_or_else(|| id.to_owned(), |entry| entry.name.to_owned())
}
