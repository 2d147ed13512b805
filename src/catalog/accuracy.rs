//! How far predictions lie from measurements: the band that stands beside each of them (docs/accuracy.md).

use crate::model::software::Framework;
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

/// The MFU from which the hardware sets the pace of a step; below it host and framework do.
pub const FAST_MFU: f64 = 0.2;

/// Steps that the hardware limits: the 10th and the 90th percentile of measured over predicted time, each source held out of
/// the fit in turn (`examples/calibrate`).
const HARDWARE_BOUND: Band = Band { low: 0.88, high: 1.25 };
/// Steps that host or framework limit: the same percentiles over all such rows but the ones below.
const HOST_BOUND: Band = Band { low: 0.7, high: 2.4 };
/// nanotron's pipelines: half of the published ones stall by some 1.2 s in each micro-batch, whatever the model, and no
/// column tells which.
const STALLING: Band = Band { low: 0.95, high: 14.0 };
/// Peak memory: percentiles over all rows.
const PEAK_MEMORY: Band = Band { low: 0.88, high: 1.25 };

/// The band of the step time.
pub fn step_time(scenario: &Scenario) -> Band {
    if scenario.framework == Framework::Nanotron && scenario.degrees().pp > 1 {
        STALLING
    } else if scenario.report().mfu < FAST_MFU {
        HOST_BOUND
    } else {
        HARDWARE_BOUND
    }
}

/// The band of the peak memory.
pub fn peak_memory(_scenario: &Scenario) -> Band {
    PEAK_MEMORY
}
