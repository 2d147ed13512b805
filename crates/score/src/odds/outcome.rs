//! Runs that ran and runs that failed, of sources that report both.

use std::collections::BTreeSet;

use crate::linked::End;
use crate::summary::Entry;
use engine::model::odds::PeakKind;

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Kind of run, which determines the expected error of the prediction.
    pub kind: PeakKind,
    /// Capacity over predicted needed bytes.
    pub room: f64,
    /// Whether the run succeeded.
    pub ran: bool,
    /// Whether the source distinguishes memory failures from other failures; nanotron's sweep does
    /// not.
    pub is_told: bool,
    /// Whether the index of the outcome is odd, which splits the outcomes into halves for
    /// cross-validation.
    pub is_odd: bool,
}

/// Returns the outcomes of all sources that report a failure. Impossible layouts, with more
/// pipeline stages than layers, are left out, as their failure is unrelated to memory. Runs at the
/// longest sequence that fits are left out, as they were searched to be at the limit.
pub fn outcomes<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Outcome> {
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let failures = || entries.iter().copied().filter(|entry| entry.row.failed());
    let telling: BTreeSet<&str> = failures().map(Entry::source).collect();
    let untold: BTreeSet<&str> =
        failures().filter(|entry| entry.row.linked.end == Some(End::FailedWithoutCause)).map(Entry::source).collect();
    let of = |entry: &Entry| {
        let prediction = entry.outcome.as_ref().ok().filter(|prediction| prediction.fit_odds > 0.0)?;
        let (memory, ran) = (&prediction.report.memory, entry.row.succeeded());
        let was_sought = entry.row.linked.end == Some(End::RanAtItsLimit);
        ((ran || entry.row.failed()) && !was_sought).then(|| Outcome {
            kind: prediction.report.stack_kind(),
            room: memory.capacity / memory.needed,
            ran,
            is_told: !untold.contains(entry.source()),
            is_odd: false,
        })
    };
    let telling = |entry: &&Entry| telling.contains(entry.source());
    let found = entries.iter().copied().filter(telling).filter_map(of);
    found.enumerate().map(|(place, outcome)| Outcome { is_odd: place % 2 == 1, ..outcome }).collect()
}
