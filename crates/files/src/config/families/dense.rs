//! Readers for dense models.

use super::super::attention::{with_switched_windows, with_windows};
use super::Fields;
use super::extra::plus;
use engine::model::transformer::{Architecture, AttentionBias, QkNorm};
use engine::params::ParamId;

/// Default width of a plain MLP over H.
const MLP_RATIO: u32 = 4;
/// Number of unused entries before OPT's positions.
const UNUSED_POSITIONS: f64 = 2.0;
/// Default number of positions of GPT-2's class.
const GPT_2_POSITIONS: u32 = 1024;

/// Converts a default to `None` if it is 0, which means that there is none.
fn usual(value: u32) -> Option<u32> {
    (value > 0).then_some(value)
}

/// Reads the fields that nearly all families share.
pub(super) fn llama(fields: &mut Fields, style: Architecture) -> Architecture {
    let num_hidden_layers = fields.count(
        &["num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_blocks", "layers"],
        ParamId::Layers,
        usual(style.num_hidden_layers),
    );
    let hidden_size = fields.count(
        &["hidden_size", "n_embd", "n_embed", "d_model", "embedding_dim", "embed_dim"],
        ParamId::HiddenSize,
        usual(style.hidden_size),
    );
    let heads = fields.count(
        &["num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"],
        ParamId::AttentionHeads,
        usual(style.num_attention_heads),
    );
    let kv_names = ["num_key_value_heads", "num_kv_heads", "n_head_kv"];
    let says_null = kv_names.iter().any(|name| fields.is_null(name));
    let kv = if says_null || style.num_key_value_heads == 0 { heads } else { style.num_key_value_heads };
    let num_key_value_heads = fields.count(&kv_names, ParamId::KvHeads, Some(kv));
    let dim = if fields.is_null("head_dim") || style.head_dim == 0 { hidden_size / heads } else { style.head_dim };
    let head_dim = fields.count(&["head_dim", "dim_head", "kv_channels"], ParamId::HeadDim, Some(dim.max(1)));
    let mlp =
        if style.gated_mlp { usual(style.intermediate_size) } else { Some(hidden_size.saturating_mul(MLP_RATIO)) };
    let widths = ["intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "dim_ff", "dff"];
    let intermediate_size = fields.count(&widths, ParamId::MlpWidth, mlp);
    let vocab_size = fields.count(&["vocab_size"], ParamId::VocabSize, usual(style.vocab_size));
    let biased = fields.flag("attention_bias", style.attention_bias != AttentionBias::None);
    Architecture {
        num_hidden_layers,
        hidden_size,
        num_attention_heads: heads,
        num_key_value_heads,
        head_dim,
        intermediate_size,
        vocab_size,
        attention_bias: match (biased, style.attention_bias) {
            (false, _) => AttentionBias::None,
            (true, AttentionBias::None) => AttentionBias::All,
            (true, usual) => usual,
        },
        mlp_bias: fields.flag("mlp_bias", style.mlp_bias),
        tie_word_embeddings: fields.tied(style.tie_word_embeddings),
        head_bias: fields.flag("lm_head_bias", style.head_bias),
        ..style
    }
}

/// Sets biases on all of attention and the MLP, or on neither.
fn with_biases(biased: bool, shape: Architecture) -> Architecture {
    let attention_bias = if biased { AttentionBias::All } else { AttentionBias::None };
    Architecture { attention_bias, mlp_bias: biased, ..shape }
}

/// Reads a dense model with sliding windows.
pub(super) fn windowed(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    // Phi: only configs in which every layer is a full one are understood.
    fields.expect("full_attn_mod", 1.0);
    with_windows(fields, shape)
}

pub(super) fn qwen(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    with_switched_windows(fields, shape)
}

/// Reads SmolLM3. Positions are rotary in some layers only, which changes no shape.
pub(super) fn smollm(fields: &mut Fields, style: Architecture) -> Architecture {
    fields.mark("no_rope_layers");
    fields.mark("no_rope_layer_interval");
    qwen(fields, style)
}

pub(super) fn gpt_2(fields: &mut Fields, style: Architecture) -> Architecture {
    let names = ["n_positions", "max_position_embeddings"];
    let learned_positions = fields.count(&names, ParamId::LearnedPositions, Some(GPT_2_POSITIONS));
    Architecture { learned_positions, ..llama(fields, style) }
}

pub(super) fn opt(fields: &mut Fields, style: Architecture) -> Architecture {
    /// Default of the class.
    const USUAL: u32 = 2048;
    let shape = llama(fields, style);
    let positions = fields.count(&["max_position_embeddings"], ParamId::LearnedPositions, Some(USUAL));
    fields.mark("do_layer_norm_before");
    fields.mark("layer_norm_elementwise_affine");
    let shape = with_biases(fields.flag("enable_bias", true), shape);
    let positions = f64::from(positions) + UNUSED_POSITIONS;
    let shape = with_narrow_embedding(fields, shape);
    Architecture {
        learned_positions: fields.checked("max_position_embeddings + 2", positions, ParamId::LearnedPositions),
        ..shape
    }
}

/// An embedding of another width than the hidden size (OPT 350M), with a matrix from it and one to it.
fn with_narrow_embedding(fields: &mut Fields, shape: Architecture) -> Architecture {
    let (width, hidden) = (fields.number(&["word_embed_proj_dim"]), f64::from(shape.hidden_size));
    if width == 0.0 || width == hidden {
        return shape;
    }
    let tables = if shape.tie_word_embeddings { 1.0 } else { 2.0 } * f64::from(shape.vocab_size);
    plus(shape, 0.0, tables * (width - hidden) + 2.0 * width * hidden)
}

/// Reads Falcon: one key and value head for all queries, or several in the newer blocks, which have
/// separate norms for attention and the MLP.
pub(super) fn falcon(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    let newer = fields.flag("new_decoder_architecture", fields.peek("n_head_kv").is_some());
    let shared = fields.flag("multi_query", true);
    let parallel = fields.flag("parallel_attn", true);
    let norms = fields.count(&["num_ln_in_parallel_attn"], ParamId::NormsPerLayer, Some(if newer { 2 } else { 1 }));
    let shape = with_biases(fields.flag("bias", false), shape);
    let num_key_value_heads = match (newer, shared) {
        (true, _) => shape.num_key_value_heads,
        (false, true) => 1,
        (false, false) => shape.num_attention_heads,
    };
    Architecture { num_key_value_heads, norms_per_layer: if parallel { norms } else { 2 }, ..shape }
}

pub(super) fn starcoder(fields: &mut Fields, style: Architecture) -> Architecture {
    let biased = fields.flag("use_bias", true);
    fields.mark("norm_type");
    fields.mark("mlp_type");
    with_biases(biased, windowed(fields, Architecture { sliding_window: 0, ..style }))
}

/// Reads Cohere, whose queries and keys may have norms, with weights for each head.
pub(super) fn cohere(fields: &mut Fields, style: Architecture) -> Architecture {
    let qk_norm = if fields.flag("use_qk_norm", false) { QkNorm::Full } else { QkNorm::None };
    Architecture { qk_norm, ..llama(fields, style) }
}

pub(super) fn internlm(fields: &mut Fields, style: Architecture) -> Architecture {
    let biased = fields.flag("bias", style.attention_bias != AttentionBias::None);
    Architecture { mlp_bias: false, ..with_biases(biased, llama(fields, style)) }
}
