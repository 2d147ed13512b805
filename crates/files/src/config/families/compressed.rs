//! Sparse and compressed attention over latent keys: indexers (DeepSeek V3.2), compressors and hyper-connections (DeepSeek V4), and models
//! with relative positions and convolutions in every layer.

use serde_json::Value;

use super::extra::{Dims, plus};
use super::general::{base, layers, mixture, sparse, with_shared_biases};
use super::{DEEPSEEK, Family, Fields, QWEN_3, family};
use crate::config::layers::Layers;
use engine::catalog::models::LLAMA_STYLE;
use engine::model::transformer::Architecture;
use engine::model::transformer::pattern::Mixer;
use engine::params::ParamId;

const DEEPSEEK_4: Architecture = Architecture {
    num_key_value_heads: 1,
    head_dim: 512,
    attention_sinks: true,
    intermediate_size: 2048,
    sliding_window: 0,
    ..LLAMA_STYLE
};
const HUNYUAN_4: Architecture = Architecture { attention_sinks: true, ..DEEPSEEK };

/// The families, in display order.
pub(super) const FAMILIES: &[Family] = &[
    family("DeepSeek-V3.2", &["deepseek_v32", "glm_moe_dsa"], DEEPSEEK, deepseek),
    family("DeepSeek-V4", &["deepseek_v4"], DEEPSEEK_4, deepseek_4),
    family("Hunyuan 4", &["hy_v4"], HUNYUAN_4, hunyuan),
    family("A.X K2", &["axk2"], DEEPSEEK, ax_k2),
    family("dots 3", &["dots3_note_text", "dots3_note"], DEEPSEEK, dots),
    family("Inkling", &["inkling_text"], Architecture { embedding_norm: true, ..QWEN_3 }, inkling),
    family("Inkling 2", &["inkling2_text"], Architecture { embedding_norm: true, ..LLAMA_STYLE }, inkling_2),
];

/// Parameters of one layer's indexer: queries from their rank, one key with a layer norm, a weight for each head.
fn indexer(fields: &mut Fields, shape: &Architecture) -> f64 {
    let (heads, dim) = (fields.number(&["index_n_heads"]), fields.number(&["index_head_dim"]));
    for name in ["index_topk", "index_topk_freq", "index_skip_topk_offset", "indexer_rope_interleave"] {
        fields.mark(name);
    }
    let (hidden, rank) = (f64::from(shape.hidden_size), f64::from(shape.latent.q_lora_rank));
    rank * heads * dim + hidden * dim + 2.0 * dim + hidden * heads
}

/// Layers with an indexer of their own: those that are not said to share another's.
fn indexed(fields: &mut Fields, layers: f64) -> f64 {
    match fields.words("indexer_types") {
        Some(types) if !types.is_empty() => types.iter().filter(|kind| **kind == "full").count() as f64,
        _ => layers,
    }
}

fn deepseek(fields: &mut Fields, style: Architecture) -> Architecture {
    // The class has no such biases.
    fields.skip("mlp_bias");
    let shape = sparse(fields, style);
    let one = indexer(fields, &shape);
    let layers = indexed(fields, Dims::of(&shape).layers);
    plus(shape, one * layers, 0.0)
}

/// Hyper-connections: matrices from all streams to weights of them, before attention and before the MLP, and one at the end.
fn hyper_connections(fields: &mut Fields, of: &Dims, weights: impl Fn(f64) -> f64, scales: f64) -> (f64, f64) {
    let streams = fields.number(&["hc_mult"]);
    for name in ["hc_sinkhorn_iters", "hc_magnitude", "hc_post_eps"] {
        fields.mark(name);
    }
    let wide = streams * of.hidden;
    let one = weights(streams) * (wide + 1.0) + scales;
    (2.0 * one * of.layers, streams * (wide + 1.0) + 1.0)
}

/// Reads DeepSeek V4: one key for all heads, compressors of what lies far back, an output through groups of low rank.
fn deepseek_4(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let mut shape = mixture(fields, shape);
    // One shared expert, whatever the configuration says.
    shape.experts.shared_intermediate_size = shape.experts.moe_intermediate_size;
    let of = Dims::of(&shape);
    let (rank, groups, out_rank) =
        (fields.number(&["q_lora_rank"]), fields.number(&["o_groups"]), fields.number(&["o_lora_rank"]));
    let (heads, dim) = (fields.number(&["index_n_heads"]), fields.number(&["index_head_dim"]));
    for name in [
        "index_topk",
        "scoring_func",
        "num_nextn_predict_layers",
        "compress_rope_theta",
        "compress_ratios",
        "partial_rotary_factor",
        "mlp_layer_types",
        "num_hash_layers",
    ] {
        fields.mark(name);
    }
    let rates = fields.object("compress_rates");
    let rate =
        |name: &str, usual: f64| rates.and_then(|rates| rates.get(name)).and_then(Value::as_f64).unwrap_or(usual);
    let (near, far) = (rate("compressed_sparse_attention", 4.0), rate("heavily_compressed_attention", 128.0));
    let wide = of.heads * of.dim;
    let attention = of.heads
        + of.hidden * rank
        + rank
        + rank * wide
        + of.hidden * of.dim
        + of.dim
        + wide * out_rank
        + groups * out_rank * of.hidden;
    let compressor = |width: f64, rate: f64| width * (rate + 2.0 * of.hidden);
    let heavy = compressor(of.dim, far) + of.dim;
    let sparse = compressor(2.0 * of.dim, near)
        + of.dim
        + compressor(2.0 * dim, near)
        + dim
        + rank * heads * dim
        + of.hidden * heads;
    let kinds = fields.words("layer_types").unwrap_or_default();
    let number = |name: &str| kinds.iter().filter(|kind| **kind == name).count() as f64;
    let compressors = number("heavily_compressed_attention") * heavy + number("compressed_sparse_attention") * sparse;
    let (connections, last) = hyper_connections(fields, &of, |streams| streams * (2.0 + streams), 3.0);
    let counted = shape.attention_params_per_layer() as f64 + shape.attention_norm_params() as f64;
    let shape = plus(shape, of.layers * (attention - counted) + compressors + connections, last);
    with_shared_biases(Layers::of(&shape).mixing(|_| Mixer::Attention).write(fields, shape))
}

/// Reads Hunyuan 4: indexers that layers share, a gate of attention's output, hyper-connections.
fn hunyuan(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = sparse(fields, style);
    let of = Dims::of(&shape);
    let one = indexer(fields, &shape);
    let indexers = one * indexed(fields, of.layers);
    let gate = of.heads * f64::from(shape.latent.v_head_dim) * of.hidden + of.heads;
    let (connections, last) = hyper_connections(fields, &of, |streams| 2.0 * streams, 2.0);
    plus(shape, indexers + gate * of.layers + connections, last)
}

/// Reads A.X K2: norms with a gate of low rank, and queries and gates of attention from twice the rank.
fn ax_k2(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let layers = layers(fields, &shape);
    let of = Dims::of(&shape);
    let latent = shape.latent;
    let rank = f64::from(latent.q_lora_rank);
    let query = of.heads * (f64::from(latent.qk_nope_head_dim) + f64::from(latent.qk_rope_head_dim));
    let value = of.heads * f64::from(latent.v_head_dim);
    let queries = rank * query + 2.0 * rank * value;
    let gates = 2.0 * fields.number(&["gated_norm_rank"]) * of.hidden;
    let one = indexer(fields, &shape);
    let shape = plus(shape, of.layers * (queries + one) + gates * (of.layers + layers.sparse()), 0.0);
    layers.write(fields, shape)
}

/// Reads dots 3: latent attention of other widths in the layers with a window, indexers in the others, a gate for each head.
fn dots(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let layers = layers(fields, &shape);
    let of = Dims::of(&shape);
    let one = indexer(fields, &shape);
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
    let plain = shape.latent_params_per_layer() as f64 + shape.latent_norm_params() as f64;
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
    with_shared_biases(layers.write(fields, shape))
}

/// The dimensions of the layers with a window, where they differ.
fn of_windows(fields: &mut Fields, of: &Dims) -> [f64; 3] {
    let mut own = |name: &'static str, usual: f64| match fields.number(&[name]) {
        0.0 => usual,
        value => value,
    };
    [own("swa_num_attention_heads", of.heads), own("swa_num_key_value_heads", of.kv), own("swa_head_dim", of.dim)]
}

/// Reads Inkling: convolutions over keys, values and both blocks' outputs, relative positions from a low rank.
fn inkling(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let mut shape = Architecture { tie_word_embeddings: false, ..mixture(fields, shape) };
    let of = Dims::of(&shape);
    let layers = layers(fields, &shape);
    let kernel = fields.number(&["conv_kernel_size"]);
    let (rank, extent) = (fields.number(&["d_rel"]), fields.number(&["rel_extent"]));
    let shared = fields.number(&["n_shared_experts"]);
    let sink = fields.flag("shared_expert_sink", true);
    let names = ["dense_intermediate_size"];
    shape.intermediate_size = fields.count(&names, ParamId::MlpWidth, Some(shape.intermediate_size));
    let windows = of_windows(fields, &of);
    let window = f64::from(shape.sliding_window);
    for name in [
        "chain_hidden_post_norm",
        "mtp_hidden_states_first",
        "number_of_conv_states",
        "use_gate_bias",
        "local_layer_ids",
        "num_nextn_predict_layers",
    ] {
        fields.mark(name);
    }
    let attention = |[heads, kv, dim]: [f64; 3], extent: f64| {
        2.0 * of.hidden * heads * dim
            + 2.0 * of.hidden * kv * dim
            + of.hidden * heads * rank
            + 2.0 * kv * dim * kernel
            + 2.0 * dim
            + rank * extent
    };
    let counted = shape.attention_params_per_layer() as f64 + shape.attention_norm_params() as f64;
    let local = layers.windowed();
    let full = of.layers - local;
    let blocks = full * attention([of.heads, of.kv, of.dim], extent) + local * attention(windows, window);
    let routing = (if sink { shared * of.hidden } else { 0.0 }) + 1.0;
    let more = blocks - of.layers * counted + of.layers * 2.0 * of.hidden * kernel + layers.sparse() * routing;
    let shape = plus(shape, more, 0.0);
    layers.write(fields, shape)
}

/// Reads Inkling 2, whose residual stream is read by attention over earlier blocks of layers.
fn inkling_2(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, Architecture { intermediate_size: 1, ..style });
    let shape = Architecture { tie_word_embeddings: false, ..mixture(fields, shape) };
    let of = Dims::of(&shape);
    let layers = layers(fields, &shape);
    let kernel = fields.number(&["conv_kernel_size"]);
    let (rank, extent) = (fields.number(&["d_rel"]), fields.number(&["rel_extent"]));
    for name in [
        "n_layers_per_attn_res_block",
        "qk_l2_clip_threshold",
        "rel_l2_clip_threshold",
        "unpadded_vocab_size",
        "scoring_func",
    ] {
        fields.mark(name);
    }
    let [heads, kv, dim] = of_windows(fields, &of);
    let attention = |heads: f64, kv: f64, dim: f64, extent: f64| {
        3.0 * of.hidden * heads * dim
            + 2.0 * of.hidden * kv * dim
            + of.hidden * heads * rank
            + rank * extent
            + of.hidden * heads
            + heads * dim
            + heads * rank
    };
    let counted = shape.attention_params_per_layer() as f64 + shape.attention_norm_params() as f64;
    let local = layers.windowed();
    let blocks = (of.layers - local) * attention(of.heads, of.kv, of.dim, extent)
        + local * attention(heads, kv, dim, f64::from(shape.sliding_window));
    // In layers without a window queries, keys and values read apart, and the convolutions depend on the token.
    let full = of.layers - local;
    let mut convolutions = of.layers * 2.0 * of.hidden * kernel;
    for kind in layers.kinds() {
        let (kv, dim) = if kind.mixer == Mixer::Window { (kv, dim) } else { (of.kv, of.dim) };
        let dynamic = if kind.mixer == Mixer::Window { 0.0 } else { kernel * kv * of.hidden };
        convolutions += 2.0 * (kernel * kv * dim + dynamic);
    }
    let norms = full * 2.0 * of.hidden;
    // The first layer has nothing earlier to read.
    let first = if layers.kinds().first().is_some_and(|kind| kind.mixer == Mixer::Window) { 1.0 } else { 3.0 };
    let queries = of.hidden * (of.layers + local + 3.0 * full - first + 1.0);
    let shape = plus(shape, blocks - of.layers * counted + convolutions + norms + queries, 0.0);
    layers.write(fields, shape)
}
