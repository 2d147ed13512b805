//! Sizes of one GPU's part of the model, as integers.

use super::operators::Heads;
use engine::model::layer::{self, Block, Products, Role};
use engine::model::per_rank;
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, NormKernel};
use engine::model::stages::Stage;
use engine::model::states::{FrozenBytes, recipe_bytes, shard_degrees};
use engine::model::training::{PrecisionPolicy, Sharding};
use engine::model::transformer::{FusedProjections, QkNorm};

/// Sizes of the computation on one GPU in one micro-batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Layers on this GPU.
    pub layers: u32,
    /// Tokens.
    pub tokens: u64,
    /// Tokens of the residual stream on this GPU, fewer with sequence parallelism.
    pub residual_tokens: u64,
    /// Tensor-parallel degree.
    pub tp: u64,
    pub hidden: u64,
    /// Width of queries, and of keys and of values, on this GPU.
    pub query: u64,
    pub key: u64,
    pub heads: Heads,
    /// Width of the MLP on this GPU.
    pub ffn: u64,
    /// Entries of the vocabulary on this GPU: of the head, and of the embedding.
    pub vocab: u64,
    pub embedded_vocab: u64,
    pub gated: bool,
    pub norms_per_layer: u32,
    pub qk_norm: QkNorm,
    /// Whether there are biases of queries, keys and values; of the output projection; of the MLP.
    pub biases: (bool, bool, bool),
    /// Whether one matrix computes queries, keys and values, and one computes gate and up.
    pub fused: bool,
    /// Whether the activation of a plain MLP is GPT-2's `gelu_new`, as single operators
    /// (`modeling_gpt2.py`).
    pub new_gelu: bool,
    /// Whether a tanh caps the logits.
    pub softcap: bool,
    /// Whether each norm is one kernel.
    pub fused_norms: bool,
    /// Whether keys and values are repeated for query heads that share them.
    pub repeats: bool,
    /// Whether attention scores are materialized.
    pub eager: bool,
    pub tied: bool,
    pub positions: u64,
    pub experts: u64,
    /// Experts on this GPU, and their width there.
    pub own_experts: u64,
    /// Rows that this GPU's experts compute for each token.
    copies: f64,
    pub expert_width: u64,
    /// Whether FSDP shards a layer's experts along the expert dimension, with padding if the GPUs
    /// do not divide it.
    pub stacked_experts: bool,
    pub embedding: bool,
    pub head: bool,
    /// Bytes per element of the residual stream, and of matmul inputs.
    pub element: u64,
    pub compute: u64,
    /// Whether autocast casts for each matmul, because without sharding there is no FSDP that
    /// casts.
    pub autocast: bool,
}

impl Shape {
    pub(super) fn new(setup: &Setup, stage: &Stage) -> Self {
        let arch = &setup.architecture;
        let (tp, cp) = (u64::from(setup.mesh.tp.max(1)), u64::from(setup.mesh.cp.max(1)));
        let tokens = per_rank::tokens(setup) as u64;
        let sequences = u64::from(setup.batch.micro_batch_size);
        let sequence = (u64::from(setup.batch.seq_len) / cp).max(1);
        let [attention, mlp, expert] = [Block::Attention, Block::Mlp, Block::Routed]
            .map(|block| layer::products(arch, block, layer::degree(&setup.mesh, block)));
        let columns = |products: &Products, role| products.get(role).outer.ceil() as u64;
        let is_biased = |products: &Products, role| products.get(role).bias > 0.0;
        let width = arch.core().head as u64;
        let heads = (u64::from(arch.num_attention_heads) / tp).max(1);
        let key = columns(&attention, Role::Key);
        let bytes = recipe_bytes(setup.recipe);
        let unsharded = !matches!(setup.sharding, Sharding::Fsdp(_)) || shard_degrees(setup).weights == 1.0;
        // fp32 adapters next to a narrower frozen base: PEFT casts their inputs, and there is no
        // autocast.
        let beside = setup.trained.has_adapters() && setup.trained.base.bytes() < bytes.weights;
        let autocast =
            setup.recipe == PrecisionPolicy::AutocastBf16 || (unsharded && bytes.weights > bytes.activation && !beside);
        // With autocast, the residual stream has the format of the embedding.
        let stored = if setup.trained.is_all() || setup.trained.embeddings {
            bytes.weights
        } else {
            FrozenBytes::at_rest(setup).others
        };
        let split = if setup.tensor.sequence_parallel { tp } else { 1 };
        let part = |width: u32| u64::from(width).div_ceil(tp);
        Self {
            layers: stage.layers,
            tokens,
            residual_tokens: tokens / split,
            tp,
            hidden: u64::from(arch.hidden_size),
            query: heads * width,
            key,
            heads: Heads { sequences, sequence, query: heads, key_value: (key / width.max(1)).max(1), width },
            ffn: columns(&mlp, Role::Up),
            vocab: part(arch.vocab_size),
            embedded_vocab: if setup.tensor.splits_embedding {
                part(arch.vocab_size)
            } else {
                u64::from(arch.vocab_size)
            },
            gated: mlp.get(Role::Gate).is_used(),
            norms_per_layer: arch.norms_per_layer,
            qk_norm: arch.qk_norm,
            biases: (
                is_biased(&attention, Role::Query),
                is_biased(&attention, Role::Output),
                is_biased(&mlp, Role::Up),
            ),
            fused: arch.fused_projections == FusedProjections::All,
            new_gelu: setup.has_new_gelu(),
            softcap: arch.logit_softcap,
            fused_norms: setup.kernels.norms == NormKernel::Fused,
            repeats: setup.repeats_key_values(),
            eager: setup.kernels.attention == AttentionKernel::Unfused,
            tied: arch.tie_word_embeddings,
            positions: u64::from(arch.learned_positions),
            experts: u64::from(arch.experts.num_experts),
            own_experts: u64::from(arch.experts.num_experts.div_ceil(setup.mesh.ep.max(1))),
            copies: f64::from(arch.experts.top_k()) * setup.experts.capacity_factor * setup.experts.imbalance,
            stacked_experts: setup.traits().stacked_experts,
            expert_width: columns(&expert, Role::Up),
            embedding: stage.embedding,
            head: stage.head,
            element: if autocast { stored as u64 } else { bytes.activation as u64 },
            compute: bytes.activation as u64,
            autocast,
        }
    }

    /// Returns the rows that this GPU's experts compute of `tokens` tokens: the k copies of each,
    /// and the empty slots of experts with a capacity or padded to the busiest,
    /// `E M = k f T busiest / mean`.
    pub(super) fn expert_rows(&self, tokens: u64) -> u64 {
        (self.copies * tokens as f64).ceil() as u64
    }
}
