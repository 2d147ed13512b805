//! Families in the style of GPT-2: plain MLPs, layer norms, learned positions.

use super::extra::{Dims, plus};
use super::general::dense;
use super::{Family, Fields, NEOX, PLAIN, family};
use engine::catalog::models::{GPT_STYLE, LLAMA_STYLE};
use engine::model::transformer::{Architecture, AttentionBias, FusedProjections, Norm, QkNorm};
use engine::params::ParamId;

/// Biases in the MLP and at the output head, one norm for attention and the MLP.
const GPT_J: Architecture = Architecture {
    norms_per_layer: 1,
    attention_bias: AttentionBias::None,
    head_bias: true,
    fused_projections: FusedProjections::None,
    ..NEOX
};
const CODEGEN: Architecture = Architecture { fused_projections: FusedProjections::Attention, ..GPT_J };
const GPT_NEO: Architecture = Architecture { attention_bias: AttentionBias::None, ..GPT_STYLE };
const JAPANESE: Architecture = Architecture { fused_projections: FusedProjections::Attention, ..PLAIN };
const MPT: Architecture = Architecture { norm: Norm::LayerNoBias, ..JAPANESE };
const CPM_ANT: Architecture = Architecture { tie_word_embeddings: true, ..LLAMA_STYLE };
const CTRL: Architecture = Architecture { head_bias: true, ..GPT_STYLE };

/// The families, in display order.
pub(super) const FAMILIES: &[Family] = &[
    family("BioGPT", &["biogpt"], GPT_STYLE, biogpt),
    family("CodeGen", &["codegen"], CODEGEN, dense),
    family("CPM-Ant", &["cpmant"], CPM_ANT, cpm_ant),
    family("CTRL", &["ctrl"], CTRL, dense),
    family("GPT", &["openai-gpt"], GPT_STYLE, openai),
    family(
        "GPTBigCode",
        &["gpt_bigcode"],
        Architecture { fused_projections: FusedProjections::Attention, ..GPT_STYLE },
        big_code,
    ),
    family("GPT-J", &["gptj"], GPT_J, dense),
    family("GPT Neo", &["gpt_neo"], GPT_NEO, gpt_neo),
    family("GPT-NeoX Japanese", &["gpt_neox_japanese"], JAPANESE, japanese),
    family("MPT", &["mpt"], MPT, mpt),
    family("Persimmon", &["persimmon", "fuyu"], NEOX, persimmon),
    family("XGLM", &["xglm"], GPT_STYLE, dense),
];

/// Reads BioGPT, whose positions begin at 2.
fn biogpt(fields: &mut Fields, style: Architecture) -> Architecture {
    /// Default of the class.
    const USUAL: u32 = 1024;
    let shape = dense(fields, style);
    let positions = fields.count(&["max_position_embeddings"], ParamId::LearnedPositions, Some(USUAL));
    let learned = fields.checked("max_position_embeddings + 2", f64::from(positions) + 2.0, ParamId::LearnedPositions);
    Architecture { learned_positions: learned, ..shape }
}

/// Reads CPM-Ant: tables of prompts, segments and buckets of distances; the head is a matrix of its own.
fn cpm_ant(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    let (types, length) = (fields.number(&["prompt_types"]), fields.number(&["prompt_length"]));
    let segments = fields.number(&["segment_types"]);
    let buckets = fields.number(&["position_bias_num_buckets"]);
    fields.mark("position_bias_max_distance");
    let tables = (types * length + segments + of.vocab) * of.hidden;
    let shape = Architecture { tie_word_embeddings: true, ..shape };
    plus(shape, 0.0, tables + (segments * segments + buckets) * of.heads)
}

/// Reads the first GPT, which has no norm at its end.
fn openai(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let positions = fields.count(&["n_positions"], ParamId::LearnedPositions, Some(512));
    let shape = plus(shape, 0.0, -2.0 * f64::from(shape.hidden_size));
    Architecture { learned_positions: positions, ..shape }
}

/// Reads StarCoder: one key and value head for all queries.
fn big_code(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let positions = fields.count(&["n_positions"], ParamId::LearnedPositions, Some(1024));
    let shared = fields.flag("multi_query", true);
    let num_key_value_heads = if shared { 1 } else { shape.num_attention_heads };
    Architecture { num_key_value_heads, learned_positions: positions, ..shape }
}

/// Reads GPT Neo, where of attention only the output has a bias.
fn gpt_neo(fields: &mut Fields, style: Architecture) -> Architecture {
    let window = fields.count(&["window_size"], ParamId::SlidingWindow, Some(256));
    let shape = dense(fields, Architecture { sliding_window: window, ..style });
    fields.mark("attention_types");
    let layers = super::super::layers::Layers::of(&Architecture { sliding_window: 0, ..shape });
    let shape = layers.named(fields, "attention_layers").write(fields, shape);
    let positions = fields.count(&["max_position_embeddings"], ParamId::LearnedPositions, Some(2048));
    let of = Dims::of(&shape);
    plus(Architecture { learned_positions: positions, ..shape }, of.layers * of.hidden, 0.0)
}

/// Reads GPT-NeoX Japanese: no biases but one of the last layer's attention.
fn japanese(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let times = fields.number(&["intermediate_multiple_size"]).max(1.0);
    let width = fields.checked("The width of the MLP", times * f64::from(shape.hidden_size), ParamId::MlpWidth);
    plus(Architecture { intermediate_size: width, ..shape }, f64::from(shape.hidden_size), 0.0)
}

/// Reads MPT. Its class has no biases, whatever the config says.
fn mpt(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let times = fields.number(&["expansion_ratio"]).max(1.0);
    let width = fields.checked("The width of the MLP", times * f64::from(shape.hidden_size), ParamId::MlpWidth);
    for name in ["attn_config", "no_bias", "norm_type", "learned_pos_emb", "embedding_fraction"] {
        fields.mark(name);
    }
    Architecture { intermediate_size: width, ..shape }
}

/// Reads Persimmon, and Fuyu, which adds a projection of patches of pixels.
fn persimmon(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    let patch = fields.number(&["patch_size"]);
    let pixels = patch * patch * fields.number(&["num_channels"]);
    fields.mark("image_size");
    let projection = if pixels > 0.0 { (pixels + 1.0) * of.hidden } else { 0.0 };
    let shape = plus(shape, 0.0, projection);
    if fields.flag("qk_layernorm", true) { with_head_norms(shape) } else { shape }
}

/// Layer norms of queries and keys per head, with biases.
pub(super) fn with_head_norms(shape: Architecture) -> Architecture {
    let of = Dims::of(&shape);
    plus(Architecture { qk_norm: QkNorm::PerHead, ..shape }, 2.0 * of.dim * of.layers, 0.0)
}
