//! What a whole run takes.

use super::host::HostMemory;
use crate::units::{Bytes, Dollars, Grams, Joules, Seconds};

/// The whole run. Times, and what follows from them, are infinite where failures come faster than
/// progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunReport {
    /// Optimizer steps.
    pub steps: f64,
    /// Tokens in one step, all GPUs.
    pub batch_tokens: f64,
    /// What a token teaches in a batch of this size, over what it would in a small one.
    pub batch_efficiency: f64,
    /// Time of the steps alone.
    pub ideal_time: Seconds,
    /// Time from start to end: steps, checkpoints, failures.
    pub time: Seconds,
    /// GPUs times time.
    pub gpu_time: Seconds,
    /// Price of that.
    pub cost: Dollars,
    /// Energy drawn from the grid.
    pub energy: Joules,
    /// CO₂ equivalent of that.
    pub emissions: Grams,
    /// One checkpoint.
    pub checkpoint_size: Bytes,
    /// Time to write it, while training waits.
    pub write_time: Seconds,
    /// The interval between checkpoints that loses least; infinite where nothing fails.
    pub best_interval: Seconds,
    /// The interval that is computed with: the chosen or the best one, at least the time to write.
    pub interval: Seconds,
    /// Mean time between failures of the run.
    pub run_mtbf: Seconds,
    /// Failures to expect from start to end.
    pub interruptions: f64,
    /// Share of the time that ends up in the model, 0 to 1.
    pub goodput: f64,
    /// Memory of the busiest host.
    pub host: HostMemory,
}

impl RunReport {
    /// Whether the run makes progress at all.
    pub fn finishes(&self) -> bool {
        self.goodput > 0.0
    }
}
