//! Terms that every answer of a plan keeps.

use super::usual_batch;
use engine::scenario::Scenario;

/// The global batch, and how sure an answer has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Tokens of a step, padding included. Where the GPUs do not divide it, it is up to a quarter
    /// smaller.
    pub batch: f64,
    /// The odds to fit, 0 to 1, below which a layout is none. The odds to end in time and within
    /// the budget have to reach it as well.
    pub sure: f64,
}

/// Default odds to fit that an answer needs.
pub const USUALLY_SURE: f64 = 0.8;

impl Terms {
    /// Returns the default terms of a scenario.
    pub fn usual(scenario: &Scenario) -> Self {
        Self { batch: usual_batch(scenario), sure: USUALLY_SURE }
    }
}
