//! The section on sources that no constant was fitted to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{left_out, line, percent};
use crate::prediction::Prediction;
use crate::summary::{Entry, inside};
use catalog::accuracy::Band;
use engine::stats::Errors;

/// Measured values of a source against their predictions.
#[derive(Clone, Debug, Default)]
struct Compared {
    errors: Vec<f64>,
    inside: usize,
}

impl Compared {
    fn add(&mut self, error: f64, band: Band) {
        self.errors.push(error);
        self.inside += usize::from(inside(band, error));
    }

    fn cells(&self) -> String {
        let Some(of) = Errors::from_errors(&self.errors) else { return "0 | - | - | - | -".to_owned() };
        let inside = 1e2 * self.inside as f64 / of.count as f64;
        let Errors { count, median, mean, signed, .. } = of;
        format!("{count} | {} | {} | {:+.1} % | {inside:.0} %", percent(median), percent(mean), 1e2 * signed)
    }
}

/// Writes step times and peaks by source, with the share inside the range of their prediction, and
/// rows left out.
pub fn section<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> String {
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let mut text = String::new();
    line(&mut text, "\n## Sources that no constant saw\n");
    table(&mut text, "Step time at any MFU", &entries, |of| Some((of.step_error()?, of.step_band)));
    table(&mut text, "Peak memory", &entries, |of| Some((of.memory_error()?, of.memory_band)));
    left_out(&mut text, &entries);
    text
}

fn table(text: &mut String, title: &str, entries: &[&Entry], of: fn(&Prediction) -> Option<(f64, Band)>) {
    let mut sources: BTreeMap<&str, Compared> = BTreeMap::new();
    let mut all = Compared::default();
    for entry in entries {
        let Some((error, band)) = entry.outcome.as_ref().ok().and_then(of) else { continue };
        sources.entry(entry.source()).or_default().add(error, band);
        all.add(error, band);
    }
    let _ = writeln!(text, "{title}:\n");
    line(text, "| Source | Rows | Median error | Mean error | Signed | Inside the range |");
    line(text, "|---|---:|---:|---:|---:|---:|");
    for (name, of) in &sources {
        let _ = writeln!(text, "| {name} | {} |", of.cells());
    }
    let _ = writeln!(text, "| All | {} |\n", all.cells());
}
