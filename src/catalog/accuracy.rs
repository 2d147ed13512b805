//! How far predictions lie from measurements: the band that stands beside each of them.

use crate::scenario::Scenario;

/// The band of a prediction: 80 % of the measured rows that no constant was fitted on lie between `low` and `high` times
/// the predicted value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The lower end over the prediction, below 1.
    pub low: f64,
    /// The upper end over the prediction, above 1.
    pub high: f64,
}

/// The band of the step time.
pub fn step_time(_scenario: &Scenario) -> Band {
    Band { low: 0.85, high: 1.2 }
}

/// The band of the peak memory.
pub fn peak_memory(_scenario: &Scenario) -> Band {
    Band { low: 0.9, high: 1.1 }
}
