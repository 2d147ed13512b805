//! Results of a whole run.

use super::host::HostMemory;
use crate::units::{Bytes, Dollars, Grams, Joules, Seconds};

/// The whole run. Times, and values derived from them, are infinite if failures outpace progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunReport {
    /// Optimizer steps.
    pub steps: f64,
    /// Tokens in one step, all GPUs.
    pub batch_tokens: f64,
    /// Efficiency of a token in a batch of this size relative to a small batch.
    pub batch_efficiency: f64,
    /// Time of the steps alone.
    pub ideal_time: Seconds,
    /// Time from start to end: steps, checkpoints, failures.
    pub time: Seconds,
    /// GPUs times time.
    pub gpu_time: Seconds,
    /// Price of the GPU time.
    pub cost: Dollars,
    /// Energy drawn from the grid.
    pub energy: Joules,
    /// Emissions of that energy, in CO₂ equivalent.
    pub emissions: Grams,
    /// Size of one checkpoint.
    pub checkpoint_size: Bytes,
    /// Time to write a checkpoint, during which training is paused.
    pub write_time: Seconds,
    /// The interval between checkpoints that loses least time; infinite without failures.
    pub best_interval: Seconds,
    /// The interval used: the chosen or the best one, at least the time to write a checkpoint.
    pub interval: Seconds,
    /// Mean time between failures of the run.
    pub run_mtbf: Seconds,
    /// Expected failures from start to end.
    pub interruptions: f64,
    /// Share of the time that advances training, 0 to 1.
    pub goodput: f64,
    /// Memory of the busiest host.
    pub host: HostMemory,
}

impl RunReport {
    /// Whether the run makes progress.
    pub fn finishes(&self) -> bool {
        self.goodput > 0.0
    }
}
