//! What one evaluation answers. Plain numbers in fixed arrays: building a report allocates nothing.

use super::cost::Amount;
use super::hardware::Generation;
use super::rollout::report::RolloutReport;
use super::software::Framework;
use crate::units::{Bytes, FlopsPerSecond, Seconds};

/// What occupies GPU memory. The order is the order of every bar, table and legend.
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
    /// What one layer needs while it is computed or recomputed.
    WorkingSet,
    /// Output logits, their gradient and their fp32 copies.
    Logits,
    /// CUDA context, libraries and communicator buffers.
    Context,
    /// Gaps between blocks that the caching allocator can neither use nor give back.
    Fragmentation,
    /// Models beside the one that trains: reference, reward model, critic with its states.
    Models,
    /// What the engine that generates completions keeps while the policy trains.
    Engine,
    /// The encoder of images or sound with its projection: states, gathered weights, activations.
    Tower,
    /// Not needed: what PyTorch's allocator keeps for later and gives back under pressure, and
    /// paged optimizer state, which the driver moves to the host.
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

    /// Whether only some objectives or models have it: nobody who predicts the next token of text
    /// needs to read of it.
    pub const fn is_of_objective(self) -> bool {
        matches!(self, Self::Models | Self::Engine | Self::Tower)
    }
}

/// A number of bytes for each [`MemoryPart`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryParts([Bytes; MemoryPart::ALL.len()]);

impl MemoryParts {
    /// The bytes of one part.
    pub fn get(&self, part: MemoryPart) -> Bytes {
        self.0.get(part as usize).copied().unwrap_or_default()
    }

    /// The same parts with one set.
    #[must_use]
    pub fn with(mut self, part: MemoryPart, bytes: Bytes) -> Self {
        if let Some(slot) = self.0.get_mut(part as usize) {
            *slot = bytes;
        }
        self
    }

    /// All parts together.
    pub fn total(&self) -> Bytes {
        self.0.iter().copied().sum()
    }

    /// Each part with its bytes, in display order.
    pub fn iter(&self) -> impl Iterator<Item = (MemoryPart, Bytes)> + '_ {
        MemoryPart::ALL.into_iter().zip(self.0.iter().copied())
    }
}

/// The moment of a step at which memory peaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeakMoment {
    /// At the loss, with all activations and the logits alive.
    Loss,
    /// In the backward pass of the last layer, with its gradients beside the activations.
    Backward,
    /// At the optimizer step, after the activations are gone.
    Optimizer,
}

/// Memory of one GPU at its peak: **needed** + **cache** + **free** = capacity, where the run fits.
/// nvidia-smi shows needed + cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryReport {
    /// The parts alive at the peak.
    pub parts: MemoryParts,
    /// When the peak occurs.
    pub moment: PeakMoment,
    /// Tensors alive at the peak (`max_memory_allocated`).
    pub allocated: Bytes,
    /// Needed and cache: what the process holds at the peak, and nvidia-smi shows.
    pub peak: Bytes,
    /// What the process cannot do without: every part but the cache.
    pub needed: Bytes,
    /// The GPU's memory, as its maker names it.
    pub nominal: Bytes,
    /// The GPU's memory, as far as the driver leaves it to programs.
    pub capacity: Bytes,
}

impl MemoryReport {
    /// The report of a run whose memory is so many times the predicted one, each part alike.
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

    /// What PyTorch's allocator gives back under pressure, and paged optimizer state.
    pub fn cache(&self) -> Bytes {
        self.parts.get(MemoryPart::Cache)
    }

    /// Capacity less needed and cache; none where the run does not fit.
    pub fn free(&self) -> Bytes {
        (self.capacity - self.peak).max(Bytes::ZERO)
    }

    /// Capacity less needed: negative where the run does not fit.
    pub fn headroom(&self) -> Bytes {
        self.capacity - self.needed
    }

    /// Whether what is needed at the peak is within the capacity.
    pub fn fits(&self) -> bool {
        self.needed <= self.capacity
    }
}

/// The lanes and the phases of one step on the pipeline's slowest stage. `step` is the sum of the
/// three phases and the bubble; communication is either hidden under compute
/// ([`TimeReport::overlapped_comm`]) or not (`exposed_comm`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeReport {
    /// One optimizer step, all micro-batches.
    pub step: Seconds,
    /// Forward passes with their exposed communication.
    pub forward: Seconds,
    /// Backward passes (with recomputation) with their exposed communication.
    pub backward: Seconds,
    /// The optimizer's update and what follows it.
    pub optimizer: Seconds,
    /// Time spent waiting for the pipeline's other stages.
    pub bubble: Seconds,
    /// Time in which compute kernels run, the optimizer's among them, slowed by contention where
    /// they share the GPU.
    pub compute: Seconds,
    /// Time in which a collective runs, over all lanes that could run at once.
    pub comm: Seconds,
    /// Communication time during which no compute runs: `step - compute - bubble`.
    pub exposed_comm: Seconds,
    /// Communication that crosses nodes, of `comm`.
    pub inter_node_comm: Seconds,
    /// What tensor, context and pipeline parallelism exchange between compute kernels, of
    /// `exposed_comm`.
    pub exchange: Seconds,
    /// The busier of the two data-parallel lanes and the exchanges: the network limits when it
    /// outlasts compute.
    pub longest_lane: Seconds,
    /// Compute time that is only the host launching kernels: the floor above the kernels' own time.
    pub launch_bound: Seconds,
    /// Waiting for data: what the loaders take longer than all of the rest.
    pub loading: Seconds,
}

/// Share of compute time above which launching kernels, not running them, is what limits.
const LAUNCH_SHARE: f64 = 0.5;
/// Share of compute time above which waiting for the pipeline's other stages is what limits.
const BUBBLE_SHARE: f64 = 0.5;

impl TimeReport {
    /// Communication time hidden under compute, over all lanes.
    pub fn overlapped_comm(&self) -> Seconds {
        (self.comm - self.exposed_comm).max(Seconds::ZERO)
    }

    /// What limits the time, whether or not the step fits: data where the step waits for it, as
    /// nothing else would make it faster; the pipeline's bubble where it is half of compute and
    /// more than communication shows, the network where its busier lane outlasts compute, the
    /// host where launching takes half of compute's time, else compute.
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

/// What keeps the step from being faster (or from running at all).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    /// It does not fit in memory.
    Memory,
    /// Collectives between nodes outlast the compute that could hide them.
    InterNode,
    /// Collectives inside the node outlast the compute that could hide them.
    IntraNode,
    /// Compute outlasts communication.
    Compute,
    /// The host cannot launch kernels fast enough.
    Launch,
    /// The stages of the pipeline wait for each other.
    Bubble,
    /// The data loaders take longer than all of the rest.
    Data,
}

impl Limiter {
    /// Every limiter, in display order.
    pub const ALL: [Self; 7] =
        [Self::Memory, Self::InterNode, Self::IntraNode, Self::Compute, Self::Launch, Self::Bubble, Self::Data];
}

/// One training step, evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The silicon that it is of: what is measured on some is not on all.
    pub generation: Generation,
    /// What ran.
    pub framework: Framework,
    /// Memory of one GPU.
    pub memory: MemoryReport,
    /// Time of one step.
    pub time: TimeReport,
    /// Tokens that all GPUs process in one step.
    pub tokens_per_step: f64,
    /// Throughput of one GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Model FLOP/s of one GPU under the chosen convention.
    pub model_flops_per_gpu: FlopsPerSecond,
    /// Model FLOPs utilisation under the chosen convention. The full-attention convention counts
    /// score pairs that a causal mask never computes, so very long sequences on fast kernels can
    /// exceed 1.
    pub mfu: f64,
    /// Hardware FLOPs utilisation: the same count with what is recomputed.
    pub hfu: f64,
    /// What limits the run.
    pub limiter: Limiter,
    /// Generation and all of a step, where a step generates what it trains on: memory and time
    /// above are the update's.
    pub rollout: Option<RolloutReport>,
}

impl Report {
    /// Whether the run fits in memory, generation too where a step generates.
    pub fn fits(&self) -> bool {
        self.memory.fits() && self.rollout.as_ref().is_none_or(RolloutReport::fits)
    }
}

/// A step as a person waits for it: rollout, scoring and all updates where the step generates what
/// it trains on, else the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WholeStep {
    /// Its time.
    pub time: Seconds,
    /// Tokens trained on, a second and GPU; GPUs that only generate count too.
    pub tokens_per_s_per_gpu: f64,
    /// Model FLOPs utilisation of the training over the whole time.
    pub mfu: f64,
    /// Share of the time that the rollout takes, 0 to 1.
    pub rollout: f64,
}

impl Report {
    /// The whole step.
    pub fn whole(&self) -> WholeStep {
        let Some(rollout) = &self.rollout else {
            let (time, mfu) = (self.time.step, self.mfu);
            return WholeStep { time, tokens_per_s_per_gpu: self.tokens_per_s_per_gpu, mfu, rollout: 0.0 };
        };
        let time = rollout.step();
        let training = self.tokens_per_step / self.tokens_per_s_per_gpu / self.time.step.get();
        let share = rollout.update / time * training / (training + f64::from(rollout.own_gpus));
        WholeStep {
            time,
            tokens_per_s_per_gpu: share * self.tokens_per_s_per_gpu,
            mfu: share * self.mfu,
            rollout: rollout.time() / time,
        }
    }

    /// Whether the rollout takes most of the step.
    pub fn waits_for_rollout(&self) -> bool {
        self.fits() && self.whole().rollout > 0.5
    }
}

/// Which lane of the timeline a span occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Compute kernels.
    Compute,
    /// Gathers and reductions of the shard group.
    Shard,
    /// Reductions across replicas of the shard group.
    Replicate,
    /// Tokens on their way to their experts and back.
    AllToAll,
    /// What tensor, context and pipeline parallelism exchange.
    Exchange,
}

impl Lane {
    /// Every lane, in display order.
    pub const ALL: [Self; 5] = [Self::Compute, Self::Shard, Self::Replicate, Self::AllToAll, Self::Exchange];
}

/// What a span of the timeline does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Embedding look-up, forward.
    EmbeddingForward,
    /// One layer, forward.
    LayerForward,
    /// Output head and loss, forward and backward.
    Head,
    /// One layer, backward with its recomputation.
    LayerBackward,
    /// Products of a chunk of a layer's routed experts, of either pass.
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
    /// All-to-all of a chunk of tokens to their experts; backward, of the gradients of what they
    /// gave.
    Dispatch,
    /// All-to-all of what the experts gave back to the tokens' GPUs; backward, of the gradients of
    /// their input.
    Combine,
    /// Exchange of activations within a layer or between stages.
    Exchange,
    /// Waiting for the pipeline's other stages.
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
    /// Where it is drawn.
    pub lane: Lane,
    /// What it does.
    pub work: Work,
    /// The layer (0-based), or `None` for the root unit and the optimizer.
    pub layer: Option<u32>,
    /// The micro-batch (0-based).
    pub micro_batch: u32,
    /// Start, from the start of the step.
    pub start: Seconds,
    /// End, from the start of the step.
    pub end: Seconds,
    /// What it computes or moves; `None` where nothing is counted, as of a bubble.
    pub amount: Option<Amount>,
}
