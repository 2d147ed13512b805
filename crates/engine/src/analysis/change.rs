//! Single changes of a scenario, and what they make of it.

use super::degrees::with_count;
use crate::model::experts::Dispatcher;
use crate::model::software::Loss;
use crate::model::trained::{BaseFormat, Method};
use crate::model::training::{Optimizer, Recompute};
use crate::params::ParamId;
use crate::scenario::{Scenario, Strategy};
use crate::units::{Bytes, BytesPerSecond};

/// A single change to a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Another sharding strategy; hybrid sharding and resharding use one node as the smaller group.
    Strategy(Strategy),
    /// A larger shard group, doubled until the run fits.
    ShardSize(u32),
    /// Another recomputation mode.
    Recompute(Recompute),
    /// Another sharding strategy together with another recomputation mode.
    Both(Strategy, Recompute),
    /// Another micro-batch size.
    MicroBatch(u32),
    /// Another tensor-parallel degree, with the same batch where it divides: the GPUs of one node, or half the present degree.
    TensorParallel(u32),
    /// Half as many pipeline stages, with the same batch where it divides.
    Pipeline(u32),
    /// Another expert-parallel degree: the GPUs of one node, twice or half the present degree.
    ExpertParallel(u32),
    /// Dispatch kernels that send each token once (DeepEP).
    FusedDispatcher,
    /// Twice as many micro-batches a step, to shrink the pipeline bubble.
    MicroBatches(u32),
    /// A fused loss, which never materialises fp32 logits.
    FusedLoss,
    /// Optimizer state in host memory, and the weights too where they are sharded.
    Offload,
    /// An optimizer with 8-bit state.
    Optimizer8bit,
    /// Adapters in place of all weights (LoRA).
    Lora,
    /// Adapters beside a base of 4 bits (QLoRA).
    QLora,
    /// A shorter sequence: the longest power of two that fits.
    SeqLen(u32),
    /// More GPUs: twice as many, doubled further until the run fits.
    Gpus(u32),
    /// Twice the inter-node link bandwidth, in Gbit/s.
    Link(f64),
    /// More memory on each GPU, in GiB: twice as much, doubled further until the run fits.
    Memory(f64),
}

/// A change: one of those that are advised, or another option of a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// A change that may be advised.
    Change(Change),
    /// An option of a choice, by its index.
    Option(ParamId, usize),
}

impl Change {
    /// Ranks the effort of the change: 0 for a setting, then another task, more of the same
    /// hardware, other hardware.
    pub fn effort(self) -> u8 {
        match self {
            Self::Strategy(_)
            | Self::ShardSize(_)
            | Self::Recompute(_)
            | Self::Both(..)
            | Self::MicroBatch(_)
            | Self::TensorParallel(_)
            | Self::Pipeline(_)
            | Self::ExpertParallel(_)
            | Self::FusedDispatcher
            | Self::FusedLoss
            | Self::Offload => 0,
            Self::MicroBatches(_) | Self::Optimizer8bit | Self::SeqLen(_) | Self::Lora | Self::QLora => 1,
            Self::Gpus(_) => 2,
            Self::Link(_) | Self::Memory(_) => 3,
        }
    }
}

/// Returns the scenario with a change applied.
pub fn apply(scenario: &Scenario, change: Change) -> Scenario {
    let mut changed = *scenario;
    match change {
        Change::Strategy(strategy) => choose(&mut changed, strategy),
        Change::Both(strategy, mode) => {
            choose(&mut changed, strategy);
            changed.recompute = mode;
        }
        Change::ShardSize(size) => changed.shard_size = size,
        Change::Recompute(mode) => changed.recompute = mode,
        Change::MicroBatch(size) => changed.micro_batch_size = size,
        Change::TensorParallel(tp) => changed = with_count(scenario, ParamId::Tp, tp),
        Change::Pipeline(pp) => changed = with_count(scenario, ParamId::Pp, pp),
        Change::ExpertParallel(ep) => changed.ep = ep,
        Change::FusedDispatcher => changed.experts.dispatcher = Dispatcher::Fused,
        Change::MicroBatches(steps) => changed.grad_accum_steps = steps,
        Change::FusedLoss => changed.kernels.loss = Loss::Fused,
        Change::Offload => {
            changed.offload.optimizer = true;
            changed.offload.parameters = scenario.strategy.shards_weights();
        }
        Change::Optimizer8bit => changed.optimizer = Optimizer::AdamW8bit,
        Change::Lora => changed.trained.method = Method::Lora,
        Change::QLora => {
            (changed.trained.method, changed.trained.base) = (Method::Lora, BaseFormat::Nf4Double);
        }
        Change::SeqLen(seq_len) => changed.seq_len = seq_len,
        Change::Gpus(gpus) => changed.gpus = gpus,
        Change::Link(gbit) => changed.network.values.inter_node = BytesPerSecond::from_gbit_per_s(gbit),
        Change::Memory(gib) => changed.accelerator.values.memory = Bytes::from_gib(gib),
    }
    changed
}

/// Sets the strategy; a shard group smaller than the run is the data-parallel GPUs of one node.
pub fn choose(scenario: &mut Scenario, strategy: Strategy) {
    scenario.strategy = strategy;
    if strategy.uses_shard_size() {
        // The data-parallel GPUs of one node.
        let degrees = scenario.degrees();
        let inner = degrees.tp.saturating_mul(degrees.cp);
        scenario.shard_size = scenario.network.values.widest_inside(scenario.gpus, inner);
    }
}
