//! Runs that ran and runs that failed, of the sources that tell of both.

use std::collections::BTreeSet;

use crate::linked::End;
use crate::summary::Entry;
use catalog::accuracy::PeakKind;

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What decides how far its prediction lies off.
    pub kind: PeakKind,
    /// Capacity over predicted needed bytes.
    pub room: f64,
    /// Whether it ran.
    pub ran: bool,
    /// Whether its source tells failures of memory from others: nanotron's sweep does not.
    pub is_told: bool,
    /// Whether its place among the outcomes is odd: one half of them is held against what the other
    /// gives.
    pub is_odd: bool,
}

/// Returns the outcomes of a source's rows, of sources that have a failure. A layout that is
/// impossible, more pipeline stages than layers, is no question of memory; the longest sequence
/// that fits lies at the limit because it was sought there.
pub fn outcomes<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Outcome> {
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let failures = || entries.iter().copied().filter(|entry| entry.row.failed());
    let telling: BTreeSet<&str> = failures().map(Entry::source).collect();
    let untold: BTreeSet<&str> =
        failures().filter(|entry| entry.row.end() == Some(End::FailedUntold)).map(Entry::source).collect();
    let of = |entry: &Entry| {
        let prediction = entry.outcome.as_ref().ok().filter(|prediction| prediction.fit_odds > 0.0)?;
        let (memory, ran) = (&prediction.report.memory, entry.row.succeeded());
        let was_sought = entry.row.end() == Some(End::RanAtItsLimit);
        ((ran || entry.row.failed()) && !was_sought).then(|| Outcome {
            kind: PeakKind::of_stack(&prediction.report),
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
