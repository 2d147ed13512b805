//! Models: shapes from their public configurations, with exact parameter counts. Rows of
//! `data/models.csv` and `data/architectures.toml`.

use super::ModelEntry;
use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp};
use engine::model::transformer::recurrent::RecurrentKind;
use engine::model::transformer::{
    Architecture, AttentionBias, Experts, ExtraParams, FusedProjections, LatentAttention, Norm, Pattern, QkNorm,
    Recurrent, Tower,
};

/// Every model of the catalog, family by family.
pub const MODELS: &[ModelEntry] = &ALL;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The architecture that Llama and most later models share: gated MLP, root-mean-square norms,
/// rotary positions, no biases, an untied output head. Rows set the sizes.
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

/// The architecture that GPT-2, GPT-3, OPT and BLOOM share: plain MLP, layer norms, biases
/// everywhere, an output head tied to the embedding.
pub const GPT_STYLE: Architecture = Architecture {
    gated_mlp: false,
    norm: Norm::Layer,
    attention_bias: AttentionBias::All,
    mlp_bias: true,
    tie_word_embeddings: true,
    ..LLAMA_STYLE
};
