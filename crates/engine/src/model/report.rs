//! Results of one evaluation. Plain numbers in fixed arrays: building a report allocates nothing.

pub mod rollout;

use self::rollout::RolloutReport;
use super::cost::Amount;
use super::hardware::Generation;
use super::odds::{CEILING, Curve, PeakKind, SMALL_USE, Verdict};
use super::software::Framework;
use crate::units::{Bytes, FlopsPerSecond, Seconds};

/// A part of GPU memory. The order is that of every bar, table and legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryPart {
    /// Weights at rest on this GPU.
    Weights,
    /// Gradients at rest on this GPU.
    Gradients,
    /// Optimizer state on this GPU.
    Optimizer,
    /// Weights gathered for compute, beyond those at rest.
    GatheredWeights,
    /// Gradients not yet reduced, and the buffers of their reduction.
    UnreducedGradients,
    /// Activations kept from the forward pass for the backward pass.
    Activations,
    /// Memory of one layer while it is computed or recomputed.
    WorkingSet,
    /// Output logits, their gradient and their fp32 copies.
    Logits,
    /// CUDA context, libraries and communicator buffers.
    Context,
    /// Gaps between blocks that the caching allocator can neither use nor release.
    Fragmentation,
    /// Models besides the trained one: reference, reward model, critic with its states.
    Models,
    /// Memory that the generation engine keeps while the policy trains.
    Engine,
    /// The encoder of images or sound with its projection: states, gathered weights, activations.
    Tower,
    /// Not needed: memory that PyTorch's allocator reserves and releases under pressure, and paged
    /// optimizer state, which the driver moves to the host.
    Cache,
}

impl MemoryPart {
    /// Every part, in display order.
    pub const ALL: [Self; 14] = [
        Self::Weights,
        Self::Gradients,
        Self::Optimizer,
        Self::GatheredWeights,
        Self::UnreducedGradients,
        Self::Activations,
        Self::WorkingSet,
        Self::Logits,
        Self::Context,
        Self::Fragmentation,
        Self::Models,
        Self::Engine,
        Self::Tower,
        Self::Cache,
    ];

    /// Whether only some objectives or models have the part, so that it is hidden when a text model
    /// predicts the next token.
    pub const fn is_of_objective(self) -> bool {
        matches!(self, Self::Models | Self::Engine | Self::Tower)
    }
}

/// A number of bytes for each [`MemoryPart`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryParts([Bytes; MemoryPart::ALL.len()]);

impl MemoryParts {
    /// Returns the bytes of one part.
    pub fn get(&self, part: MemoryPart) -> Bytes {
        self.0.get(part as usize).copied().unwrap_or_default()
    }

    /// Returns the parts with one of them set.
    #[must_use]
    pub fn with(mut self, part: MemoryPart, bytes: Bytes) -> Self {
        if let Some(slot) = self.0.get_mut(part as usize) {
            *slot = bytes;
        }
        self
    }

    /// Returns the sum of all parts.
    pub fn total(&self) -> Bytes {
        self.0.iter().copied().sum()
    }

    /// Iterates over the parts with their bytes, in display order.
    pub fn iter(&self) -> impl Iterator<Item = (MemoryPart, Bytes)> + '_ {
        MemoryPart::ALL.into_iter().zip(self.0.iter().copied())
    }
}

/// The moment of a step at which memory peaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeakMoment {
    /// At the loss, with all activations and the logits alive.
    Loss,
    /// In the backward pass of the last layer, with its gradients in addition to the activations.
    Backward,
    /// At the optimizer step, after the activations are freed.
    Optimizer,
}

/// Memory of one GPU at its peak: **needed** + **cache** + **free** = capacity, if the run fits.
/// nvidia-smi shows needed + cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryReport {
    /// The parts alive at the peak.
    pub parts: MemoryParts,
    /// The moment of the peak.
    pub moment: PeakMoment,
    /// Tensors alive at the peak (`max_memory_allocated`).
    pub allocated: Bytes,
    /// Needed and cache: memory that the process holds at the peak, as shown by nvidia-smi.
    pub peak: Bytes,
    /// Memory without which the run fails: every part but the cache.
    pub needed: Bytes,
    /// Nominal memory of the GPU.
    pub nominal: Bytes,
    /// Memory that the driver leaves to programs.
    pub capacity: Bytes,
    /// The odds of fitting, by capacity over needed, of runs on this framework and silicon.
    pub curve: Curve,
}

impl MemoryReport {
    /// Returns the report with every part multiplied by `times`, the ratio of measured to predicted
    /// memory.
    #[must_use]
    pub fn scaled(self, times: f64) -> Self {
        if times == 1.0 {
            return self;
        }
        let needed = self.needed * times;
        let room = (self.capacity - needed).max(Bytes::ZERO);
        let cache = self.cache() * times;
        let cache = if cache < room { cache } else { room };
        let parts = MemoryParts(self.parts.0.map(|bytes| bytes * times)).with(MemoryPart::Cache, cache);
        Self { parts, allocated: self.allocated * times, peak: needed + cache, needed, ..self }
    }

    /// Returns the memory that PyTorch's allocator releases under pressure, and paged optimizer
    /// state.
    pub fn cache(&self) -> Bytes {
        self.parts.get(MemoryPart::Cache)
    }

    /// Returns capacity less needed and cache; zero if the run needs more than the capacity.
    pub fn free(&self) -> Bytes {
        (self.capacity - self.peak).max(Bytes::ZERO)
    }

    /// Returns capacity less needed: negative if the run needs more than the capacity.
    pub fn headroom(&self) -> Bytes {
        self.capacity - self.needed
    }

    /// Whether the run needs no more than the capacity. If it needs nearly all of it, it does not
    /// fit nevertheless ([`Self::fits`]).
    pub fn is_within(&self) -> bool {
        self.needed <= self.capacity
    }

    /// Returns the odds that the run fits, from [`super::odds::FLOOR`] to [`CEILING`].
    pub fn odds(&self) -> f64 {
        if self.needed <= Bytes::ZERO { CEILING } else { self.curve.odds(self.capacity / self.needed) }
    }

    /// Returns the most that the run may need to fit: less than the capacity, as predictions err.
    pub fn most_needed(&self) -> Bytes {
        self.curve.most_needed(self.capacity)
    }

    /// Whether at least half of such runs fit ([`super::odds::HALF`]).
    pub fn fits(&self) -> bool {
        self.needed <= self.most_needed()
    }
}

/// Times of one step on the pipeline's slowest stage, by lane and by phase. `step` is the sum of
/// the three phases and the bubble; communication is either hidden under compute
/// ([`TimeReport::overlapped_comm`]) or exposed (`exposed_comm`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeReport {
    /// One optimizer step, all micro-batches.
    pub step: Seconds,
    /// Forward passes with their exposed communication.
    pub forward: Seconds,
    /// Backward passes (with recomputation) with their exposed communication.
    pub backward: Seconds,
    /// The optimizer's update and subsequent communication.
    pub optimizer: Seconds,
    /// Idle time due to the pipeline's other stages.
    pub bubble: Seconds,
    /// Time in which compute kernels run, including the optimizer's, slowed by contention with
    /// collectives.
    pub compute: Seconds,
    /// Part of `compute` by which collectives slow the kernels beside them. That of forward passes
    /// without gradients is not counted.
    pub contention: Seconds,
    /// Time in which a collective runs, over all lanes that can run concurrently.
    pub comm: Seconds,
    /// Communication time during which no compute runs: `step - compute - bubble`.
    pub exposed_comm: Seconds,
    /// Part of `comm` that crosses nodes.
    pub inter_node_comm: Seconds,
    /// Part of `exposed_comm` for exchanges of tensor, context and pipeline parallelism between
    /// compute kernels.
    pub exchange: Seconds,
    /// Part of `exchange` for activations on their way to the host and back, which no network
    /// carries.
    pub host_link: Seconds,
    /// Time of the busiest of the two data-parallel lanes and the exchanges: the network is the
    /// limit if it exceeds compute.
    pub longest_lane: Seconds,
    /// Part of the compute time in which the host launches kernels, beyond the kernels' own time.
    pub launch_bound: Seconds,
    /// Time in which the step is idle for data: the loaders' time beyond that of everything else.
    pub loading: Seconds,
}

/// The network's part of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetworkCost {
    /// Collectives during which nothing is computed.
    pub waiting: Seconds,
    /// Slow-down of the kernels that run beside collectives.
    pub slowed: Seconds,
}

impl NetworkCost {
    /// Returns the sum of both.
    pub fn total(&self) -> Seconds {
        self.waiting + self.slowed
    }
}

/// Share of compute time above which kernel launches are the limit.
const LAUNCH_SHARE: f64 = 0.5;
/// Share of compute time above which the pipeline's bubble is the limit.
const BUBBLE_SHARE: f64 = 0.5;

impl TimeReport {
    /// Returns the communication time hidden under compute, over all lanes.
    pub fn overlapped_comm(&self) -> Seconds {
        (self.comm - self.exposed_comm).max(Seconds::ZERO)
    }

    /// Returns what the network costs the step: the time that it waits for collectives, and the
    /// time by which they slow kernels. In a step of one pipeline stage whose host keeps up, the
    /// sum is the step less the step whose collectives take no time.
    pub fn network(&self) -> NetworkCost {
        NetworkCost { waiting: (self.exposed_comm - self.host_link).max(Seconds::ZERO), slowed: self.contention }
    }

    /// Returns the limit of the update's time, whether or not the run fits: data if it is idle
    /// for it, as nothing else would speed it up; the pipeline's bubble if it exceeds half of
    /// compute and the exposed communication; the network if its busiest lane exceeds compute; the
    /// host if launches exceed half of compute; otherwise compute.
    pub fn limiter(&self) -> Limiter {
        if self.loading > Seconds::ZERO {
            Limiter::Data
        } else if self.bubble > BUBBLE_SHARE * self.compute && self.bubble > self.exposed_comm {
            Limiter::Bubble
        } else if self.longest_lane > self.compute {
            if 2.0 * self.inter_node_comm >= self.comm { Limiter::InterNode } else { Limiter::IntraNode }
        } else if self.launch_bound > LAUNCH_SHARE * self.compute {
            Limiter::Launch
        } else {
            Limiter::Compute
        }
    }
}

/// The reason why the step is not faster, or cannot run at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    /// The run does not fit in memory.
    Memory,
    /// Collectives between nodes outlast the compute that could hide them.
    InterNode,
    /// Collectives inside the node outlast the compute that could hide them.
    IntraNode,
    /// Compute outlasts communication.
    Compute,
    /// The host cannot launch kernels fast enough.
    Launch,
    /// The bubble of the pipeline.
    Bubble,
    /// The data loaders take longer than everything else.
    Data,
    /// Generation of the training data takes most of the step.
    Rollout,
}

impl Limiter {
    /// Every limiter, in display order.
    pub const ALL: [Self; 8] = [
        Self::Memory,
        Self::InterNode,
        Self::IntraNode,
        Self::Compute,
        Self::Launch,
        Self::Bubble,
        Self::Data,
        Self::Rollout,
    ];
}

/// One update of the weights: an optimizer step over data that is there. It is the whole step if
/// nothing is generated; otherwise [`Report::whole`] is the answer to a person's question, and the
/// update a part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Time of the update.
    pub time: TimeReport,
    /// Throughput of one GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Model FLOP/s of one GPU under the chosen convention.
    pub model_flops_per_gpu: FlopsPerSecond,
    /// Model FLOPs utilisation under the chosen convention. The full-attention convention counts
    /// score pairs that a causal mask never computes, so very long sequences on fast kernels can
    /// exceed 1.
    pub mfu: f64,
    /// Hardware FLOPs utilisation: model FLOPs plus recomputation.
    pub hfu: f64,
}

/// Results for one training step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The accelerator's generation, as some measurements only apply to some generations.
    pub generation: Generation,
    /// The framework.
    pub framework: Framework,
    /// Memory of one GPU while it trains.
    pub memory: MemoryReport,
    /// One update, without generation: [`Report::whole`] has both.
    pub update: Update,
    /// Tokens that all GPUs process in one update.
    pub tokens_per_step: f64,
    /// The limit of the whole step.
    pub limiter: Limiter,
    /// Generation and the phases of the whole step, if a step generates its training data.
    pub rollout: Option<RolloutReport>,
}

impl Report {
    /// Whether at least half of such runs fit in GPU memory, and so does generation.
    pub fn fits(&self) -> bool {
        self.memory.fits() && self.rollout.as_ref().is_none_or(RolloutReport::fits)
    }

    /// Returns the odds that the run fits in GPU memory, 0 to 1: 0 where generation does not, as
    /// the memory of an inference engine is a configured share and not a prediction.
    pub fn odds(&self) -> f64 {
        if self.rollout.as_ref().is_none_or(RolloutReport::fits) { self.memory.odds() } else { 0.0 }
    }

    /// Returns the kind of the run by the expected error of its peak.
    pub fn peak_kind(&self) -> PeakKind {
        let stack = self.stack_kind();
        let is_measured = matches!(stack, PeakKind::Trainers | PeakKind::Torchtitan | PeakKind::Megatron);
        let is_small = self.memory.peak < SMALL_USE * self.memory.capacity;
        if is_measured && is_small { PeakKind::Small } else { stack }
    }

    /// Returns the kind of the run without regard to [`PeakKind::Small`]. The odds use this kind:
    /// otherwise a run could change its kind on a larger GPU, and its odds could fall.
    pub fn stack_kind(&self) -> PeakKind {
        PeakKind::of_stack(self.framework, self.generation)
    }

    /// Returns the verdict on the GPU memory; the hosts are not considered.
    pub fn verdict(&self) -> Verdict {
        if self.fits() { Verdict::from_odds(self.odds()) } else { Verdict::DoesNotFit }
    }

    /// Whether the run fits surely, with the odds of [`Verdict::Fits`].
    pub fn is_sure(&self) -> bool {
        self.verdict() == Verdict::Fits
    }

    /// Returns the limit of the whole step's time, whether or not the run fits: the rollout if it
    /// takes most of the step, otherwise the limit of the update.
    pub fn time_limiter(&self) -> Limiter {
        match &self.rollout {
            Some(rollout) if rollout.is_longest() => Limiter::Rollout,
            _ => self.update.time.limiter(),
        }
    }

    /// Returns what the network costs the updates of a whole step. The transfer of weights to the
    /// engine is counted as rollout.
    pub fn network(&self) -> NetworkCost {
        let (NetworkCost { waiting, slowed }, updates) = (self.update.time.network(), self.whole().updates);
        NetworkCost { waiting: updates * waiting, slowed: updates * slowed }
    }

    /// Whether the rollout takes most of a step that fits.
    pub fn waits_for_rollout(&self) -> bool {
        self.limiter == Limiter::Rollout
    }
}

/// A whole step from the user's point of view: rollout, scoring and all updates if the step
/// generates its training data, otherwise the training step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WholeStep {
    /// Time of the whole step.
    pub time: Seconds,
    /// Trained tokens per second and GPU; GPUs that only generate are counted.
    pub tokens_per_s_per_gpu: f64,
    /// Model FLOP/s of training of one GPU over the whole time.
    pub model_flops_per_gpu: FlopsPerSecond,
    /// Model FLOPs utilisation of training over the whole time.
    pub mfu: f64,
    /// Hardware FLOPs utilisation of training over the whole time.
    pub hfu: f64,
    /// Share of the rollout in the time, 0 to 1.
    pub rollout: f64,
    /// Time of sending the updated weights to the engine.
    pub refit: Seconds,
    /// Time of generation: prompts and completions.
    pub generation: Seconds,
    /// Time of preparation for the updates: scores of the completions, and training state that
    /// leaves the GPU for generation and returns.
    pub preparation: Seconds,
    /// Time of all updates, those of the critic included.
    pub update: Seconds,
    /// Updates of the policy ([`Report::update`]); 1 if nothing is generated.
    pub updates: f64,
}

impl Report {
    /// Returns the whole step.
    pub fn whole(&self) -> WholeStep {
        let own = &self.update;
        let Some(rollout) = &self.rollout else { return self.whole_of(own.time.step, 1.0) };
        let time = rollout.step();
        let training = self.tokens_per_step / own.tokens_per_s_per_gpu / own.time.step.get();
        let share = rollout.update / time * training / (training + f64::from(rollout.own_gpus));
        WholeStep {
            rollout: rollout.time() / time,
            refit: rollout.sync,
            generation: rollout.prefill + rollout.decode,
            preparation: rollout.scoring + rollout.moving,
            update: rollout.update + rollout.critic,
            updates: rollout.update / own.time.step,
            ..self.whole_of(time, share)
        }
    }

    /// Returns a step of `time` in which the GPUs update for a `share` of it, 0 to 1, and nothing
    /// is generated.
    fn whole_of(&self, time: Seconds, share: f64) -> WholeStep {
        let own = &self.update;
        WholeStep {
            time,
            tokens_per_s_per_gpu: share * own.tokens_per_s_per_gpu,
            model_flops_per_gpu: share * own.model_flops_per_gpu,
            mfu: share * own.mfu,
            hfu: share * own.hfu,
            rollout: 0.0,
            refit: Seconds::ZERO,
            generation: Seconds::ZERO,
            preparation: Seconds::ZERO,
            update: time,
            updates: 1.0,
        }
    }
}

/// A lane of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Compute kernels.
    Compute,
    /// Gathers and reductions of the shard group.
    Shard,
    /// Reductions across replicas of the shard group.
    Replicate,
    /// Dispatch of tokens to their experts, and their return.
    AllToAll,
    /// Exchanges of tensor, context and pipeline parallelism.
    Exchange,
}

impl Lane {
    /// Every lane, in display order.
    pub const ALL: [Self; 5] = [Self::Compute, Self::Shard, Self::Replicate, Self::AllToAll, Self::Exchange];
}

/// The work of a span of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Embedding look-up, forward.
    EmbeddingForward,
    /// One layer, forward.
    LayerForward,
    /// Output head and loss, forward and backward.
    Head,
    /// One layer, backward including recomputation.
    LayerBackward,
    /// Products of a chunk of a layer's routed experts, in either pass.
    Experts,
    /// Embedding, backward.
    EmbeddingBackward,
    /// The optimizer's update.
    OptimizerStep,
    /// All-gather of one unit's weights.
    AllGather,
    /// Reduce-scatter of one unit's gradients.
    ReduceScatter,
    /// All-reduce of one unit's gradients or gradient shards.
    AllReduce,
    /// All-to-all of a chunk of tokens to their experts; backward, of the gradients of the experts'
    /// outputs.
    Dispatch,
    /// All-to-all of the experts' outputs back to the tokens' GPUs; backward, of the gradients of
    /// the experts' inputs.
    Combine,
    /// Exchange of activations within a layer or between stages.
    Exchange,
    /// Idle time due to the pipeline's other stages.
    Bubble,
}

impl Work {
    /// Every kind of work, in display order.
    pub const ALL: [Self; 14] = [
        Self::EmbeddingForward,
        Self::LayerForward,
        Self::Head,
        Self::LayerBackward,
        Self::Experts,
        Self::EmbeddingBackward,
        Self::OptimizerStep,
        Self::AllGather,
        Self::ReduceScatter,
        Self::AllReduce,
        Self::Dispatch,
        Self::Combine,
        Self::Exchange,
        Self::Bubble,
    ];
}

/// One bar of the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The lane of the span.
    pub lane: Lane,
    /// The work of the span.
    pub work: Work,
    /// The layer (0-based), or `None` for the root unit and the optimizer.
    pub layer: Option<u32>,
    /// The micro-batch (0-based).
    pub micro_batch: u32,
    /// Start, from the start of the step.
    pub start: Seconds,
    /// End, from the start of the step.
    pub end: Seconds,
    /// FLOPs or traffic of the span; `None` if nothing is counted, as for a bubble.
    pub amount: Option<Amount>,
}
