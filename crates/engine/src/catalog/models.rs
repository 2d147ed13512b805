//! Models: shapes from their public configurations, with exact parameter counts. One file per
//! family.

pub mod bloom;
pub mod deepseek;
pub mod falcon;
pub mod falcon_h1;
pub mod gemma;
pub mod gemma_4;
pub mod glm;
pub mod gpt;
pub mod gpt_oss;
pub mod granite_4;
pub mod jamba;
pub mod ladder;
pub mod linear;
pub mod llama;
pub mod llama_4;
pub mod megatron;
pub mod mistral;
pub mod mixtures;
pub mod mpt;
pub mod nemotron_h;
pub mod opt;
pub mod others;
pub mod phi;
pub mod plain;
pub mod pythia;
pub mod qwen;
pub mod qwen_3_5;
pub mod qwen_moe;
pub mod stablelm;
pub mod vision;

use super::ModelEntry;
use super::lists::{count, joined};
use crate::model::transformer::{
    Architecture, AttentionBias, Experts, ExtraParams, FusedProjections, LatentAttention, Norm, Pattern, QkNorm,
    Recurrent, Tower,
};

/// The families, in display order.
const FAMILIES: [&[ModelEntry]; 30] = [
    ladder::MODELS,
    llama::MODELS,
    llama_4::MODELS,
    mistral::MODELS,
    qwen::MODELS,
    qwen_moe::MODELS,
    qwen_3_5::MODELS,
    deepseek::MODELS,
    glm::MODELS,
    gemma::MODELS,
    gemma_4::MODELS,
    phi::MODELS,
    gpt::MODELS,
    gpt_oss::MODELS,
    nemotron_h::MODELS,
    jamba::MODELS,
    opt::MODELS,
    bloom::MODELS,
    mpt::MODELS,
    pythia::MODELS,
    falcon::MODELS,
    falcon_h1::MODELS,
    granite_4::MODELS,
    linear::MODELS,
    stablelm::MODELS,
    plain::MODELS,
    others::MODELS,
    mixtures::MODELS,
    vision::MODELS,
    megatron::MODELS,
];

/// Every model of the catalog, family by family.
pub const MODELS: &[ModelEntry] = &ALL;

static ALL: [ModelEntry; count(&FAMILIES)] = joined(&FAMILIES, ladder::SMALLEST);

/// The shape that Llama and most later models share: gated MLP, root-mean-square norms, rotary
/// positions, no biases, an untied output head. Sizes are set by `shape`.
pub const LLAMA_STYLE: Architecture = Architecture {
    num_hidden_layers: 0,
    hidden_size: 0,
    num_attention_heads: 0,
    num_key_value_heads: 0,
    head_dim: 0,
    intermediate_size: 0,
    vocab_size: 0,
    gated_mlp: true,
    norm: Norm::Rms,
    norms_per_layer: 2,
    qk_norm: QkNorm::None,
    attention_bias: AttentionBias::None,
    mlp_bias: false,
    tie_word_embeddings: false,
    head_bias: false,
    learned_positions: 0,
    embedding_norm: false,
    sliding_window: 0,
    global_every: 0,
    attention_chunks: false,
    attention_sinks: false,
    fused_projections: FusedProjections::None,
    logit_softcap: false,
    latent: LatentAttention::NONE,
    gated_attention: false,
    experts: Experts::NONE,
    recurrent: Recurrent::NONE,
    pattern: Pattern::NONE,
    extra: ExtraParams::NONE,
    tower: Tower::NONE,
};

/// The shape that GPT-2, GPT-3, OPT and BLOOM share: plain MLP, layer norms, biases everywhere, an
/// output head tied to the embedding.
pub const GPT_STYLE: Architecture = Architecture {
    gated_mlp: false,
    norm: Norm::Layer,
    attention_bias: AttentionBias::All,
    mlp_bias: true,
    tie_word_embeddings: true,
    ..LLAMA_STYLE
};

/// Returns `style` with L layers of width H, query and key-value heads (of width H over query
/// heads), and an MLP of width F.
const fn shape(style: Architecture, layers: u32, hidden: u32, heads: (u32, u32), intermediate: u32) -> Architecture {
    Architecture {
        num_hidden_layers: layers,
        hidden_size: hidden,
        num_attention_heads: heads.0,
        num_key_value_heads: heads.1,
        head_dim: hidden / heads.0,
        intermediate_size: intermediate,
        ..style
    }
}

/// Returns this many routed experts of a width in every layer, `top_k` of them per token.
const fn routed(experts: u32, top_k: u32, width: u32) -> Experts {
    Experts { num_experts: experts, num_experts_per_tok: top_k, moe_intermediate_size: width, ..Experts::NONE }
}

/// Returns `dense` with experts in its layers.
const fn sparse(dense: Architecture, experts: Experts) -> Architecture {
    Architecture { experts, ..dense }
}

/// The fields that the entries of one list share.
#[derive(Clone, Copy)]
struct Series {
    family: &'static str,
    source: &'static str,
}

impl Series {
    const fn model(
        self,
        id: &'static str,
        name: &'static str,
        architecture: Architecture,
        params: u64,
        max_position_embeddings: u32,
    ) -> ModelEntry {
        let Self { family, source } = self;
        ModelEntry { id, name, family, architecture, params, max_position_embeddings, source }
    }
}
