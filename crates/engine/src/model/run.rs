//! From one step to a whole training run (docs/book/model/run.md): time, cost, energy, checkpoints,
//! failures, host memory.
//!
//! Every function accepts extreme inputs: a run that never ends has infinite time, and no result is
//! NaN.

pub mod batch;
pub mod budget;
pub mod checkpoint;
pub mod failures;
pub mod host;
pub mod report;

use super::report::Report;
use super::rollout;
use super::setup::Setup;
use crate::units::{BytesPerSecond, Seconds};
pub use host::HostMemory;
pub use report::RunReport;

/// Parameters of a run beyond its step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunChoices {
    /// Tokens to train on, D.
    pub tokens: f64,
    /// Price of one GPU for one hour, in US dollars.
    pub price_per_gpu_hour: f64,
    /// Energy of the data centre over energy of its computers (power usage effectiveness).
    pub pue: f64,
    /// Emissions of the grid, in grams of CO₂ equivalent a kWh.
    pub grid_intensity: f64,
    /// Rate of the file system for checkpoints, all nodes together.
    pub storage: BytesPerSecond,
    /// Mean time between failures of one GPU with its share of the surrounding hardware.
    pub mtbf: Seconds,
    /// Time from a failure until the run trains again.
    pub restart: Seconds,
    /// Time from one checkpoint to the next; zero for the optimal interval.
    pub checkpoint_interval: Seconds,
    /// Whether every rank writes its own part of a checkpoint, instead of one rank writing
    /// everything.
    pub sharded_checkpoint: bool,
    /// Whether the model is initialised unit by unit (the meta device), instead of whole on every
    /// rank.
    pub deferred_init: bool,
    /// Critical batch size in tokens, above which larger batches waste data.
    pub critical_batch_tokens: f64,
}

/// Evaluates the whole run around one evaluated step. Allocates nothing.
pub fn evaluate(setup: &Setup, report: &Report, choices: &RunChoices) -> RunReport {
    // A step that generates its training data is longer than its update, and may use more GPUs.
    let (step, gpus) = rollout::whole_step(setup, report);
    let batch_tokens = batch::global_batch_tokens(setup);
    let steps = steps_of(setup, choices);

    let checkpoint_size = checkpoint::size(setup);
    let write_time = checkpoint::write_time(setup, checkpoint_size, choices.storage, choices.sharded_checkpoint);
    let run_mtbf = failures::run_mtbf(choices.mtbf, gpus);
    let best_interval = failures::best_interval(write_time, run_mtbf);
    let interval = if choices.checkpoint_interval > Seconds::ZERO {
        choices.checkpoint_interval.max(write_time)
    } else {
        best_interval.max(write_time)
    };
    let goodput = failures::goodput(write_time, interval, run_mtbf, choices.restart);

    let ideal_time = steps * step;
    let time = budget::effective_time(ideal_time, goodput);
    let gpu_time = budget::gpu_time(time, gpus);
    let energy = budget::energy(gpu_time, setup.accelerator.power, choices.pue);
    RunReport {
        steps,
        batch_tokens,
        batch_efficiency: batch::token_efficiency(batch_tokens, choices.critical_batch_tokens),
        ideal_time,
        time,
        gpu_time,
        cost: budget::cost(gpu_time, choices.price_per_gpu_hour),
        energy,
        emissions: budget::emissions(energy, choices.grid_intensity),
        checkpoint_size,
        write_time,
        best_interval,
        interval,
        run_mtbf,
        interruptions: failures::interruptions(time, run_mtbf),
        goodput,
        host: HostMemory::new(setup, choices),
    }
}

/// Returns the optimizer steps of a run, whatever the time of a step.
pub fn steps_of(setup: &Setup, choices: &RunChoices) -> f64 {
    budget::steps(choices.tokens, batch::global_batch_tokens(setup))
}

/// Returns the product, with zero times infinity as zero.
fn times(one: f64, other: f64) -> f64 {
    if one == 0.0 || other == 0.0 { 0.0 } else { one * other }
}

/// Returns the ratio, with zero of zero and anything of infinity as zero.
fn share(part: f64, whole: f64) -> f64 {
    if part <= 0.0 || whole == f64::INFINITY { 0.0 } else { part / whole }
}
