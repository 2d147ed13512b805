//! Terms that every answer of a plan meets.

use super::usual_batch;
use engine::scenario::Scenario;

/// The global batch, and the required odds of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Tokens of a step, padding included; up to a quarter fewer if the GPUs do not divide the
    /// batch.
    pub batch: f64,
    /// The odds of fitting, 0 to 1, below which a layout is rejected. The odds of meeting the
    /// deadline and the budget must reach this value as well.
    pub sure: f64,
}

/// Default odds of fitting that an answer needs.
pub const USUALLY_SURE: f64 = 0.8;

impl Terms {
    /// Returns the default terms of a scenario.
    pub fn usual(scenario: &Scenario) -> Self {
        Self { batch: usual_batch(scenario), sure: USUALLY_SURE }
    }
}
