//! Dense families in the style of Llama, each with a little of its own.

use super::dense::llama;
use super::extra::{Dims, plus};
use super::general::{base, dense, layers};
use super::older::with_head_norms;
use super::{DEEPSEEK, Family, Fields, MISTRAL, QWEN_3, TIED, family};
use engine::catalog::models::LLAMA_STYLE;
use engine::model::transformer::{Architecture, AttentionBias, FusedProjections, Norm, QkNorm};
use engine::params::ParamId;

const PLAIN_MLP: Architecture = Architecture { gated_mlp: false, ..LLAMA_STYLE };
const APERTUS: Architecture = Architecture { qk_norm: QkNorm::PerHead, ..PLAIN_MLP };
const WINDOWED: Architecture = Architecture { sliding_window: 4096, ..LLAMA_STYLE };
const EXAONE: Architecture = Architecture { qk_norm: QkNorm::PerHead, global_every: 4, ..WINDOWED };
const GLM: Architecture = Architecture {
    attention_bias: AttentionBias::Qkv,
    num_key_value_heads: 2,
    head_dim: 128,
    fused_projections: FusedProjections::All,
    ..LLAMA_STYLE
};
const GLM_4: Architecture = Architecture { norms_per_layer: 4, ..GLM };
const GLM_OCR: Architecture = Architecture { attention_bias: AttentionBias::None, head_dim: 0, ..GLM_4 };
const JAIS: Architecture = Architecture {
    norm: Norm::Layer,
    gated_mlp: false,
    attention_bias: AttentionBias::All,
    mlp_bias: true,
    ..LLAMA_STYLE
};
const HELIUM: Architecture = Architecture { head_dim: 128, ..LLAMA_STYLE };
const SEED: Architecture =
    Architecture { attention_bias: AttentionBias::Qkv, head_dim: 128, num_key_value_heads: 8, ..LLAMA_STYLE };
const MODERN_BERT: Architecture = Architecture {
    norm: Norm::LayerNoBias,
    embedding_norm: true,
    head_bias: true,
    fused_projections: FusedProjections::All,
    ..TIED
};
const STABLE: Architecture = Architecture { norm: Norm::Layer, ..LLAMA_STYLE };
const VAULT: Architecture = Architecture { sliding_window: 4096, head_dim: 256, num_key_value_heads: 4, ..TIED };

/// The families, in display order.
pub(super) const FAMILIES: &[Family] = &[
    family("Apertus", &["apertus"], APERTUS, apertus),
    family("Arcee", &["arcee"], PLAIN_MLP, dense),
    family("BitNet", &["bitnet"], LLAMA_STYLE, bitnet),
    family("Code World Model", &["cwm"], WINDOWED, dense),
    family("DiffLlama", &["diffllama"], LLAMA_STYLE, diff_llama),
    family("Doge", &["doge"], Architecture { qk_norm: QkNorm::PerHead, ..LLAMA_STYLE }, doge),
    family("ERNIE 4.5", &["ernie4_5", "ernie4_5_text", "paddleocr_vl_text"], TIED, ernie),
    family("EXAONE 4", &["exaone4"], EXAONE, dense),
    family("GLM", &["glm"], GLM, dense),
    family("GLM-OCR", &["glm_ocr_text"], GLM_OCR, dense),
    family("GLM-4", &["glm4"], GLM_4, dense),
    family("GLM-4V", &["glm4v_text", "glm4v", "glm46v"], Architecture { head_dim: 0, ..GLM_4 }, dense),
    family(
        "Granite with windows",
        &["granite_swa"],
        Architecture { attention_sinks: true, sliding_window: 128, ..TIED },
        dense,
    ),
    family("Helium", &["helium"], HELIUM, helium),
    family("HRM", &["hrm_text"], Architecture { gated_attention: true, norms_per_layer: 0, ..LLAMA_STYLE }, hrm),
    family("Hunyuan", &["hunyuan_v1_dense"], QWEN_3, hunyuan),
    family("HyperCLOVA X", &["hyperclovax"], LLAMA_STYLE, hyperclova),
    family("InternLM3", &["internlm3", "iquestcoder"], LLAMA_STYLE, llama),
    family("Jais 2", &["jais2"], JAIS, dense),
    family("MiniCPM3", &["minicpm3"], Architecture { tie_word_embeddings: true, ..DEEPSEEK }, dense),
    family(
        "Ministral",
        &["ministral", "ministral3"],
        Architecture { sliding_window: 0, head_dim: 128, ..MISTRAL },
        dense,
    ),
    family("ModernBERT decoder", &["modernbert-decoder"], MODERN_BERT, modern_bert),
    family("Moshi", &["moshi"], LLAMA_STYLE, moshi),
    family("nanochat", &["nanochat"], Architecture { norms_per_layer: 0, ..PLAIN_MLP }, without_last_norm),
    family("OLMo", &["olmo"], Architecture { norms_per_layer: 0, ..LLAMA_STYLE }, without_last_norm),
    family("Seed-OSS", &["seed_oss"], SEED, seed),
    family("StableLM", &["stablelm", "stablelm_epoch"], STABLE, stable),
    family("VaultGemma", &["vaultgemma"], VAULT, dense),
    family("Youtu", &["youtu"], Architecture { tie_word_embeddings: true, ..DEEPSEEK }, dense),
    family(
        "Llama 3.2 Vision",
        &["mllama", "mllama_text_model"],
        Architecture { num_key_value_heads: 8, ..LLAMA_STYLE },
        mllama,
    ),
];

/// Reads Apertus, whose activation (xIELU) has two weights a layer.
fn apertus(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    plus(shape, 2.0 * Dims::of(&shape).layers, 0.0)
}

/// Reads `BitNet`: norms before both output projections.
fn bitnet(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    plus(shape, of.layers * (of.hidden + of.mlp), 0.0)
}

/// Reads `DiffLlama`: four vectors as wide as a head in each layer.
fn diff_llama(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    plus(shape, 4.0 * of.layers * of.dim, 0.0)
}

/// Reads Doge: a dynamic mask, two scaled residuals, and as a mixture (`is_moe`) product keys into tables of experts of width 1.
fn doge(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    let mask = of.kv + of.kv * of.kv * of.dim + if shape.attention_bias == AttentionBias::None { 0.0 } else { of.kv };
    let mixture = fields.flag("is_moe", false);
    let experts = fields.number(&["num_experts"]);
    for name in ["num_experts_per_tok", "keep_window_size", "norm_topk_prob"] {
        fields.mark(name);
    }
    // Two vectors an expert, and keys to the root of their number along both axes.
    let routed = if mixture { experts * 2.0 * of.hidden + 2.0 * experts.sqrt().floor() * of.hidden } else { 0.0 };
    plus(shape, of.layers * (2.0 * of.hidden + mask + routed), 0.0)
}

/// Reads ERNIE 4.5, with biases everywhere or nowhere.
fn ernie(fields: &mut Fields, style: Architecture) -> Architecture {
    let biased = fields.flag("use_bias", false);
    let shape = dense(fields, style);
    let attention_bias = if biased { AttentionBias::All } else { AttentionBias::None };
    Architecture { attention_bias, mlp_bias: biased, ..shape }
}

/// Reads Helium, whose output projection is as wide as the stream on both sides, without a bias.
fn helium(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    let attention_bias = match shape.attention_bias {
        AttentionBias::None => AttentionBias::None,
        _ => AttentionBias::Qkv,
    };
    plus(Architecture { attention_bias, ..shape }, of.layers * of.hidden * (of.hidden - of.heads * of.dim), 0.0)
}

/// Reads HRM: two stacks of layers, which the tokens pass many times; a learned first state, and no norm with weights.
fn hrm(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let stack = fields.number(&["num_layers_per_stack"]).max(1.0);
    for name in ["H_cycles", "L_cycles", "L_bp_cycles", "prefix_lm"] {
        fields.mark(name);
    }
    let num_hidden_layers = fields.checked("Twice num_layers_per_stack", 2.0 * stack, ParamId::Layers);
    Architecture { num_hidden_layers, ..shape }
}

/// Reads Hunyuan's dense models.
fn hunyuan(fields: &mut Fields, style: Architecture) -> Architecture {
    let style = if fields.flag("use_qk_norm", true) { style } else { Architecture { qk_norm: QkNorm::None, ..style } };
    dense(fields, Architecture { head_dim: 0, ..style })
}

/// Reads HyperCLOVA X, whose blocks may be followed by norms too.
fn hyperclova(fields: &mut Fields, style: Architecture) -> Architecture {
    let norms_per_layer = if fields.flag("use_post_norm", false) { 4 } else { 2 };
    dense(fields, Architecture { norms_per_layer, ..style })
}

/// Reads `ModernBERT`'s decoder: no norm before the first attention, and a dense layer with a norm before the output.
fn modern_bert(fields: &mut Fields, style: Architecture) -> Architecture {
    let norm = if fields.flag("norm_bias", false) { Norm::Layer } else { Norm::LayerNoBias };
    let head_bias = fields.flag("decoder_bias", true);
    for name in ["local_attention", "global_attn_every_n_layers"] {
        fields.mark(name);
    }
    let shape = dense(fields, Architecture { norm, head_bias, ..style });
    let of = Dims::of(&shape);
    let last = of.hidden * of.hidden + if fields.flag("classifier_bias", false) { of.hidden } else { 0.0 };
    let one = shape.norm_params() as f64;
    plus(shape, -one, last + one)
}

/// Reads Moshi's text model: one more row of the embedding, and a gate of half of `ffn_dim`.
fn moshi(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    for name in ["num_codebooks", "audio_encoder_config", "depth_decoder_config", "audio_vocab_size"] {
        fields.mark(name);
    }
    let intermediate_size = (shape.intermediate_size / 2).max(1);
    let shape = Architecture { intermediate_size, tie_word_embeddings: false, ..shape };
    plus(shape, 0.0, f64::from(shape.hidden_size))
}

/// Reads models whose norms have no weights, the last among them.
fn without_last_norm(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    plus(shape, 0.0, -f64::from(shape.hidden_size))
}

/// Reads Seed-OSS, whose output projection may have a bias beside the others or without them.
fn seed(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    let out = fields.flag("attention_out_bias", false);
    match (out, shape.attention_bias) {
        (false, _) => shape,
        (true, AttentionBias::None) => plus(shape, of.layers * of.hidden, 0.0),
        (true, _) => Architecture { attention_bias: AttentionBias::All, ..shape },
    }
}

/// Reads `StableLM`: norms of queries and keys with weights for each head, one norm for both blocks where they are parallel.
fn stable(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = dense(fields, style);
    let qk_norm = if fields.flag("qk_layernorm", false) { QkNorm::Full } else { QkNorm::None };
    let attention_bias = if fields.flag("use_qkv_bias", false) { AttentionBias::Qkv } else { AttentionBias::None };
    let norms_per_layer = if fields.flag("use_parallel_residual", false) { 1 } else { 2 };
    Architecture { norms_per_layer, qk_norm, attention_bias, ..shape }
}

/// Reads Phi, which may normalise queries and keys.
pub(super) fn phi(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    if fields.flag("qk_layernorm", false) { with_head_norms(shape) } else { shape }
}

/// Reads the text model of Llama 3.2 Vision: some layers attend to the image, with norms of queries and keys and two gates; eight more
/// rows of the embedding.
fn mllama(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let of = Dims::of(&shape);
    let cross = fields.numbers("cross_attention_layers").unwrap_or_default();
    let cross = cross.iter().filter(|layer| **layer < of.layers).count() as f64;
    // The class does not tie its head, whose rows are eight fewer.
    let shape = Architecture { tie_word_embeddings: false, ..shape };
    let shape = plus(shape, cross * (2.0 * of.dim + 2.0), 8.0 * of.hidden);
    layers(fields, &shape).write(fields, shape)
}
