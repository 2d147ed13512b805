//! The curve of each kind of runs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::logistic::{self, Fit, Run};
use super::middle::{Middle, middles};
use super::outcome::{Outcome, outcomes};
use crate::summary::Entry;
use catalog::accuracy::PeakKind;
use engine::model::memory::odds::Curve;

/// Fewest failures of a kind that give it a fit of its own.
const FEWEST: usize = 30;
/// Where the search begins: half of the runs whose needs are the capacity fit, and 96 of 100 of
/// those with a quarter to spare.
const START: [f64; 2] = [0.0, 14.0];

/// The curves of all kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Of each kind.
    pub of: BTreeMap<PeakKind, Curve>,
    /// Share of the runs that memory alone could let fail, of sources that do not tell why a run
    /// failed.
    pub others: f64,
}

impl Curves {
    /// Fits the curves to what became of runs.
    ///
    /// A kind with 30 failures or more has its own fit, `logistic(a + b ln(room))`. The others
    /// share one of all outcomes, in which the room is taken from the kind's median error of peaks,
    /// in its spread: `logistic((a + b (ln(room) - median)) / spread)`.
    pub fn fit(outcomes: &[Outcome], middles: &BTreeMap<PeakKind, Middle>) -> Self {
        let own = |outcome: &Outcome| Some([1.0, outcome.room.ln()]);
        let pooled = |outcome: &Outcome| {
            let Middle { median, spread } = middles.get(&outcome.kind)?;
            Some([1.0 / spread, (outcome.room.ln() - median) / spread])
        };
        let widest = middles.values().map(|of| of.spread).fold(0.0, f64::max);
        let shared = fit(outcomes.iter(), pooled, START.map(|by| by * widest));
        let [shift, steepness] = shared.by;
        let mut of = BTreeMap::new();
        for (kind, Middle { median, spread }) in middles {
            let of_kind = || outcomes.iter().filter(|outcome| outcome.kind == *kind);
            let curve = if of_kind().filter(|outcome| !outcome.ran).count() >= FEWEST {
                let [shift, steepness] = fit(of_kind(), own, START).by;
                curve((-shift / steepness).exp(), steepness)
            } else {
                curve((median - shift / steepness).exp(), steepness / spread)
            };
            of.insert(*kind, curve);
        }
        Self { of, others: shared.others }
    }
}

fn fit<'a>(
    outcomes: impl Iterator<Item = &'a Outcome>,
    values: impl Fn(&Outcome) -> Option<[f64; 2]>,
    start: [f64; 2],
) -> Fit {
    let run = |outcome: &Outcome| Some(Run { values: values(outcome)?, ran: outcome.ran, is_told: outcome.is_told });
    let runs: Vec<Run> = outcomes.filter_map(run).collect();
    logistic::fit(&runs, start)
}

/// A curve as it is recorded: to a thousandth and to a quarter.
fn curve(half: f64, steepness: f64) -> Curve {
    Curve { half: (1e3 * half).round() / 1e3, quarters: (4.0 * steepness).round().max(1.0) as u32 }
}

/// Fits the curves to rows.
pub fn fitted<'a>(entries: impl IntoIterator<Item = &'a Entry> + Clone) -> Curves {
    Curves::fit(&outcomes(entries.clone()), &middles(entries))
}

/// Writes the curves as Rust.
pub fn rust(curves: &Curves) -> String {
    let mut text = String::from(
        "/// How the odds that a run fits rise with the memory (`crates/score/src/odds`).\n\
         #[allow(clippy::match_same_arms, reason = \"a line a kind\")]\n\
         pub(super) const fn curve(kind: PeakKind) -> Curve {\n    match kind {\n",
    );
    for kind in PeakKind::ALL {
        let Curve { half, quarters } = curves.of.get(&kind).copied().unwrap_or(Curve { half: 1.0, quarters: 1 });
        // Writing to a string cannot fail.
        let _ = writeln!(text, "        PeakKind::{kind:?} => Curve {{ half: {half:.3}, quarters: {quarters} }},");
    }
    text + "    }\n}\n"
}
