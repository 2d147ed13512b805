//! One training step put together: memory, time, throughput, utilisation, limiter (model.md section 6).

use super::compute::{self, UnitTimes};
use super::flops;
use super::memory;
use super::pipeline::{self, StageTimes};
use super::plan::StagePlan;
use super::report::{Lane, Limiter, Report, Span, TimeReport, Work};
use super::schedule::Phases;
use super::setup::Setup;
use super::stages::{Stage, stages};
use super::timeline;
use crate::units::{Flops, Seconds};

/// Evaluates one step. Allocates nothing.
pub fn evaluate(setup: &Setup) -> Report {
    let stages = stages(setup);
    let memory = memory::peak(setup, &stages);
    let time = time(setup, &stages);

    let seq_len = f64::from(setup.batch.seq_len);
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let tokens_per_replica = f64::from(setup.batch.micro_batch_size) * seq_len * micro_batches;
    let tokens_per_step = tokens_per_replica * f64::from(setup.mesh.replicas());
    let tokens_per_s_per_gpu = tokens_per_step / f64::from(setup.mesh.gpus()) / time.step.get();
    let model = flops::model_per_token(&setup.architecture, seq_len, setup.mfu_convention);
    let keys = flops::counted_keys(&setup.architecture, seq_len, setup.mfu_convention);
    let executed = model + flops::recomputed_per_token(setup, keys);
    let peak = compute::peak(setup);
    let of_peak = |per_token: Flops| per_token.get() * tokens_per_s_per_gpu / peak.get();

    Report {
        memory,
        time,
        tokens_per_step,
        tokens_per_s_per_gpu,
        model_flops_per_gpu: peak * of_peak(model),
        mfu: of_peak(model),
        hfu: of_peak(executed),
        limiter: if memory.fits() { time.limiter() } else { Limiter::Memory },
    }
}

/// Plays the step of the slowest stage span by span, in the order in which spans start on each lane. The pipeline's bubble
/// lies before the first micro-batch and after the last, in the proportion of forward and backward passes.
pub fn spans(setup: &Setup, sink: &mut impl FnMut(Span)) {
    let units = compute::unit_times(setup);
    let all = stages(setup);
    let [first, ..] = &all;
    let mut plan = StagePlan::new(setup, &units, first);
    let pipeline = slowest(setup, &units, &all, &mut plan);
    let last = setup.batch.grad_accum_steps.saturating_sub(1);
    let times = pipeline.slowest;
    let before = if times.both() > Seconds::ZERO { times.forward / times.both() } else { 0.0 };
    let mut now = Seconds::ZERO;
    let alone = |start: Seconds, work, lane, micro_batch, time: Seconds, sink: &mut dyn FnMut(Span)| {
        let end = start + time;
        if time > Seconds::ZERO {
            sink(Span { lane, work, layer: None, micro_batch, start, end });
        }
        end
    };
    now = alone(now, Work::Bubble, Lane::Compute, 0, before * pipeline.bubble, sink);
    for micro_batch in 0..setup.batch.grad_accum_steps {
        let comm = plan.comm(micro_batch == 0, micro_batch == last);
        now = timeline::play(&plan.compute, &comm, plan.reduction, micro_batch, now, sink);
        if plan.reduces(micro_batch == last) {
            now = alone(now, plan.reduction, Lane::Shard, micro_batch, plan.after_backward, sink);
        }
    }
    now = alone(now, Work::Bubble, Lane::Compute, last, (1.0 - before) * pipeline.bubble, sink);
    now = alone(now, Work::OptimizerStep, Lane::Compute, last, plan.optimizer, sink);
    alone(now, Work::AllGather, Lane::Shard, last, plan.after_update, sink);
}

/// The slowest stage's passes of one micro-batch, and how long it waits for the others.
struct Pipeline {
    slowest: StageTimes,
    bubble: Seconds,
}

/// The slowest stage; the first stage's plan becomes its plan.
fn slowest(setup: &Setup, units: &UnitTimes, stages: &[Stage; 3], chosen: &mut StagePlan) -> Pipeline {
    let [_, between, last] = stages;
    if setup.mesh.pp <= 1 {
        return Pipeline { slowest: StageTimes::default(), bubble: Seconds::ZERO };
    }
    let plans = [*chosen, StagePlan::new(setup, units, between), StagePlan::new(setup, units, last)];
    let counts = stages.map(|stage| stage.count);
    let mut times = [StageTimes::default(); 3];
    for ((times, plan), count) in times.iter_mut().zip(&plans).zip(counts) {
        let phases = plan.steady();
        *times = StageTimes {
            count,
            forward: phases.forward,
            backward: phases.backward,
            weight_gradient: deferrable(phases.forward + phases.backward, f64::from(plan.compute.layers), units),
        };
    }
    let pipeline = &setup.pipeline;
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let bubble = pipeline::bubble(pipeline.schedule, pipeline.virtual_stages, micro_batches, &times);
    let slowest = pipeline::slowest(&times);
    for (plan, its) in plans.iter().zip(&times) {
        if *its == slowest {
            *chosen = *plan;
            break;
        }
    }
    Pipeline { slowest, bubble }
}

/// The part of a stage's passes that can wait for a free moment, as its gradients of weights can. Passes that wait for the host
/// or for the network leave the bubble as it is; a third of them stays in any case.
fn deferrable(passes: Seconds, layers: f64, units: &UnitTimes) -> Seconds {
    let kernels = units.layer_forward + units.layer_backward - 2.0 * units.layer_weight_gradient;
    (passes - (layers * kernels).max(passes / 3.0)) / 2.0
}

fn time(setup: &Setup, stages: &[Stage; 3]) -> TimeReport {
    let units = compute::unit_times(setup);
    let [first, ..] = stages;
    let mut plan = StagePlan::new(setup, &units, first);
    let pipeline = slowest(setup, &units, stages, &mut plan);
    let Phases { forward, backward, busy } = plan.all_micro_batches();
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let reductions = plan.reductions();
    let backward = backward + reductions * plan.after_backward;
    let optimizer = plan.optimizer + plan.after_update;
    let exchange = micro_batches * plan.compute.exchanged();
    let compute = busy - exchange + plan.optimizer;
    let step = forward + backward + pipeline.bubble + optimizer;
    let shard = plan.shard_lane() + reductions * plan.after_backward + plan.after_update;
    let replicate = plan.replicate_lane();
    let crossing = |crosses: bool, time: Seconds| if crosses { time } else { Seconds::ZERO };
    TimeReport {
        step,
        forward,
        backward,
        optimizer,
        bubble: pipeline.bubble,
        compute,
        comm: shard + replicate + exchange,
        exposed_comm: (step - compute - pipeline.bubble).max(Seconds::ZERO),
        inter_node_comm: crossing(plan.shard_crosses, shard)
            + crossing(plan.replicate_crosses, replicate)
            + (micro_batches * plan.exchange_between_nodes).min(exchange),
        exchange,
        longest_lane: shard.max(replicate) + exchange,
        launch_bound: micro_batches * plan.launch_bound(&units),
    }
}
