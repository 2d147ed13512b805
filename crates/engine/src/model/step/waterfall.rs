//! Breakdown of the time of a step, from the GPU's peak to the model FLOPs utilisation
//! (docs/book/model/overlap.md).

use super::parts;
use crate::model::choices::Choices;
use crate::model::compute::roofline::{Operator, memory_bound, operator_cost};
use crate::model::pace::{Pace, Passes, TimedStage, pace};
use crate::model::report::{Report, Work};
use crate::model::setup::Setup;
use crate::model::stages::stages;
use crate::model::training::Recompute;
use crate::units::Seconds;

/// A part of a step's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepPart {
    /// Matrix products below the peak: partly filled tiles, power limits, attention's softmax.
    Kernels,
    /// Padding tokens.
    Padding,
    /// Norms, activations, residuals, casts, the loss over the vocabulary: work at the rate of
    /// memory.
    MemoryBound,
    /// The optimizer's update.
    Optimizer,
    /// Recomputation in the backward pass.
    Recomputation,
    /// Forward passes without gradients, of reference models.
    Passes,
    /// Slow-down of compute that overlaps with collectives.
    Contention,
    /// Exposed all-gathers of weights.
    AllGather,
    /// Exposed reduce-scatters of gradients.
    ReduceScatter,
    /// Exposed all-reduces of gradients.
    AllReduce,
    /// Exchanges of tensor parallelism.
    Tensor,
    /// Exchanges of context parallelism.
    Context,
    /// Messages between the stages of a pipeline.
    Stages,
    /// Dispatch of tokens to their experts, and their return.
    Experts,
    /// Transfers of activations to the host and back.
    HostLink,
    /// The pipeline's bubble, in which the slowest stage is idle.
    Bubble,
    /// Compute of the slowest stage beyond that of the mean stage: the others are idle meanwhile.
    UnevenStages,
    /// Kernel launches that are slower than the kernels.
    Launches,
    /// Idle time for data.
    Loading,
    /// The model's FLOPs at the peak, which the MFU counts.
    Useful,
}

impl StepPart {
    /// Every part, in order from the peak to the MFU.
    pub const ALL: [Self; 20] = [
        Self::Kernels,
        Self::Padding,
        Self::MemoryBound,
        Self::Optimizer,
        Self::Recomputation,
        Self::Passes,
        Self::Contention,
        Self::AllGather,
        Self::ReduceScatter,
        Self::AllReduce,
        Self::Tensor,
        Self::Context,
        Self::Stages,
        Self::Experts,
        Self::HostLink,
        Self::Bubble,
        Self::UnevenStages,
        Self::Launches,
        Self::Loading,
        Self::Useful,
    ];
}

/// The time of each [`StepPart`], which add up to the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waterfall {
    times: [Seconds; StepPart::ALL.len()],
    /// Time of the step.
    pub step: Seconds,
}

impl Waterfall {
    /// Returns the time of a part.
    pub fn get(&self, part: StepPart) -> Seconds {
        self.times.get(part as usize).copied().unwrap_or_default()
    }

    /// Returns the share of a part in the step, 0 to 1; that of [`StepPart::Useful`] is the MFU,
    /// unless its convention counts more FLOPs than are executed.
    pub fn share(&self, part: StepPart) -> f64 {
        self.get(part) / self.step
    }

    fn with(mut self, part: StepPart, time: Seconds) -> Self {
        if let Some(slot) = self.times.get_mut(part as usize) {
            *slot += time.max(Seconds::ZERO);
        }
        self
    }

    fn total(&self) -> Seconds {
        self.times.iter().copied().sum()
    }
}

/// Splits the step of a report.
///
/// Compute is split like the roofline's parts, averaged over the stages: `F_model / S_peak` is
/// useful, the rest of the products' time is lost to kernels below the peak, and recomputation is
/// the difference to the step without it. What the slowest stage computes beyond the average is a
/// part of its own; the bubble is the report's. Communication is the exposed part, by lane.
///
/// A published step: GPT-3 175B on 1,536 A100 took 20.8 s, 141 TFLOP/s of 312 (arXiv 2104.04473,
/// table 2, whose FLOPs include recomputation); without recomputation a quarter less, 34 %. Full
/// recomputation is a quarter of the FLOPs, and the bubble of 12 stages and 96 micro-batches is 11
/// of 107 slots.
///
/// ```
/// # use links::decode;
/// # use engine::model::step::waterfall::{StepPart, waterfall};
/// let link = "cluster=selene&model=gpt-3-175b&gpus=1536&seq=2048&mbs=1&accum=96&recompute=full&recipe=zero-mixed\
///             &strategy=zero1&tp=8&sp=no&pp=12&framework=megatron-legacy&attnkernel=unfused";
/// let scenario = decode(link).scenario;
/// let report = scenario.report();
/// let split = waterfall(&scenario.setup(), &report);
/// assert!((split.share(StepPart::Useful) - report.update.mfu).abs() < 1e-12);
/// assert!((split.share(StepPart::Useful) - 0.34).abs() < 0.03);
/// assert!((split.share(StepPart::Bubble) - 11.0 / 107.0).abs() < 0.03);
/// // A fourth pass beside the forward pass and the backward pass, which counts as two.
/// let compute = report.update.time.compute / report.update.time.step;
/// assert!((split.share(StepPart::Recomputation) / compute - 0.25).abs() < 0.03);
/// ```
pub fn waterfall(setup: &Setup, report: &Report) -> Waterfall {
    let stages = stages(setup);
    let Pace { slowest: TimedStage { plan, .. }, .. } = pace(setup, &stages);
    let time = &report.update.time;
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let passes = Passes::new(setup, &plan);
    let nothing = Waterfall { times: [Seconds::ZERO; StepPart::ALL.len()], step: time.step };

    // Kernels of the slowest stage, without exchanges.
    let in_blocks = time.launch_bound - plan.waits_for_host() - passes.waits;
    let kernels = (micro_batches * plan.kernels() + plan.optimizer - in_blocks).max(Seconds::ZERO);
    let scored = passes.busy - passes.exchange - passes.waits;
    let split = split_compute(setup, report, kernels.min(time.compute), nothing)
        .with(StepPart::Launches, time.launch_bound)
        .with(StepPart::Loading, time.loading)
        .with(StepPart::Passes, scored)
        .with(StepPart::Contention, time.contention);

    // Exchanges are exposed by definition; the rest of the exposed time is gathers and reductions.
    let exchange = time.exchange.min(time.exposed_comm);
    let [tensor, context, neighbours] = plan.exchanged;
    let exchanges = [
        (StepPart::Tensor, tensor),
        (StepPart::Context, context),
        (StepPart::Stages, neighbours),
        (StepPart::Experts, plan.exposed_experts()),
        (StepPart::HostLink, plan.host_link() + passes.moving),
    ];
    let exposed = plan.exposed();
    let reduction = if plan.reduction == Work::AllReduce { StepPart::AllReduce } else { StepPart::ReduceScatter };
    let gathered = exposed.gather + plan.data_parallel.after_update + (passes.time - passes.busy);
    let shown = [
        (StepPart::AllGather, gathered),
        (reduction, exposed.reduce + plan.reductions() * plan.data_parallel.after_backward),
        (StepPart::AllReduce, exposed.replicate),
    ];
    let split = spread(spread(split, exchange, &exchanges), time.exposed_comm - exchange, &shown);
    // The remainder from rounding and unnamed time is added, so that the sum is the step.
    let split = split.with(StepPart::Bubble, time.bubble);
    let named = split.total();
    split.with(StepPart::UnevenStages, time.step - named)
}

/// Splits the time of the slowest stage's kernels.
fn split_compute(setup: &Setup, report: &Report, kernels: Seconds, nothing: Waterfall) -> Waterfall {
    let all = parts(setup);
    let once = Setup { choices: Choices { recompute: Recompute::None, ..setup.choices }, ..*setup };
    let needed = parts(&once);
    let sum = |parts: &[_; Operator::ALL.len()]| {
        Operator::ALL.into_iter().map(|operator| operator_cost(parts, operator).time).sum()
    };
    let (executed, without): (Seconds, Seconds) = (sum(&all), sum(&needed));
    let streams = memory_bound(&once, &needed);
    let optimizer = operator_cost(&needed, Operator::Optimizer).time;
    let products = (without - streams - optimizer).max(Seconds::ZERO);
    let useful = (report.update.mfu * report.update.time.step).min(kernels);
    let padding = (1.0 - setup.useful()) * products;
    let lost = [
        (StepPart::Kernels, products - padding - useful),
        (StepPart::Padding, padding),
        (StepPart::MemoryBound, streams),
        (StepPart::Optimizer, optimizer),
        (StepPart::Recomputation, executed - without),
    ];
    let lost = lost.map(|(part, time)| (part, time.max(Seconds::ZERO)));
    let all_lost: Seconds = lost.iter().map(|part| part.1).sum();
    let room = kernels - useful;
    let split = nothing.with(StepPart::Useful, useful);
    if all_lost > room {
        return spread(split, room, &lost);
    }
    let split = lost.iter().fold(split, |split, &(part, time)| split.with(part, time));
    split.with(StepPart::UnevenStages, room - all_lost)
}

/// Adds a time to parts in proportion to their own times; to the first part if all are zero.
fn spread(split: Waterfall, time: Seconds, parts: &[(StepPart, Seconds)]) -> Waterfall {
    let all: Seconds = parts.iter().map(|part| part.1).sum();
    if time <= Seconds::ZERO {
        return split;
    }
    if all <= Seconds::ZERO {
        return parts.first().map_or(split, |&(part, _)| split.with(part, time));
    }
    parts.iter().fold(split, |split, &(part, own)| split.with(part, time * (own / all)))
}
