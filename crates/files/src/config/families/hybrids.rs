//! Linear attention, gated delta networks, short convolutions and recurrences, most with layers of attention between them.

use serde_json::Value;

use super::extra::{Dims, plus};
use super::general::{base, layers, listed, mixture};
use super::mamba::part;
use super::{DEEPSEEK, Family, Fields, OLMO_2, QWEN_3, TIED, family};
use crate::config::layers::Layers;
use engine::catalog::models::LLAMA_STYLE;
use engine::model::transformer::pattern::Mixer;
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::model::transformer::{Architecture, Experts, ExtraParams, LatentAttention, QkNorm};
use engine::params::ParamId;

/// Queries of latent attention without a rank.
const DIRECT: Architecture =
    Architecture { latent: LatentAttention { q_lora_rank: 0, ..LatentAttention::DEEPSEEK }, ..DEEPSEEK };
const QWEN_NEXT: Architecture = Architecture {
    gated_attention: true,
    head_dim: 256,
    experts: Experts { shared_expert_gate: true, ..Experts::NONE },
    ..QWEN_3
};
const LFM: Architecture = Architecture { qk_norm: QkNorm::PerHead, num_key_value_heads: 8, ..TIED };

/// The families, in display order.
pub(super) const FAMILIES: &[Family] = &[
    family("Bailing hybrid", &["bailing_hybrid"], DIRECT, bailing),
    family("Kimi Linear", &["kimi_linear"], DIRECT, kimi),
    family("LFM2", &["lfm2", "lfm2_moe"], LFM, lfm_2),
    family("LFM3", &["lfm3"], LFM, lfm_3),
    family(
        "MiniMax",
        &["minimax", "MiniMaxText01", "minimax_text_01", "MiniMaxM1"],
        Architecture { num_key_value_heads: 8, ..LLAMA_STYLE },
        minimax,
    ),
    family("OLMo hybrid", &["olmo_hybrid"], OLMO_2, olmo),
    family("Qwen3-Next", &["qwen3_next", "qwen3_5_moe_text", "qwen3_5_moe"], QWEN_NEXT, qwen_mixture),
    family("Qwen3.5", &["qwen3_5_text", "qwen3_5"], QWEN_NEXT, qwen),
];

/// The gated delta network of Qwen3-Next, with its class's values.
fn gated_delta(fields: &mut Fields) -> Recurrent {
    Recurrent {
        kind: RecurrentKind::GatedDelta,
        heads: part(fields, &["linear_num_value_heads"], ParamId::StateHeads, 32.0),
        head_dim: part(fields, &["linear_value_head_dim"], ParamId::StateHeadDim, 128.0),
        key_heads: part(fields, &["linear_num_key_heads"], ParamId::StateKeyHeads, 16.0),
        key_dim: part(fields, &["linear_key_head_dim"], ParamId::StateKeyDim, 128.0),
        conv_kernel: part(fields, &["linear_conv_kernel_dim"], ParamId::ConvWidth, 4.0),
        ..Recurrent::NONE
    }
}

/// The list of layers, or one of attention in so many where there is none.
fn at_intervals(fields: &mut Fields, shape: &Architecture, usual: f64) -> Layers {
    let listed = fields.peek("layer_types").is_some_and(|list| list.as_array().is_some_and(|list| !list.is_empty()));
    let interval = match fields.number(&["full_attention_interval"]) {
        0.0 => usual,
        interval => interval,
    };
    let layers = layers(fields, shape);
    if listed {
        return layers;
    }
    layers.mixing(|layer| if (layer as f64 + 1.0) % interval == 0.0 { Mixer::Attention } else { Mixer::Recurrent })
}

fn qwen_mixture(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, Architecture { intermediate_size: shape.intermediate_size, ..shape });
    let shape = Architecture { recurrent: gated_delta(fields), ..shape };
    at_intervals(fields, &shape, 4.0).write(fields, shape)
}

fn qwen(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, Architecture { experts: Experts::NONE, ..style });
    let shape = Architecture { recurrent: gated_delta(fields), ..shape };
    at_intervals(fields, &shape, 4.0).write(fields, shape)
}

/// Reads OLMo hybrid.
fn olmo(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = Architecture { recurrent: gated_delta(fields), ..shape };
    for name in ["linear_a_log_max", "linear_a_log_min", "linear_allow_neg_eigval", "linear_dt_max", "linear_dt_min"] {
        fields.mark(name);
    }
    at_intervals(fields, &shape, 4.0).write(fields, shape)
}

/// Kimi delta attention; its values and keys are alike.
fn kimi_delta(fields: &mut Fields, rank: impl Fn(u32) -> u32) -> Recurrent {
    let (heads, dim) = (["linear_num_heads"], ["linear_head_dim"]);
    let heads = part(fields, &heads, ParamId::StateHeads, 32.0);
    let head_dim = part(fields, &dim, ParamId::StateHeadDim, 128.0);
    let kernel = ["linear_conv_kernel_dim", "short_conv_kernel_size"];
    let conv_kernel = part(fields, &kernel, ParamId::ConvWidth, 4.0);
    for name in ["short_conv_kernel_size", "moe_renormalize", "model_max_length", "kda_lower_bound", "kda_safe_gate"] {
        fields.mark(name);
    }
    Recurrent {
        kind: RecurrentKind::KimiDelta,
        heads,
        head_dim,
        key_heads: heads,
        key_dim: head_dim,
        conv_kernel,
        rank: rank(head_dim),
        ..Recurrent::NONE
    }
}

/// Reads Kimi Linear. The configuration that Moonshot publishes says which layers have attention in `linear_attn_config`.
fn kimi(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    // The class does not tie its head.
    let shape = Architecture { tie_word_embeddings: false, ..mixture(fields, shape) };
    let mut recurrent = kimi_delta(fields, |width| width);
    let nested = fields.object("linear_attn_config");
    let number = |name: &str| nested.and_then(|entries| entries.get(name)).and_then(Value::as_f64);
    let mut set = |value: Option<f64>, id: ParamId, field: fn(&mut Recurrent) -> Vec<&mut u32>| {
        if let Some(value) = value {
            let value = fields.checked("linear_attn_config", value, id);
            for place in field(&mut recurrent) {
                *place = value;
            }
        }
    };
    set(number("num_heads"), ParamId::StateHeads, |mixer| vec![&mut mixer.heads, &mut mixer.key_heads]);
    set(number("head_dim"), ParamId::StateHeadDim, |mixer| {
        vec![&mut mixer.head_dim, &mut mixer.key_dim, &mut mixer.rank]
    });
    set(number("short_conv_kernel_size"), ParamId::ConvWidth, |mixer| vec![&mut mixer.conv_kernel]);
    let shape = Architecture { recurrent, ..shape };
    let full = nested.and_then(|entries| entries.get("full_attn_layers")).and_then(Value::as_array);
    let Some(full) = full else {
        let layers = layers(fields, &shape);
        let shape = of_attention_alone(&layers, shape);
        return layers.write(fields, shape);
    };
    // They count from 1.
    let has = |layer: usize| full.iter().any(|place| *place == (layer + 1) as f64);
    let layers = layers(fields, &shape).mixing(|layer| if has(layer) { Mixer::Attention } else { Mixer::Recurrent });
    let shape = of_attention_alone(&layers, shape);
    layers.write(fields, shape)
}

/// What was counted for latent attention in every layer, of the layers that have it.
fn of_attention_alone(layers: &Layers, shape: Architecture) -> Architecture {
    let share = layers.attention() / f64::from(shape.num_hidden_layers);
    let extra = ExtraParams { layers: (shape.extra.layers as f64 * share).round() as i64, ..shape.extra };
    Architecture { extra, ..shape }
}

/// Reads Bailing's hybrid: decay and gate of full rank, and a gate for each head of attention.
fn bailing(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let recurrent = kimi_delta(fields, |_| 0);
    for name in ["layer_group_size", "num_nextn_predict_layers"] {
        fields.mark(name);
    }
    // The class does not tie its head.
    let shape = Architecture { recurrent, tie_word_embeddings: false, ..shape };
    let layers = layers(fields, &shape);
    let shape = of_attention_alone(&layers, shape);
    let of = Dims::of(&shape);
    let gates = layers.recurrent() * of.hidden * (recurrent.inner_width() + recurrent.key_width());
    let shape = plus(shape, gates + layers.attention() * of.heads * of.hidden, 0.0);
    layers.write(fields, shape)
}

/// The short convolution of LFM.
fn short_conv(fields: &mut Fields, hidden: u32) -> Recurrent {
    let biased = fields.flag("conv_bias", false);
    Recurrent {
        kind: RecurrentKind::ShortConv,
        heads: 1,
        head_dim: hidden,
        conv_kernel: part(fields, &["conv_L_cache"], ParamId::ConvWidth, 3.0),
        conv_bias: biased,
        bias: biased,
        ..Recurrent::NONE
    }
}

/// Reads LFM2, whose MLP is two thirds of the width that the config says, rounded up.
fn lfm_2(fields: &mut Fields, style: Architecture) -> Architecture {
    let mut shape = base(fields, style);
    let names = ["block_ff_dim", "intermediate_size"];
    let said = match fields.number(&names) {
        0.0 => f64::from(shape.intermediate_size),
        said => said,
    };
    shape.intermediate_size = said as u32;
    let sparse = fields.peek("num_experts").is_some();
    if fields.flag("block_auto_adjust_ff_dim", !sparse) && !sparse {
        let times = fields.number(&["block_ffn_dim_multiplier"]);
        let multiple = fields.number(&["block_multiple_of"]).max(1.0);
        let width = (2.0 * said / 3.0).floor();
        let width = if times > 0.0 { (times * width).floor() } else { width };
        let width = multiple * ((width + multiple - 1.0) / multiple).floor();
        shape.intermediate_size = fields.checked("The width of the MLP", width, ParamId::MlpWidth);
    }
    fields.mark("block_ffn_dim_multiplier");
    fields.mark("block_multiple_of");
    let mut shape = Architecture { recurrent: short_conv(fields, shape.hidden_size), ..shape };
    if sparse {
        shape = mixture(fields, shape);
        fields.mark("use_expert_bias");
    }
    let full = fields.numbers("full_attn_idxs").unwrap_or_default();
    if fields.peek("layer_types").is_some_and(Value::is_array) {
        return listed(fields, shape);
    }
    let has = |layer: usize| full.contains(&(layer as f64));
    let layers = layers(fields, &shape).mixing(|layer| if has(layer) { Mixer::Attention } else { Mixer::Recurrent });
    layers.write(fields, shape)
}

/// Reads LFM3: a gate for each head of attention, norms after the blocks too.
fn lfm_3(fields: &mut Fields, style: Architecture) -> Architecture {
    let norms_per_layer = if fields.flag("use_sandwich_norm", true) { 4 } else { 2 };
    let shape = base(fields, Architecture { norms_per_layer, ..style });
    let shape = Architecture { recurrent: short_conv(fields, shape.hidden_size), ..shape };
    let layers = layers(fields, &shape);
    let of = Dims::of(&shape);
    let gates = if fields.flag("use_attention_gate", true) { layers.attention() * of.heads * of.hidden } else { 0.0 };
    let shape = plus(shape, gates, 0.0);
    layers.write(fields, shape)
}

/// Reads MiniMax-01: lightning attention of as many heads as attention has. Published files say which layer has which in `attn_type_list`.
fn minimax(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let recurrent = Recurrent {
        kind: RecurrentKind::Lightning,
        heads: shape.num_attention_heads,
        head_dim: shape.head_dim,
        key_heads: shape.num_attention_heads,
        key_dim: shape.head_dim,
        chunk: part(fields, &["block_size"], ParamId::StateChunk, 256.0),
        ..Recurrent::NONE
    };
    let shape = Architecture { recurrent, ..shape };
    let types = fields.numbers("attn_type_list").unwrap_or_default();
    for name in ["shared_moe_mode", "postnorm"] {
        fields.mark(name);
    }
    if types.is_empty() {
        return listed(fields, shape);
    }
    let has = |layer: usize| types.get(layer).is_none_or(|kind| *kind == 1.0);
    Layers::of(&shape).mixing(|layer| if has(layer) { Mixer::Attention } else { Mixer::Recurrent }).write(fields, shape)
}
