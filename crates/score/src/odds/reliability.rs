//! Calibration of the odds: predicted odds against outcomes, by tenths of the odds.

use std::collections::BTreeMap;

use super::curves::Curves;
use super::middle::Middle;
use super::outcome::Outcome;
use engine::model::odds::PeakKind;

/// Number of bins of the odds.
const PARTS: usize = 10;

/// Runs with odds in one tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tenth {
    /// Number of runs.
    pub runs: usize,
    /// Number of runs that ran.
    pub ran: usize,
    /// Sum of the odds.
    said: f64,
}

impl Tenth {
    /// Returns the share of the runs that ran.
    pub fn share(&self) -> f64 {
        self.ran as f64 / self.runs.max(1) as f64
    }

    /// Returns the mean of the odds.
    pub fn mean_odds(&self) -> f64 {
        self.said / self.runs.max(1) as f64
    }
}

/// Outcomes by the tenth of their odds.
pub type Tenths = [Tenth; PARTS];

/// Counts outcomes by the odds of the curves. Outcomes of a kind without a curve are left out.
pub fn by_tenth(outcomes: &[Outcome], curves: &Curves) -> Tenths {
    let mut tenths = Tenths::default();
    for outcome in outcomes {
        let Some(odds) = curves.of.get(&outcome.kind).map(|curve| curve.odds(outcome.room)) else { continue };
        if let Some(tenth) = tenths.get_mut(((PARTS as f64 * odds) as usize).min(PARTS - 1)) {
            *tenth = Tenth { runs: tenth.runs + 1, ran: tenth.ran + usize::from(outcome.ran), said: tenth.said + odds };
        }
    }
    tenths
}

/// Counts each half of the outcomes by curves fitted to the other half.
pub fn held_out(outcomes: &[Outcome], middles: &BTreeMap<PeakKind, Middle>) -> Tenths {
    let (odd, even): (Vec<Outcome>, Vec<Outcome>) = outcomes.iter().cloned().partition(|outcome| outcome.is_odd);
    let [of_odd, of_even] = [&odd, &even].map(|half| Curves::fit(half, middles));
    let (mut tenths, other) = (by_tenth(&odd, &of_even), by_tenth(&even, &of_odd));
    for (tenth, other) in tenths.iter_mut().zip(other) {
        *tenth = Tenth { runs: tenth.runs + other.runs, ran: tenth.ran + other.ran, said: tenth.said + other.said };
    }
    tenths
}
