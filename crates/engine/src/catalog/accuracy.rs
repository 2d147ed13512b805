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

/// What the engine reaches against published measurements, in percent where it is an error (docs/accuracy.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Published steps that the hardware limits.
    pub steps: &'static str,
    /// Median error of their time.
    pub step_time: &'static str,
    /// The same with each source held out of the fit in turn (`examples/calibrate`).
    pub held_out: &'static str,
    /// Median error of published peaks of memory.
    pub peak_memory: &'static str,
    /// Median error of the bytes at the peak that PyTorch's memory tracker counts.
    pub tracker: &'static str,
    /// Median error of the time of published steps of mixtures of experts.
    pub mixtures: &'static str,
}

/// What is reached today; the page says so.
pub const REACHED: Reached =
    Reached { steps: "1,120", step_time: "6.6", held_out: "8.8", peak_memory: "7.1", tracker: "0.2", mixtures: "9.1" };

/// The MFU from which the hardware sets the pace of a step; below it host and framework do.
pub const FAST_MFU: f64 = 0.2;

/// Steps that the hardware limits: the 10th and the 90th percentile of measured over predicted time, each source held out of
/// the fit in turn (`examples/calibrate`).
pub const HARDWARE_BOUND: Band = Band { low: 0.88, high: 1.25 };
/// Steps that host or framework limit: the same percentiles over all such rows but the ones below.
const HOST_BOUND: Band = Band { low: 0.7, high: 2.4 };
/// nanotron's pipelines: many of the published ones stall by some 0.3 s a message between stages, whatever the model, and no
/// column tells which (docs/accuracy.md).
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

#[cfg(test)]
mod tests {
    use super::REACHED;

    #[test]
    fn what_the_page_says_stands_in_the_document() {
        let document = include_str!("../../../../docs/accuracy.md");
        let steps = REACHED.steps.replace(',', "");
        assert!(document.contains(&format!("| All | {steps} | {} % |", REACHED.step_time)));
        assert!(document.lines().any(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            cells.next() == Some("All") && cells.nth(1) == Some(&format!("{} %", REACHED.peak_memory))
        }));
        let (_, mixtures) = document.split_once("## Mixtures of experts").unwrap();
        let all = mixtures.lines().find(|line| line.starts_with("| All |")).unwrap();
        assert!(all.contains(&format!("| {} % |", REACHED.mixtures)), "{all}");
    }
}
