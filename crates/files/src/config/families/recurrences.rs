//! Recurrences of their own kind: RecurrentGemma, RWKV, xLSTM.

use super::extra::{Dims, plus};
use super::general::base;
use super::mamba::part;
use super::{Family, Fields, TIED, family};
use crate::config::layers::Layers;
use engine::catalog::models::LLAMA_STYLE;
use engine::model::transformer::pattern::Mixer;
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::model::transformer::{Architecture, AttentionBias, Norm};
use engine::params::ParamId;

/// The families.
pub(super) const FAMILIES: &[Family] = &[
    family("RecurrentGemma", &["recurrent_gemma"], Architecture { mlp_bias: true, ..TIED }, griffin),
    family("RWKV", &["rwkv"], RWKV, rwkv),
    family(
        "xLSTM",
        &["xlstm"],
        Architecture { num_key_value_heads: 1, head_dim: 1, intermediate_size: 1, ..LLAMA_STYLE },
        xlstm,
    ),
];

const RWKV: Architecture = Architecture {
    num_attention_heads: 1,
    num_key_value_heads: 1,
    head_dim: 1,
    gated_mlp: false,
    norm: Norm::Layer,
    ..LLAMA_STYLE
};

/// Reads RecurrentGemma: blocks that repeat, an MLP of half of `intermediate_size`, a bias on attention's output.
fn griffin(fields: &mut Fields, style: Architecture) -> Architecture {
    let window = fields.count(&["attention_window_size"], ParamId::SlidingWindow, Some(2048));
    let shape = base(fields, style);
    let width = match fields.number(&["lru_width"]) {
        0.0 => f64::from(shape.hidden_size),
        width => width,
    };
    let heads = shape.num_attention_heads;
    let recurrent = Recurrent {
        kind: RecurrentKind::RgLru,
        heads,
        head_dim: fields.checked(
            "lru_width over heads",
            (width / f64::from(heads)).floor().max(1.0),
            ParamId::StateHeadDim,
        ),
        conv_kernel: part(fields, &["conv1d_width"], ParamId::ConvWidth, 4.0),
        conv_bias: true,
        bias: true,
        ..Recurrent::NONE
    };
    let shape = Architecture {
        recurrent,
        sliding_window: window,
        intermediate_size: (shape.intermediate_size / 2).max(1),
        mlp_bias: true,
        logit_softcap: true,
        ..shape
    };
    fields.mark("logits_soft_cap");
    let blocks = fields.words("block_types").or_else(|| fields.words("_block_types")).unwrap_or_default();
    let usual = ["recurrent", "recurrent", "attention"];
    let blocks = if blocks.is_empty() { usual.to_vec() } else { blocks };
    let has = |layer: usize| blocks.get(layer % blocks.len()) == Some(&"attention");
    let layers = Layers::of(&shape).mixing(|layer| if has(layer) { Mixer::Window } else { Mixer::Recurrent });
    let shape = match shape.attention_bias {
        AttentionBias::None => plus(shape, layers.attention() * f64::from(shape.hidden_size), 0.0),
        _ => shape,
    };
    layers.write(fields, shape)
}

/// Reads RWKV 4: time mixing of four square matrices, channel mixing of three.
fn rwkv(fields: &mut Fields, style: Architecture) -> Architecture {
    let usual = fields.number(&["hidden_size"]) * 4.0;
    let shape = base(fields, Architecture { intermediate_size: usual as u32, ..style });
    let width = match fields.number(&["attention_hidden_size"]) {
        0.0 => f64::from(shape.hidden_size),
        width => width,
    };
    fields.mark("rescale_every");
    let recurrent = Recurrent {
        kind: RecurrentKind::ShortConv,
        heads: 1,
        head_dim: fields.checked("attention_hidden_size", width, ParamId::StateHeadDim),
        ..Recurrent::NONE
    };
    let shape = Architecture { recurrent, ..shape };
    let of = Dims::of(&shape);
    let shape = plus(shape, of.layers * (of.hidden * of.hidden + 2.0 * width + 5.0 * of.hidden), 2.0 * of.hidden);
    Layers::of(&shape).mixing(|_| Mixer::Recurrent).write(fields, shape)
}

/// Reads xLSTM: matrix memories, with gates of input and forgetting for each head.
fn xlstm(fields: &mut Fields, style: Architecture) -> Architecture {
    let mut shape = base(fields, style);
    shape.num_hidden_layers = fields.count(&["num_blocks"], ParamId::Layers, Some(shape.num_hidden_layers));
    fields.mark("embedding_dim");
    let hidden = f64::from(shape.hidden_size);
    let mut factor = |name: &'static str, usual: f64| match fields.number(&[name]) {
        0.0 => usual,
        factor => factor,
    };
    let factors = [factor("qk_dim_factor", 0.5), factor("v_dim_factor", 1.0), factor("ffn_proj_factor", 2.667)];
    let multiple = factor("ffn_round_up_to_multiple_of", 64.0);
    // As the class rounds, which is not always up.
    let up = |width: f64, multiple: f64| ((width + multiple - 1.0) / multiple).floor() * multiple;
    let (keys, values) = ((hidden * factors[0]).floor(), (hidden * factors[1]).floor());
    let heads = shape.num_attention_heads;
    let per_head = |width: f64| (width / f64::from(heads)).floor().max(1.0);
    let mlp = up(hidden * factors[2], multiple);
    let recurrent = Recurrent {
        kind: RecurrentKind::GatedDelta,
        heads,
        head_dim: fields.checked("The width of a memory's values", per_head(values), ParamId::StateHeadDim),
        key_heads: heads,
        key_dim: fields.checked("The width of a memory's keys", per_head(keys), ParamId::StateKeyDim),
        chunk: part(fields, &["chunk_size"], ParamId::StateChunk, 64.0),
        ..Recurrent::NONE
    };
    for name in [
        "chunkwise_kernel",
        "sequence_kernel",
        "step_kernel",
        "mode",
        "autocast_kernel_dtype",
        "inference_state_dtype",
        "return_last_states",
        "norm_reduction_force_float32",
        "weight_mode",
        "max_inference_chunksize",
        "add_out_norm",
        "gate_soft_cap",
        "norm_eps",
        "hidden_size",
    ] {
        fields.mark(name);
    }
    let intermediate_size = fields.checked("The width of the MLP", mlp, ParamId::MlpWidth);
    let shape =
        Architecture { recurrent, intermediate_size, num_attention_heads: 1, tie_word_embeddings: false, ..shape };
    let of = Dims::of(&shape);
    let norm = values - f64::from(recurrent.head_dim);
    let biased = fields.flag("use_bias", false);
    let biases = if biased { 2.0 * keys + 3.0 * values + 4.0 * hidden + 2.0 * of.mlp } else { 0.0 };
    let shape =
        plus(shape, of.layers * (norm + biases), if fields.flag("add_out_norm", true) { 0.0 } else { -of.hidden });
    Layers::of(&shape).mixing(|_| Mixer::Recurrent).write(fields, shape)
}
