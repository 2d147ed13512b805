//! Evaluation of one training step: memory, time, throughput, utilisation, limiter
//! (docs/book/model/overlap.md).

pub mod playback;
pub mod waterfall;
pub mod work_times;

use super::compute;
use super::compute::roofline::{Operator, language_model_costs};
use super::cost::OperatorCost;
use super::flops;
use super::memory::{self, NoRoom};
use super::pace;
use super::report::{Limiter, MemoryReport, Report, Update};
use super::rollout;
use super::setup::Setup;
use super::stages::{ByStage, Stage, stages};
use super::tower;
use crate::units::Flops;

/// Evaluates one step. Allocates nothing.
pub fn evaluate(setup: &Setup) -> Report {
    let stages = stages(setup);
    with_memory(setup, &stages, memory::peak(setup, &stages))
}

/// Evaluates one step if its memory fits, for searches through layouts, most of which do not fit
/// and need no times.
///
/// # Errors
///
/// Returns the part of the memory that exceeds the capacity.
pub fn evaluate_where_it_fits(setup: &Setup) -> Result<Report, NoRoom> {
    let stages = stages(setup);
    Ok(with_memory(setup, &stages, memory::peak_that_fits(setup, &stages)?))
}

/// Evaluates one step with known memory.
fn with_memory(setup: &Setup, stages: &ByStage<Stage>, memory: MemoryReport) -> Report {
    let time = pace::time(setup, stages);

    let seq_len = setup.attended();
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let tokens_per_replica =
        f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.seq_len) * micro_batches * setup.useful();
    let tokens_per_step = tokens_per_replica * f64::from(setup.mesh.replicas());
    let tokens_per_s_per_gpu = tokens_per_step / f64::from(setup.mesh.gpus()) / time.step.get();
    let model = flops::model_flops_per_token(setup);
    let keys = flops::counted_keys(&setup.architecture, seq_len, setup.mfu_convention);
    let executed = model + flops::beside_model_per_token(setup, keys);
    let peak = compute::peak(setup);
    let of_peak = |per_token: Flops| per_token.get() * tokens_per_s_per_gpu / peak.get();

    let rollout = setup.objective.task.generates().then(|| rollout::evaluate(setup, &time));
    let update = Update {
        time,
        tokens_per_s_per_gpu,
        model_flops_per_gpu: peak * of_peak(model),
        mfu: of_peak(model),
        hfu: of_peak(executed),
    };
    let report = Report {
        generation: setup.accelerator.generation,
        framework: setup.framework,
        memory,
        update,
        tokens_per_step,
        limiter: Limiter::Memory,
        rollout,
    };
    Report { limiter: if report.fits() { report.time_limiter() } else { Limiter::Memory }, ..report }
}

/// Returns the cost of every kind of work in one step, all micro-batches, on one GPU, averaged over
/// the stages. Element-wise work counts one operation for each element read or written, which does
/// not enter its time.
pub fn parts(setup: &Setup) -> [OperatorCost; Operator::ALL.len()] {
    let mut all = language_model_costs(setup);
    for (part, beside) in all.iter_mut().zip(tower::parts(setup)) {
        *part = *part + beside;
    }
    all
}
