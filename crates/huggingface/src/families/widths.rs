//! Gemma 3n, Gemma 4 and dots 3, whose layers differ in width or share keys and values.

use serde_json::Value;

use super::extra::{Dims, plus};
use super::{Fields, base, layers, mixture, rows, through};
use crate::layers::Layers;
use engine::model::transformer::pattern::{Mixer, Mlp};
use engine::model::transformer::{Architecture, AttentionBias};
use engine::params::ParamId;

/// Returns the parameters of keys and values, with the norm of keys, in layers that reuse the keys
/// and values of an earlier layer.
fn shared_keys(of: &Dims, shared: f64, dim: f64, bias: bool) -> f64 {
    shared * (of.kv * dim * 2.0 * (of.hidden + if bias { 1.0 } else { 0.0 }) + dim)
}

/// Returns the number of last layers that share the keys and values of earlier ones.
fn shared_layers(fields: &mut Fields, of: &Dims, layers: &Layers) -> f64 {
    let shared = fields.number(&["num_kv_shared_layers"]);
    // If there are fewer layers: all but one layer of each kind.
    let kinds = f64::from(layers.windowed() > 0.0) + f64::from(layers.windowed() < of.layers);
    if shared < of.layers { shared } else { of.layers - kinds }
}

/// Returns the style with the widest MLP of a list, and the list of widths.
fn widths(fields: &mut Fields, style: Architecture) -> (Architecture, Vec<f64>) {
    let list = fields.numbers("intermediate_size").unwrap_or_default();
    let widest = list.iter().copied().fold(0.0, f64::max);
    (Architecture { intermediate_size: widest as u32, ..style }, list)
}

/// Reads Gemma 3n: AltUp's four streams, LAuReL's low ranks, a table of inputs for each layer.
pub(super) fn gemma_3n(fields: &mut Fields, style: Architecture) -> Architecture {
    let (style, list) = widths(fields, style);
    let shape = if list.is_empty() { base(fields, style) } else { base_of_list(fields, style) };
    let of = Dims::from_shape(&shape);
    let own = fields.number(&["hidden_size_per_layer_input"]);
    let table = fields.number(&["vocab_size_per_layer_input"]);
    let rank = fields.number(&["laurel_rank"]);
    let streams = fields.number(&["altup_num_inputs"]);
    let layers = layers(fields, &shape);
    let shared = shared_layers(fields, &of, &layers);
    for name in ["altup_active_idx", "altup_correct_scale", "activation_sparsity_pattern"] {
        fields.mark(name);
    }
    let scale = if fields.flag("altup_correct_scale", true) { of.hidden } else { 0.0 };
    let altup = scale + streams * streams + streams.powi(3) + streams * of.hidden + of.hidden;
    let laurel = 2.0 * of.hidden * rank + of.hidden;
    let inputs = 2.0 * own * of.hidden + of.hidden;
    let narrower: f64 = list.iter().map(|width| 3.0 * of.hidden * (width - of.mlp)).sum();
    let bias = shape.attention_bias != AttentionBias::None;
    let in_layers = of.layers * (altup + laurel + inputs) + narrower - shared_keys(&of, shared, of.dim, bias);
    let outside =
        table * of.layers * own + of.layers * own * of.hidden + own + 2.0 * (streams - 1.0) * of.hidden * of.hidden;
    let shape = plus(shape, in_layers, outside);
    layers.write(fields, shape)
}

/// Reads the other fields if `intermediate_size` is a list.
fn base_of_list(fields: &mut Fields, style: Architecture) -> Architecture {
    let width = style.intermediate_size;
    fields.skip("intermediate_size");
    let shape = base(fields, style);
    Architecture { intermediate_size: width, ..shape }
}

/// Reads Gemma 4: wider heads in the layers that attend to the whole sequence, whose values may be
/// their keys; last layers that share keys and values; a table of inputs for each layer; experts
/// next to the MLP.
pub(super) fn gemma_4(fields: &mut Fields, style: Architecture) -> Architecture {
    let mut shape = base(fields, style);
    let of = Dims::from_shape(&shape);
    let listed = fields.peek("layer_types").is_some_and(Value::is_array);
    let layers =
        if listed { layers(fields, &shape) } else { Layers::from_shape(&Architecture { global_every: 6, ..shape }) };
    let last = shape.num_hidden_layers.saturating_sub(1) as usize;
    let layers = if listed { layers } else { layers.with_mixer(last, Mixer::Attention) };
    let shared = shared_layers(fields, &of, &layers);
    let wide_mlp = fields.flag("use_double_wide_mlp", false);
    let alternative = fields.flag("attention_k_eq_v", false);
    let bias = shape.attention_bias != AttentionBias::None;
    let per_layer = fields.object("per_layer_config");
    let usual = [fields.number(&["global_head_dim"]), fields.number(&["num_global_key_value_heads"])];
    let own = |layer: usize, field: &str| -> Option<f64> {
        let entries = per_layer?;
        let entry = entries.iter().find(|(key, _)| key.parse() == Ok(layer))?.1;
        entry.get(field).and_then(Value::as_f64)
    };
    let mut more = 0.0;
    for (layer, kind) in layers.kinds().iter().enumerate() {
        let full = kind.mixer == Mixer::Attention;
        let global = |value: f64| (full && per_layer.is_none() && value > 0.0).then_some(value);
        let dim = own(layer, "head_dim").or_else(|| global(usual[0])).unwrap_or(of.dim);
        let kv = own(layer, "num_key_value_heads").or_else(|| global(usual[1])).unwrap_or(of.kv);
        let inputs = of.hidden + if bias { 1.0 } else { 0.0 };
        let count =
            |dim: f64, kv: f64, both: f64| of.heads * dim * (of.hidden + inputs) + both * kv * dim * inputs + 2.0 * dim;
        let reuses = layer as f64 >= of.layers - shared;
        let values = if alternative && full { 1.0 } else { 2.0 };
        let here = if reuses { count(dim, kv, 0.0) - dim } else { count(dim, kv, values) };
        more += here - count(of.dim, of.kv, 2.0);
    }
    let wider = if wide_mlp { shared * 3.0 * of.hidden * of.mlp } else { 0.0 };
    let own_inputs = fields.number(&["hidden_size_per_layer_input"]);
    let table = fields.number(&["vocab_size_per_layer_input"]);
    let inputs = if own_inputs > 0.0 { 2.0 * own_inputs * of.hidden + of.hidden } else { 0.0 };
    let outside = if own_inputs > 0.0 { of.layers * own_inputs * (table + of.hidden) + own_inputs } else { 0.0 };
    fields.mark("use_bidirectional_attention");
    let mut routed = 0.0;
    if fields.flag("enable_moe_block", false) {
        shape = mixture(fields, shape);
        // The MLP that every token passes, next to the experts.
        let width = f64::from(shape.intermediate_size);
        shape.experts.shared_intermediate_size = fields.checked("intermediate_size", width, ParamId::SharedExpertWidth);
        routed = 4.0 * of.hidden + f64::from(shape.experts.num_experts);
        let layers = layers.followed(|_| Mlp::Experts);
        let shape = plus(shape, more + wider + of.layers * (inputs + routed), outside);
        return layers.write(fields, shape);
    }
    let shape = plus(shape, more + wider + of.layers * (inputs + routed), outside);
    layers.write(fields, shape)
}

/// Reads dots 3: latent attention of other widths in the layers with a window, indexers in the
/// others, a gate for each head.
pub(super) fn dots(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let layers = layers(fields, &shape);
    let of = Dims::from_shape(&shape);
    let (heads, dim) = (fields.number(&["index_n_heads"]), fields.number(&["index_head_dim"]));
    for name in ["index_topk", "index_topk_freq", "index_skip_topk_offset", "indexer_rope_interleave"] {
        fields.mark(name);
    }
    let rank = f64::from(shape.latent.q_lora_rank);
    let one = rank * heads * dim + of.hidden * dim + 2.0 * dim + of.hidden * heads;
    let per_layer = fields.object("per_layer_config");
    let usual = |field: &str| match field {
        "kv_lora_rank" => f64::from(shape.latent.kv_lora_rank),
        "q_lora_rank" => f64::from(shape.latent.q_lora_rank),
        "qk_nope_head_dim" => f64::from(shape.latent.qk_nope_head_dim),
        "qk_rope_head_dim" => f64::from(shape.latent.qk_rope_head_dim),
        "v_head_dim" => f64::from(shape.latent.v_head_dim),
        _ => of.heads,
    };
    let count = |get: &dyn Fn(&str) -> f64| {
        let (rank, queries, heads) = (get("kv_lora_rank"), get("q_lora_rank"), get("num_attention_heads"));
        let (nope, rope, value) = (get("qk_nope_head_dim"), get("qk_rope_head_dim"), get("v_head_dim"));
        queries * (of.hidden + 1.0)
            + queries * heads * (nope + rope)
            + of.hidden * (rank + rope)
            + rank
            + rank * heads * (nope + value)
            + heads * value * of.hidden
            + heads * of.hidden
            + rope
    };
    let plain = shape.attention_params_per_layer() as f64 + shape.core().normed_ranks;
    let entry = |layer: usize| per_layer?.iter().find(|(key, _)| key.parse() == Ok(layer)).map(|(_, entry)| entry);
    let mut more = 0.0;
    for (layer, kind) in layers.kinds().iter().enumerate() {
        let own = entry(layer);
        let get = |field: &str| {
            own.and_then(|entry| entry.get(field)).and_then(Value::as_f64).unwrap_or_else(|| usual(field))
        };
        more += count(&get) - plain + if kind.mixer == Mixer::Attention { one } else { 0.0 };
    }
    let shape = plus(shape, more, 0.0);
    let shape = layers.write(fields, shape);
    through(rows::shared_biases, fields, shape)
}
