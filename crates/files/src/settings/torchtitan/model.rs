//! The family of torchtitan's models that comes closest: Llama 3, Qwen 3 with and without experts,
//! DeepSeek V3.

use crate::settings::context::ExportContext;
use crate::settings::notes;
use engine::model::experts::AllToAll;
use engine::model::transformer::{AttentionBias, Norm, QkNorm};

/// A family whose layers represent a model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Llama3,
    Qwen3,
    Qwen3Experts,
    DeepSeek,
}

impl Family {
    pub(super) fn select(context: &ExportContext) -> Self {
        let shape = &context.setup.architecture;
        if shape.latent.is_used() {
            Self::DeepSeek
        } else if shape.has_experts() {
            Self::Qwen3Experts
        } else if shape.qk_norm != QkNorm::None
            || shape.head_dim.saturating_mul(shape.num_attention_heads) != shape.hidden_size
        {
            Self::Qwen3
        } else {
            Self::Llama3
        }
    }

    /// Returns the Python module of the layers.
    pub(super) fn module(self) -> &'static str {
        match self {
            Self::Llama3 => "llama3",
            Self::Qwen3 | Self::Qwen3Experts => "qwen3",
            Self::DeepSeek => "deepseek_v3",
        }
    }

    /// Returns the class of the models.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Llama3 => "Llama3Model",
            Self::Qwen3 | Self::Qwen3Experts => "Qwen3Model",
            Self::DeepSeek => "DeepSeekV3Model",
        }
    }

    /// Returns the function that builds the layers.
    pub(super) fn layer_builder(self) -> &'static str {
        match self {
            Self::Llama3 => "_build_llama3_layers",
            Self::Qwen3 => "_build_qwen3_layers",
            Self::Qwen3Experts => "_build_qwen3_moe_layers",
            Self::DeepSeek => "_build_dsv3_layers",
        }
    }

    /// Returns the class of the rotary positions. Sequences longer than its table are refused.
    pub(super) fn rope(self) -> &'static str {
        if self.is_qwen() { "CosSinRoPE" } else { "ComplexRoPE" }
    }

    pub(super) fn is_qwen(self) -> bool {
        matches!(self, Self::Qwen3 | Self::Qwen3Experts)
    }

    pub(super) fn has_experts(self) -> bool {
        matches!(self, Self::Qwen3Experts | Self::DeepSeek)
    }
}

/// Returns the matrices with adapters, by torchtitan's names.
pub(super) fn adapted(context: &ExportContext) -> Vec<&'static str> {
    let (targets, latent) = (context.setup.trained.targets.modules(), &context.setup.architecture.latent);
    let queries_and_values: &[&str] = match (latent.is_used(), latent.q_lora_rank > 0) {
        (true, true) => &["wq_a", "wq_b", "wkv_a", "wkv_b"],
        (true, false) => &["wq", "wkv_a", "wkv_b"],
        // Keys and values have one configuration.
        (false, _) => &["wq", "wkv"],
    };
    let all: [(bool, &[&str]); 3] =
        [(targets.query_value, queries_and_values), (targets.output, &["wo"]), (targets.mlp, &["w1", "w2", "w3"])];
    all.into_iter().filter(|(is, _)| *is).flat_map(|(_, names)| names.iter().copied()).collect()
}

/// Adds notes about features of the model that the families lack.
pub(super) fn add_notes(context: &mut ExportContext) {
    let shape = context.setup.architecture;
    let (family, experts) = (Family::select(context), shape.experts);
    let other_norms = if family.is_qwen() { shape.qk_norm != QkNorm::PerHead } else { shape.qk_norm != QkNorm::None };
    let dense = experts.first_k_dense_replace > 0 || experts.moe_layer_step > 1;
    let shared = experts.shared_intermediate_size > 0;
    let width = experts.moe_intermediate_size.max(1);
    let is_other = !shape.gated_mlp
        || shape.norm != Norm::Rms
        || shape.norms_per_layer != 2
        || other_norms
        || shape.attention_bias != AttentionBias::None
        || shape.mlp_bias
        || shape.head_bias
        || shape.learned_positions > 0
        || shape.embedding_norm
        || shape.attention_sinks
        || experts.expert_bias
        || experts.clamped_gate
        // The correction of router scores is a buffer in torchtitan.
        || experts.router_bias
        || experts.shared_expert_gate
        || (family == Family::Qwen3Experts && (dense || shared || experts.n_group > 1))
        || (family == Family::DeepSeek
            && (experts.moe_layer_step > 1 || !shared || experts.shared_intermediate_size % width > 0));
    context.note_if(is_other, notes::TITAN_SHAPE);
    let heads = shape.num_key_value_heads.is_multiple_of(context.setup.mesh.tp) || family == Family::DeepSeek;
    context.note_if(!heads, notes::TITAN_HEADS);
    context.note_if(shape.sliding_window > 0, notes::TITAN_WINDOW);
    context.note_if(shape.tie_word_embeddings && context.setup.mesh.pp > 1, notes::TITAN_TIED);
    context.note_if(
        shape.tie_word_embeddings && family == Family::DeepSeek && context.setup.mesh.pp == 1,
        notes::TITAN_SHAPE_TIED,
    );
    let run = context.setup.experts;
    if context.has_experts() {
        context.note_if(run.capacity_factor > 1.0, notes::DROPLESS);
        context.note_if(run.chunks > 1, notes::NO_CHUNKS);
        context.note_if(run.across_micro_batches, notes::NO_ACROSS);
        context.note_if(run.algorithm != AllToAll::Linear, notes::LINEAR_ONLY);
        context.note_if(!run.grouped, notes::ALWAYS_GROUPED);
        context.note_if(run.fused, notes::NO_FUSED_EXPERTS);
    }
}
