//! Terms that every answer of a plan meets.

use super::usual_batch;
use crate::held::Held;
use engine::model::memory::odds::SURE;
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

impl Terms {
    /// Returns the default terms of a scenario.
    pub fn usual(scenario: &Scenario) -> Self {
        Self { batch: usual_batch(scenario), sure: SURE, held: Held::NOTHING }
    }
}
