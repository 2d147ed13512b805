//! Single changes of a scenario, and their costs.

use super::neighbour_layouts::with_count;
use engine::model::experts::Dispatcher;
use engine::model::software::Loss;
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{Optimizer, Recompute};
use engine::params::{self, ParamId};
use engine::scenario::issue::Severity;
use engine::scenario::{Scenario, Strategy};
use engine::units::{Bytes, BytesPerSecond};

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
    /// Another micro-batch size, with the same batch where it divides.
    MicroBatch(u32),
    /// Another tensor-parallel degree, with the same batch where it divides: the GPUs of one node,
    /// or the present degree halved once or more.
    TensorParallel(u32),
    /// Fewer pipeline stages, halved once or more, with the same batch where it divides.
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
    /// Adapters on a 4-bit base (QLoRA).
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

/// A change: an advisable change, or another option of a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// A change that may be advised.
    Change(Change),
    /// An option of a choice, by its index.
    Option(ParamId, usize),
}

/// Cost of a change to the user, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Price {
    /// A setting: model, tokens of a step and hardware stay, and the trained numbers change only by
    /// rounding.
    Free,
    /// Different training: another batch or length, other trainable weights, 8-bit moments.
    Training,
    /// Hardware.
    Bought,
}

impl Change {
    /// Cost of the change, as far as the change alone decides it.
    pub fn price(self) -> Price {
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
            | Self::Offload => Price::Free,
            Self::MicroBatches(_) | Self::Optimizer8bit | Self::SeqLen(_) | Self::Lora | Self::QLora => Price::Training,
            Self::Gpus(_) | Self::Link(_) | Self::Memory(_) => Price::Bought,
        }
    }
}

impl Turn {
    /// Cost of the change, as far as the change alone decides it.
    pub fn price(self) -> Price {
        match self {
            Self::Change(change) => change.price(),
            Self::Option(..) => Price::Free,
        }
    }

    /// Whether two changes are of one kind: two strategies, or two options of one choice.
    pub fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Change(one), Self::Change(other)) => {
                core::mem::discriminant(&one) == core::mem::discriminant(&other)
            }
            (Self::Option(one, _), Self::Option(other, _)) => one == other,
            _ => false,
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
        Change::MicroBatch(size) => micro_batches_of(&mut changed, size),
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

/// Sets the micro-batch. The batch stays if the micro-batch divides it: the number of micro-batches
/// changes inversely.
fn micro_batches_of(changed: &mut Scenario, size: u32) {
    let sequences = changed.micro_batch_size.saturating_mul(changed.grad_accum_steps);
    changed.micro_batch_size = size;
    if size > 0 && sequences.is_multiple_of(size) {
        let same = Scenario { grad_accum_steps: sequences / size, ..*changed };
        if params::is_within_bounds(ParamId::GradAccumSteps.param(), &same) {
            *changed = same;
        }
    }
}

/// Sets the strategy; a shard group smaller than the run becomes the data-parallel GPUs of one
/// node.
pub fn choose(scenario: &mut Scenario, strategy: Strategy) {
    let degrees = scenario.degrees();
    choose_with(scenario, strategy, degrees.tp.saturating_mul(degrees.cp));
}

/// Sets the strategy as [`choose`], given the GPUs that tensor and context parallelism join.
pub(super) fn choose_with(scenario: &mut Scenario, strategy: Strategy, inner: u32) {
    scenario.strategy = strategy;
    if strategy.uses_shard_size() {
        // The data-parallel GPUs of one node.
        scenario.shard_size = scenario.network.values.widest_inside(scenario.gpus, inner);
    }
}

/// Counts the errors of a scenario. A change may not add one; warnings and earlier errors may stay.
pub(super) fn errors(scenario: &Scenario) -> usize {
    engine::validate::issues(scenario).iter().filter(|issue| issue.severity == Severity::Error).count()
}
