//! Terms that every answer of a plan meets.

use super::{SearchKind, usual_batch};
use crate::held::Held;
use engine::model::odds::{CEILING, SURE};
use engine::scenario::Scenario;

/// The global batch, the required odds of an answer, and the parameters that it must keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Tokens of a step, padding included; up to a quarter fewer if the GPUs do not divide the
    /// batch.
    pub batch: f64,
    /// The odds of fitting, 0 to 1, below which a layout is rejected. The odds of meeting the
    /// deadline and the budget must reach this value as well.
    pub sure: f64,
    /// Parameters that every layout has as the scenario has them.
    pub held: Held,
}

/// Number of layouts that a case keeps, each with higher odds of fitting than the one before.
pub(super) const LAYOUTS: usize = 3;

impl Terms {
    /// Returns the odds of fitting of the layouts of a case: the requested ones and, where an
    /// answer must also hold a deadline or a budget, odds midway to certainty, and nearly certain
    /// ones.
    pub(super) fn odds(&self, kind: SearchKind) -> [f64; LAYOUTS] {
        let certain = CEILING.max(self.sure);
        let towards = |share: f64| self.sure + share * (certain - self.sure);
        if kind == SearchKind::Runs { [0.0, 0.5, 0.95].map(towards) } else { [self.sure; LAYOUTS] }
    }

    /// Returns the default terms of a scenario.
    pub fn usual(scenario: &Scenario) -> Self {
        Self { batch: usual_batch(scenario), sure: SURE, held: Held::NOTHING }
    }
}
