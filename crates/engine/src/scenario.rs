//! Every choice a user can make, and its validation, which returns sentences and never panics.

pub mod data;
pub mod expressed;
pub mod issue;
pub mod layers;
mod model;
pub mod overheads;
pub mod pins;
pub mod release;
pub mod resolve;
mod teacher;

use crate::model::anchor::Anchor;
use crate::model::choices::Choices;
use crate::model::hardware::{Accelerator, Network, Topology};
use crate::model::run::RunChoices;
use data::TextList;
pub use model::Model;
use release::Known as Release;
use std::ops::{Deref, DerefMut};

/// The identifier of a catalog entry, or [`CUSTOM`].
pub type Id = &'static str;

/// The identifier of values that the user typed rather than picked.
pub const CUSTOM: Id = "custom";

/// Values with the catalog entry that they come from; edited values keep the entry's identifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked<T> {
    /// The catalog entry, or [`CUSTOM`].
    pub id: Id,
    /// The values, which the user may have edited.
    pub values: T,
}

/// The sharding strategy, under the names that frameworks use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// DDP, `NO_SHARD`.
    Ddp,
    /// ZeRO-1, distributed optimizer.
    Zero1,
    /// ZeRO-1 inside groups of `shard_size` GPUs, replicated over the rest (Megatron's
    /// `num_distributed_optimizer_instances`, MiCS, hierarchical ZeRO).
    Zero1Group,
    /// ZeRO-2.
    Zero2,
    /// ZeRO-3, FSDP `FULL_SHARD`, `reshard_after_forward=True`.
    FullShard,
    /// FSDP `SHARD_GRAD_OP`, `reshard_after_forward=False`.
    ShardGradOp,
    /// FSDP2 `reshard_after_forward=int`: sharded over all GPUs, resharded to `shard_size` between
    /// forward and backward.
    ReshardTo,
    /// `HYBRID_SHARD`, HSDP: sharded over `shard_size` GPUs, replicated over the rest.
    HybridShard,
}

impl Strategy {
    /// Every strategy, in display order.
    pub const ALL: [Self; 8] = [
        Self::Ddp,
        Self::Zero1,
        Self::Zero1Group,
        Self::Zero2,
        Self::ShardGradOp,
        Self::ReshardTo,
        Self::FullShard,
        Self::HybridShard,
    ];

    /// Returns the index in [`Strategy::ALL`].
    pub fn place(self) -> usize {
        Self::ALL.iter().position(|strategy| *strategy == self).unwrap_or(0)
    }

    /// Whether the strategy uses a group smaller than the run, of [`Scenario::shard_size`] GPUs.
    pub fn uses_shard_size(self) -> bool {
        matches!(self, Self::HybridShard | Self::ReshardTo | Self::Zero1Group)
    }

    /// Whether weights are sharded, and therefore gathered before use (FSDP).
    pub fn shards_weights(self) -> bool {
        !matches!(self, Self::Ddp | Self::Zero1 | Self::Zero1Group | Self::Zero2)
    }
}

/// Expert settings that the engine chooses, the fastest for each layer (Tutel, arXiv 2206.03382).
/// Switching is free, as the weights stay in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpertChoice {
    /// Whether the engine chooses the degrees of expert and expert tensor parallelism.
    pub degrees: bool,
    /// Whether the engine chooses the chunks and the algorithm of the all-to-all.
    pub chunks: bool,
}

impl ExpertChoice {
    /// The engine chooses nothing: experts run with the scenario's own settings.
    pub const NONE: Self = Self { degrees: false, chunks: false };
}

/// Every choice a user can make. Fields hold the user's input, valid or not: [`Scenario::issues`]
/// reports what is wrong, and [`Scenario::setup`] returns the nearest valid numbers to evaluate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// The model to train.
    pub model: Model,
    /// The GPU.
    pub accelerator: Picked<Accelerator>,
    /// The network, with the identifier of the cluster that it comes from.
    pub network: Picked<Network>,
    /// Number of GPUs.
    pub gpus: u32,
    /// Tokens in one sequence.
    pub seq_len: u32,
    /// Sequences in one micro-batch on one GPU.
    pub micro_batch_size: u32,
    /// Micro-batches in one step.
    pub grad_accum_steps: u32,
    /// The texts that sequences are packed from, if sequences are not full.
    pub texts: TextList,
    /// The sharding strategy.
    pub strategy: Strategy,
    /// GPUs over which each layer is split (tensor parallelism). The data-parallel degree is the
    /// number of GPUs over tp, cp and pp.
    pub tp: u32,
    /// GPUs over which each sequence is split (context parallelism).
    pub cp: u32,
    /// Stages of the pipeline.
    pub pp: u32,
    /// Expert-parallel degree: groups of GPUs over which the experts are split.
    pub ep: u32,
    /// Expert tensor-parallel degree: GPUs over which the matrices of each expert are split.
    pub etp: u32,
    /// Expert settings that the engine chooses.
    pub expert_choice: ExpertChoice,
    /// GPUs in the shard group of `HYBRID_SHARD`, or in the group that `ReshardTo` reshards to.
    pub shard_size: u32,
    /// The release of a training program whose defaults the scenario follows, except for the user's
    /// own choices.
    pub release: Option<Release>,
    /// The topology by which collectives are priced.
    pub topology: Topology,
    /// Ratios of measured to predicted values, of this run or a similar one.
    pub anchor: Anchor,
    /// Parameters of the whole run beyond its step.
    pub run: RunChoices,
    /// The choices that the setup takes over, or replaces by the nearest possible ones.
    pub choices: Choices,
}

/// Gives access to the choices as fields of the scenario, so that callers need not know which of
/// the two structs holds a field.
impl Deref for Scenario {
    type Target = Choices;

    fn deref(&self) -> &Choices {
        &self.choices
    }
}

impl DerefMut for Scenario {
    fn deref_mut(&mut self) -> &mut Choices {
        &mut self.choices
    }
}
