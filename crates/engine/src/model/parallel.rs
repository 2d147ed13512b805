//! Parallelism: the device mesh, and the options of each of its axes.

use super::collectives::AllToAll;

/// The device mesh; its axes multiply to the number of GPUs. Placed innermost first: tp, cp,
/// `dp_shard`, `dp_replicate`, pp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mesh {
    /// Replicas of the sharded state (`dp_replicate`).
    pub dp_replicate: u32,
    /// Data-parallel GPUs over which the state is sharded (`dp_shard`).
    pub dp_shard: u32,
    /// GPUs over which each sequence is split (context parallelism).
    pub cp: u32,
    /// GPUs over which each layer is split (tensor parallelism).
    pub tp: u32,
    /// Stages of the pipeline.
    pub pp: u32,
    /// Groups of GPUs over which the experts are split (expert parallelism), taken from the GPUs of
    /// a stage; 1 in a dense model.
    pub ep: u32,
    /// GPUs over which each expert's matrices are split (expert tensor parallelism), innermost of
    /// the experts' axes.
    pub etp: u32,
}

impl Mesh {
    /// Returns a mesh with data parallelism only.
    pub const fn data_parallel(dp_replicate: u32, dp_shard: u32) -> Self {
        Self { dp_replicate, dp_shard, cp: 1, tp: 1, pp: 1, ep: 1, etp: 1 }
    }

    /// Returns the number of GPUs.
    pub fn gpus(&self) -> u32 {
        self.replicas().saturating_mul(self.cp).saturating_mul(self.tp).saturating_mul(self.pp)
    }

    /// Returns the groups that process different sequences: `dp_replicate dp_shard`.
    pub fn replicas(&self) -> u32 {
        self.dp_replicate.saturating_mul(self.dp_shard)
    }

    /// Returns the GPUs over which the state is sharded: `dp_shard cp`, as context parallelism
    /// replicates the weights.
    pub fn shard_group(&self) -> u32 {
        self.dp_shard.saturating_mul(self.cp)
    }

    /// Returns the GPUs that share one copy of the experts: `ep etp`.
    pub fn expert_group(&self) -> u32 {
        self.ep.saturating_mul(self.etp).max(1)
    }

    /// Returns the GPUs over which one GPU's experts are sharded: those of the shard group and its
    /// tensor-parallel neighbours that hold the same experts.
    pub fn expert_shard_group(&self) -> u32 {
        let (shards, group) = (self.shard_group().saturating_mul(self.tp), self.expert_group());
        if group == 1 {
            return shards.max(1);
        }
        let stage = self.replicas().saturating_mul(self.cp).saturating_mul(self.tp);
        // A divisor of both numbers, so that every copy has equally many shards.
        if shards.is_multiple_of(group) { (shards / group).max(1) } else { common_divisor(shards, stage / group) }
    }

    /// Returns the replicas of one GPU's experts beyond its shard group.
    pub fn expert_replicas(&self) -> u32 {
        let stage = self.replicas().saturating_mul(self.cp).saturating_mul(self.tp);
        (stage / self.expert_group() / self.expert_shard_group()).max(1)
    }
}

/// Returns the greatest common divisor, at least 1.
pub fn common_divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// The computation of the loss if tensor parallelism splits the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossParallel {
    /// The framework's default ([`super::framework::Traits::gathers_logits`]).
    Default,
    /// Each GPU has the logits of its part of the vocabulary (`loss_parallel`; Megatron's
    /// vocabulary-parallel cross-entropy).
    Yes,
    /// Each GPU gathers the logits of the whole vocabulary (`disable_loss_parallel`; transformers'
    /// `colwise_rep`).
    No,
}

/// The options of tensor parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorParallel {
    /// Whether norms and residuals are split along the sequence (all-gather and reduce-scatter
    /// instead of all-reduce; arXiv 2205.05198).
    pub sequence_parallel: bool,
    /// Whether collectives are split into chunks that overlap with the matrix products (async-TP,
    /// TP overlap).
    pub asynchronous: bool,
    /// Whether each GPU computes the loss of its part of the vocabulary.
    pub loss: LossParallel,
    /// Whether the embedding is split as well (torchtitan's `RowwiseParallel`); otherwise each GPU
    /// holds the whole embedding.
    pub splits_embedding: bool,
}

impl TensorParallel {
    /// Sequence parallelism with exposed collectives, the default of Megatron-Core and torchtitan.
    pub const USUAL: Self =
        Self { sequence_parallel: true, asynchronous: false, loss: LossParallel::Default, splits_embedding: true };
}

/// The exchange of keys and values under context parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContextExchange {
    /// Ring attention: each GPU passes its keys and values on while it computes with those it has
    /// (arXiv 2310.01889).
    Ring,
    /// All keys and values are gathered before attention (arXiv 2407.21783, section 3.3.2).
    AllGather,
    /// Tokens are exchanged for heads: each GPU attends over the whole sequence with some of the
    /// heads (`DeepSpeed`-Ulysses, arXiv 2309.14509).
    AllToAll,
    /// Heads are exchanged inside groups of [`super::choices::Choices::sequence_heads`] GPUs, keys
    /// and values passed around between groups (arXiv 2405.07719; `a2a+p2p` in Transformer Engine).
    Mixed,
}

/// The order of a pipeline's forward and backward passes, with torchtitan's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// All forward passes, then all backward passes (arXiv 1811.06965).
    GPipe,
    /// One forward, one backward (arXiv 1806.03377, 2006.09503).
    OneForwardOneBackward,
    /// One forward, one backward, over several model chunks per GPU (arXiv 2104.04473).
    Interleaved,
    /// ZB-H1: weight gradients fill the bubble, memory as in 1F1B (arXiv 2401.10241).
    ZeroBubble,
    /// ZB-V: two chunks a GPU in a V, almost no bubble, memory as in 1F1B (arXiv 2405.15362).
    ZeroBubbleV,
    /// `DualPipe`: micro-batches enter at both ends, and every GPU holds the stages of both
    /// directions (arXiv 2412.19437, section 3.2.1).
    DualPipe,
    /// `DualPipeV`: one half of `DualPipe` in a V, with two chunks per GPU and one copy of the
    /// weights (github deepseek-ai/DualPipe).
    DualPipeV,
}

impl Schedule {
    /// Whether the model's last chunk is on the first GPU.
    pub const fn is_v_shaped(self) -> bool {
        matches!(self, Self::ZeroBubbleV | Self::DualPipeV)
    }

    /// Whether forward passes of one direction overlap with backward passes of the other.
    pub const fn is_dual(self) -> bool {
        matches!(self, Self::DualPipe | Self::DualPipeV)
    }

    /// Returns the copies of every stage's weights and gradients in a pipeline of more than one
    /// stage: two under `DualPipe` (its repository's table).
    pub const fn copies(self) -> f64 {
        if matches!(self, Self::DualPipe) { 2.0 } else { 1.0 }
    }
}

/// The options of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pipeline {
    /// The order of passes.
    pub schedule: Schedule,
    /// Model chunks on each GPU under [`Schedule::Interleaved`], v.
    pub virtual_stages: u32,
    /// Layers of the first GPU's stage; 0 for an even share.
    pub first_stage_layers: u32,
    /// Layers of the last GPU's stage; 0 for an even share.
    pub last_stage_layers: u32,
}

impl Pipeline {
    /// 1F1B over even stages.
    pub const USUAL: Self = Self {
        schedule: Schedule::OneForwardOneBackward,
        virtual_stages: 2,
        first_stage_layers: 0,
        last_stage_layers: 0,
    };
}

/// The way in which tokens are sent to the GPUs of their experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dispatcher {
    /// A collective all-to-all of every copy of every token, sorted before and after (Megatron's
    /// and torchtitan's default).
    AllToAll,
    /// Kernels that send a token once to each GPU and once to each node, and sort tokens on the way
    /// (DeepEP, HybridEP).
    Fused,
}

/// The options of expert layers. Their degrees of parallelism are those of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertParallel {
    /// Capacity factor, slots of an expert over its even share, f: empty slots are computed, tokens
    /// beyond the slots are dropped. 1 for dropless training, which computes exactly the tokens
    /// that arrive.
    pub capacity_factor: f64,
    /// Tokens of the busiest GPU's experts over the mean, at least 1.
    pub imbalance: f64,
    /// The way in which tokens are sent.
    pub dispatcher: Dispatcher,
    /// The algorithm of a collective all-to-all.
    pub algorithm: AllToAll,
    /// Chunks of the tokens whose exchanges and products overlap, d (Tutel's pipelining degree); 1
    /// for no overlap.
    pub chunks: u32,
    /// Whether exchanges overlap with the compute of another micro-batch (DualPipe, Megatron's
    /// `overlap_moe_expert_parallel_comm`).
    pub across_micro_batches: bool,
    /// Whether the products of all experts on a GPU run as one kernel (grouped GEMM) or one by one.
    pub grouped: bool,
    /// Whether the grouped kernel also applies the activation and casts to 8 or 4 bits (cuDNN's and
    /// CuTe's grouped MLPs).
    pub fused: bool,
}

impl ExpertParallel {
    /// Dropless and balanced, one all-to-all before the experts and one after, without overlap,
    /// grouped products.
    pub const USUAL: Self = Self {
        capacity_factor: 1.0,
        imbalance: 1.0,
        dispatcher: Dispatcher::AllToAll,
        algorithm: AllToAll::Linear,
        chunks: 1,
        across_micro_batches: false,
        grouped: true,
        fused: false,
    };
}
