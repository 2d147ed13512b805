//! Fits a curve of odds for each kind of run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::logistic::{self, Fit, Run};
use super::middle::{Middle, middles};
use super::outcome::{Outcome, outcomes};
use crate::summary::Entry;
use engine::model::odds::{Curve, PeakKind};

/// Minimum number of failures for a kind to have its own fit.
const FEWEST: usize = 30;
/// Initial coefficients: runs that need exactly the capacity fit with odds of 50 %, and runs with a
/// quarter to spare with 96 %.
const START: [f64; 2] = [0.0, 14.0];

/// Curves of all kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Curve of each kind.
    pub of: BTreeMap<PeakKind, Curve>,
    /// Share of runs that fail only for lack of memory, if at all, among sources that do not report
    /// why a run failed.
    pub others: f64,
}

impl Curves {
    /// Fits the curves to outcomes of runs.
    ///
    /// A kind with 30 failures or more has its own fit, `logistic(a + b ln(room))`. The other kinds
    /// share one fit of all outcomes, in which the room is relative to the kind's median peak error
    /// and scaled by its spread: `logistic((a + b (ln(room) - median)) / spread)`.
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

/// Rounds a curve to the recorded precision: thousandths of `half` and quarters of the steepness.
fn curve(half: f64, steepness: f64) -> Curve {
    Curve { half: (1e3 * half).round() / 1e3, quarters: (4.0 * steepness).round().max(1.0) as u32 }
}

/// Fits the curves to rows.
pub fn fitted<'a>(entries: impl IntoIterator<Item = &'a Entry> + Clone) -> Curves {
    Curves::fit(&outcomes(entries.clone()), &middles(entries))
}

/// Writes the curves as Rust source.
pub fn rust(curves: &Curves) -> String {
    let mut text = String::from(
        "//! Written by `cargo xtask accuracy` from tests/measured (`crates/score/src/odds/curves.rs`): not\n\
         //! to be edited.\n\nuse super::curve::Curve;\nuse super::kind::PeakKind;\n\n\
         /// Odds that a run fits, by memory (`crates/score/src/odds`).\n\
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
