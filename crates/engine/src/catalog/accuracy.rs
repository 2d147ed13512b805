//! The accuracy of predictions: the measured range shown beside each of them (docs/accuracy.md).

use crate::model::memory::odds::{self, Quantile, Verdict};
use crate::model::report::Report;
use crate::model::software::Framework;
use crate::scenario::Scenario;

/// The range around a prediction: 80 % of the measured rows to which no constant was fitted lie
/// between `low` and `high` times the predicted value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Lower end over the prediction, below 1.
    pub low: f64,
    /// Upper end over the prediction, above 1.
    pub high: f64,
}

/// Accuracy of the engine against published measurements, in percent where it is an error
/// (docs/accuracy.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Number of published steps that the hardware limits.
    pub steps: &'static str,
    /// Median error of the time of these steps.
    pub step_time: &'static str,
    /// Median error of these steps with each source held out of the fit in turn
    /// (`examples/calibrate`).
    pub held_out: &'static str,
    /// Median error of published peaks of memory.
    pub peak_memory: &'static str,
    /// Median error of the bytes at the peak, against PyTorch's memory tracker.
    pub tracker: &'static str,
    /// Median error of the time of published steps of mixtures of experts.
    pub mixtures: &'static str,
}

/// The present accuracy, shown on the page.
pub const REACHED: Reached =
    Reached { steps: "1,121", step_time: "6.6", held_out: "8.8", peak_memory: "4.0", tracker: "0.2", mixtures: "8.8" };

/// MFU above which the hardware limits a step; below it the host and the framework do.
pub const FAST_MFU: f64 = 0.2;

/// Range of steps limited by the hardware: the 10th and the 90th percentile of measured over
/// predicted time, with each source held out of the fit in turn (`examples/calibrate`).
pub const HARDWARE_BOUND: Band = Band { low: 0.88, high: 1.25 };
/// Range of steps limited by host or framework: the same percentiles over all such rows except
/// those of [`STALLING`].
const HOST_BOUND: Band = Band { low: 0.7, high: 2.4 };
/// Range of nanotron's pipelines: many of the published ones stall by about 0.3 s per message
/// between stages, for every model, and no column of the data explains which (docs/accuracy.md).
const STALLING: Band = Band { low: 0.95, high: 14.0 };
/// Range of peak memory: percentiles over all rows.
const PEAK_MEMORY: Band = Band { low: 0.88, high: 1.10 };

/// Distribution of measured over predicted peak memory: all published rows, dense and mixtures, whose predicted peak is a fifth of
/// the GPU's memory or more, each counting once (`cargo xtask score` prints it). Beyond the ends, where single rows decide, it is
/// drawn to 0 at half the prediction and to 1 at twice.
const MEMORY_RATIOS: [Quantile; 15] = [
    Quantile { share: 0.0, ratio: 0.5 },
    Quantile { share: 0.02, ratio: 0.62 },
    Quantile { share: 0.05, ratio: 0.80 },
    Quantile { share: 0.1, ratio: 0.88 },
    Quantile { share: 0.2, ratio: 0.95 },
    Quantile { share: 0.3, ratio: 0.97 },
    Quantile { share: 0.4, ratio: 0.98 },
    Quantile { share: 0.5, ratio: 0.99 },
    Quantile { share: 0.6, ratio: 1.01 },
    Quantile { share: 0.7, ratio: 1.03 },
    Quantile { share: 0.8, ratio: 1.05 },
    Quantile { share: 0.9, ratio: 1.10 },
    Quantile { share: 0.95, ratio: 1.16 },
    Quantile { share: 0.98, ratio: 1.34 },
    Quantile { share: 1.0, ratio: 2.0 },
];

/// Returns the distribution of measured over predicted peak memory.
pub fn memory_ratios() -> &'static [Quantile] {
    &MEMORY_RATIOS
}

/// Returns the odds that a run fits, 0 to 1.
pub fn fit_odds(report: &Report) -> f64 {
    // What the engine that generates takes is its share, not a prediction.
    if report.rollout.as_ref().is_some_and(|rollout| !rollout.fits()) {
        return 0.0;
    }
    odds::fit_odds(&report.memory, &MEMORY_RATIOS)
}

/// Returns whether a run fits, by its odds.
pub fn verdict(report: &Report) -> Verdict {
    Verdict::of(fit_odds(report))
}

/// Returns the range of the step time.
pub fn step_time(scenario: &Scenario) -> Band {
    if scenario.framework == Framework::Nanotron && scenario.degrees().pp > 1 {
        STALLING
    } else if scenario.report().mfu < FAST_MFU {
        HOST_BOUND
    } else {
        HARDWARE_BOUND
    }
}

/// Returns the range of the peak memory.
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
