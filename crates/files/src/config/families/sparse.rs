//! Mixtures of experts, each with a little of its own.

use super::extra::{Dims, plus};
use super::general::{base, layers, listed, mixture, sparse, with_shared_biases};
use super::{COHERE, DEEPSEEK, Family, Fields, OLMO_2, QWEN_3, TIED, family};
use engine::catalog::models::LLAMA_STYLE;
use engine::model::transformer::pattern::{Mixer, Mlp};
use engine::model::transformer::{Architecture, AttentionBias, Experts, QkNorm};
use engine::params::ParamId;

const fn with_router_bias(style: Architecture) -> Architecture {
    Architecture { experts: Experts { router_bias: true, ..style.experts }, ..style }
}

/// Queries and keys normalised per head, a window in most layers.
const WINDOWED: Architecture = Architecture { sliding_window: 4096, global_every: 4, head_dim: 0, ..QWEN_3 };
const AFMOE: Architecture = Architecture { gated_attention: true, norms_per_layer: 4, ..WINDOWED };
const BEAM: Architecture = Architecture { head_dim: 128, ..AFMOE };
const FLINT: Architecture = Architecture { attention_sinks: true, head_dim: 128, ..WINDOWED };
const KOLIBRI: Architecture = Architecture { norms_per_layer: 4, head_dim: 128, ..WINDOWED };
const UNLIMITED: Architecture = Architecture { sliding_window: 128, ..LLAMA_STYLE };
const GRANITE: Architecture = LLAMA_STYLE;
const GRANITE_WINDOWED: Architecture = Architecture { attention_sinks: true, sliding_window: 128, ..GRANITE };
const GLM_4V: Architecture = Architecture { attention_bias: AttentionBias::Qkv, ..LLAMA_STYLE };
const SOLAR: Architecture = Architecture { head_dim: 128, attention_bias: AttentionBias::Qkv, ..LLAMA_STYLE };
const COHERE_MOE: Architecture = Architecture { sliding_window: 4096, global_every: 4, ..COHERE };

/// The families, in display order.
pub(super) const FAMILIES: &[Family] = &[
    family("AFMoE", &["afmoe"], with_router_bias(AFMOE), afmoe),
    family("Aria", &["aria_text"], LLAMA_STYLE, sparse),
    family("A.X K1", &["axk1"], DEEPSEEK, ax_k1),
    family("Beam", &["beam"], BEAM, beam),
    family("Cohere 2 MoE", &["cohere2_moe"], COHERE_MOE, cohere),
    family("dots.llm1", &["dots1"], Architecture { head_dim: 0, ..QWEN_3 }, sparse),
    family("ERNIE 4.5 MoE", &["ernie4_5_moe"], with_router_bias(TIED), ernie),
    family("ERNIE 4.5 VL", &["ernie4_5_vl_moe_text"], with_router_bias(TIED), ernie_vl),
    family("EXAONE MoE", &["exaone_moe"], WINDOWED, sparse),
    family("FlexOlmo", &["flex_olmo"], OLMO_2, sparse),
    family("Flint", &["flint"], FLINT, sparse),
    family("GLM-4.7 Flash", &["glm4_moe_lite", "mistral4", "mistral4_text"], DEEPSEEK, sparse),
    family("GLM-4.5V", &["glm4v_moe_text", "glm4v_moe"], GLM_4V, sparse),
    family("Granite MoE", &["granitemoe", "granitemoeshared"], GRANITE, sparse),
    family("Granite MoE with windows", &["granitemoe_swa"], GRANITE_WINDOWED, sparse),
    family("Hunyuan MoE", &["hunyuan_v1_moe"], QWEN_3, hunyuan),
    family("Hunyuan 3", &["hy_v3"], QWEN_3, hunyuan_3),
    family("JetMoE", &["jetmoe"], TIED, jet),
    family("Kolibri", &["kolibri1"], KOLIBRI, sparse),
    family("Laguna", &["laguna"], with_router_bias(Architecture { head_dim: 128, ..WINDOWED }), laguna),
    family("LongCat-Flash", &["longcat_flash"], DEEPSEEK, longcat),
    family("Mellum", &["mellum"], Architecture { head_dim: 128, ..WINDOWED }, sparse),
    family("MiMo-V2", &["mimo_v2_flash"], Architecture { sliding_window: 128, head_dim: 192, ..LLAMA_STYLE }, mimo),
    family("MiniMax-M2", &["minimax_m2"], Architecture { head_dim: 128, ..OLMO_2 }, sparse),
    family("MiniMax-M3", &["minimax_m3_vl_text"], QWEN_3, minimax_m3),
    family("Solar Open", &["solar_open"], SOLAR, sparse),
    family("DBRX", &["dbrx"], COHERE, sparse),
    family("Unlimited OCR", &["unlimited_ocr_text"], UNLIMITED, unlimited),
    family("ZAYA", &["zaya"], Architecture { head_dim: 128, ..TIED }, zaya),
];

/// Reads A.X K1: one more norm after the experts.
fn ax_k1(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = sparse(fields, style);
    plus(shape, f64::from(shape.moe_layers()) * Dims::of(&shape).hidden, 0.0)
}

/// Reads AFMoE, whose gate of attention has no bias where its projections have.
fn afmoe(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = sparse(fields, style);
    let of = Dims::of(&shape);
    let biased = shape.attention_bias != AttentionBias::None;
    fields.mark("mup_enabled");
    if biased { plus(shape, -of.layers * of.heads * of.dim, 0.0) } else { shape }
}

/// Reads Beam: a bias for each head's gate.
fn beam(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = afmoe(fields, style);
    let of = Dims::of(&shape);
    plus(shape, of.layers * of.heads, 0.0)
}

/// Reads Cohere 2 with experts; its dense layers may be of another width.
fn cohere(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let mut shape = mixture(fields, shape);
    fields.mark("expert_selection_fn");
    fields.mark("shared_expert_combination_strategy");
    fields.mark("prefix_dense_sliding_window_pattern");
    let names = ["prefix_dense_intermediate_size"];
    shape.intermediate_size = fields.count(&names, ParamId::MlpWidth, Some(shape.intermediate_size));
    listed(fields, shape)
}

/// Reads ERNIE 4.5 with experts from one layer to another.
fn ernie(fields: &mut Fields, style: Architecture) -> Architecture {
    let biased = fields.flag("use_bias", false);
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let attention_bias = if biased { AttentionBias::All } else { AttentionBias::None };
    let shape = Architecture { attention_bias, mlp_bias: biased, head_bias: biased, ..shape };
    let (first, last) = (fields.number(&["moe_layer_start_index"]), fields.number(&["moe_layer_end_index"]));
    let last = if last < 0.0 { f64::INFINITY } else { last };
    let step = fields.number(&["moe_layer_interval"]).max(1.0);
    fields.mark("moe_norm_min");
    let is_sparse = |layer: usize| {
        let layer = layer as f64;
        (layer + 1.0) % step == 0.0 && layer >= first && layer <= last
    };
    let layers = layers(fields, &shape).followed(|layer| if is_sparse(layer) { Mlp::Experts } else { Mlp::Dense });
    // The shared experts have the biases of the MLP, the routed ones none.
    let shared = f64::from(shape.experts.shared_intermediate_size);
    let biases = if biased && shared > 0.0 { 2.0 * shared + f64::from(shape.hidden_size) } else { 0.0 };
    let shape = plus(shape, biases * layers.sparse(), 0.0);
    layers.write(fields, shape)
}

/// Reads ERNIE 4.5 VL: experts of text and of images, each with a router of their own, side by side in a layer; the shared ones are as
/// wide as those of text.
fn ernie_vl(fields: &mut Fields, style: Architecture) -> Architecture {
    let widths = fields.numbers("moe_intermediate_size").unwrap_or_default();
    if let Some(&text) = widths.first() {
        fields.skip("moe_intermediate_size");
        fields.mark("moe_norm_min");
        let mut shape = sparse(fields, style);
        let width = fields.checked("moe_intermediate_size", widths.iter().sum(), ParamId::ExpertWidth);
        let shared = fields.number(&["moe_num_shared_experts"]) * text;
        shape.experts.moe_intermediate_size = width;
        shape.experts.shared_intermediate_size =
            fields.checked("The width of the shared experts", shared, ParamId::SharedExpertWidth);
        let further = (widths.len() as f64 - 1.0) * f64::from(shape.experts.num_experts);
        return plus(shape, f64::from(shape.moe_layers()) * further * (f64::from(shape.hidden_size) + 1.0), 0.0);
    }
    ernie(fields, style)
}

/// Reads Unlimited OCR's text model, all of whose layers see a window.
fn unlimited(fields: &mut Fields, style: Architecture) -> Architecture {
    fields.mark("layer_types");
    sparse(fields, style)
}

/// Reads Hunyuan with experts.
fn hunyuan(fields: &mut Fields, style: Architecture) -> Architecture {
    let qk_norm = if fields.flag("use_qk_norm", true) { QkNorm::PerHead } else { QkNorm::None };
    sparse(fields, Architecture { qk_norm, head_dim: 0, ..style })
}

/// Reads Hunyuan 3, whose shared expert is as wide as the MLP where the configuration has none.
fn hunyuan_3(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let mut shape = mixture(fields, shape);
    if shape.experts.shared_intermediate_size == 0 {
        let width = f64::from(shape.intermediate_size);
        shape.experts.shared_intermediate_size = fields.checked("intermediate_size", width, ParamId::SharedExpertWidth);
    }
    with_shared_biases(listed(fields, shape))
}

/// Reads `JetMoE`: experts of attention too, whose queries and outputs are one head of each key's width for each expert.
fn jet(fields: &mut Fields, style: Architecture) -> Architecture {
    let kv = fields.count(&["num_key_value_heads"], ParamId::KvHeads, Some(16));
    let shape = base(fields, Architecture { num_key_value_heads: kv, ..style });
    let shape = mixture(fields, shape);
    let of = Dims::of(&shape);
    let used = f64::from(shape.experts.num_experts_per_tok);
    let heads = fields.checked("Experts of a token times heads", used * f64::from(kv), ParamId::AttentionHeads);
    let shape = Architecture { num_attention_heads: heads, ..shape };
    // Of the experts' queries and outputs as many are counted as one token uses.
    let idle = (of.experts - used) * 2.0 * of.hidden * of.kv * of.dim;
    let shape = plus(shape, of.layers * (idle + of.experts * of.hidden + 2.0 * of.hidden), 0.0);
    listed(fields, shape)
}

/// Reads Laguna: a gate for each head, and another number of heads in some layers.
fn laguna(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = sparse(fields, style);
    let of = Dims::of(&shape);
    let gated = fields.flag("gating", true);
    let heads = fields.numbers("num_attention_heads_per_layer").unwrap_or_default();
    let more: f64 = heads.iter().map(|heads| heads - of.heads).sum();
    let all = of.layers * of.heads + more;
    fields.mark("moe_apply_router_weight_on_input");
    let biases = if shape.attention_bias == AttentionBias::None { 0.0 } else { more * of.dim };
    plus(shape, biases + more * 2.0 * of.hidden * of.dim + if gated { all * of.hidden } else { 0.0 }, 0.0)
}

/// Reads LongCat-Flash: each of its layers is two of attention and a dense MLP, with experts beside the second; experts that do nothing
/// have rows in the router and, in the class, matrices.
fn longcat(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let mut shape = mixture(fields, shape);
    // Biases of latent attention, twice.
    shape.extra.layers *= 2;
    let blocks = f64::from(shape.num_hidden_layers);
    shape.num_hidden_layers = fields.checked("Twice num_layers", 2.0 * blocks, ParamId::Layers);
    let width = f64::from(shape.intermediate_size);
    shape.experts.shared_intermediate_size = fields.checked("ffn_hidden_size", width, ParamId::SharedExpertWidth);
    shape.experts.moe_layer_step = 2;
    let (idle, of) = (fields.number(&["zero_expert_num"]), Dims::of(&shape));
    let matrices = 2.0 * f64::from(shape.experts.moe_intermediate_size) * of.hidden;
    // Configurations may hold a width of queries that is not the sum of both parts.
    let latent = shape.latent;
    let width = f64::from(latent.qk_nope_head_dim) + f64::from(latent.qk_rope_head_dim);
    let own = match fields.number(&["qk_head_dim"]) {
        0.0 => width,
        own => own,
    };
    let rank = if latent.q_lora_rank > 0 { f64::from(latent.q_lora_rank) } else { of.hidden };
    let wider = of.layers * rank * of.heads * (own - width);
    let bias = if fields.flag("router_bias", false) { of.experts + idle } else { 0.0 };
    plus(shape, blocks * (idle * (of.hidden + matrices) + bias) + wider, 0.0)
}

/// Reads MiMo-V2: twice the key and value heads, and sinks, in the layers with a window; values narrower than keys.
fn mimo(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let of = Dims::of(&shape);
    let value = match fields.number(&["v_head_dim"]) {
        0.0 => of.dim,
        value => value,
    };
    // The files on the Hub say by number which layers have a window, Transformers' own by name.
    let layers = match fields.list("hybrid_layer_pattern") {
        Some(kinds) => {
            fields.mark("hybrid_layer_pattern");
            let has_window = |layer: usize| kinds.get(layer).is_some_and(|kind| *kind == 1.0);
            layers(fields, &shape).mixing(|layer| if has_window(layer) { Mixer::Window } else { Mixer::Attention })
        }
        None => layers(fields, &shape),
    };
    let local = layers.windowed();
    // More of the heads in the layers with a window; where they differ otherwise, the fields stay not understood.
    let more_kv = match fields.number(&["swa_num_key_value_heads"]) {
        0.0 => of.kv,
        heads => heads - of.kv,
    };
    for (name, usual) in [("swa_num_attention_heads", of.heads), ("swa_head_dim", of.dim), ("swa_v_head_dim", value)] {
        fields.expect(name, usual);
    }
    let narrower = (of.dim - value) * of.hidden * (of.layers * of.heads + of.layers * of.kv + local * more_kv);
    let more = local * (of.hidden * more_kv * 2.0 * of.dim + of.heads);
    let biases = match shape.attention_bias {
        AttentionBias::None => 0.0,
        _ => {
            local * more_kv * 2.0 * of.dim
                - (of.dim - value) * (of.kv * of.layers + more_kv * local)
                - of.layers * of.hidden
        }
    };
    let shape = plus(shape, more - narrower + biases, 0.0);
    layers.write(fields, shape)
}

/// Reads MiniMax-M3: a width of its own for dense layers, and an indexer where attention is sparse.
fn minimax_m3(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let mut shape = mixture(fields, shape);
    let names = ["dense_intermediate_size"];
    shape.intermediate_size = fields.count(&names, ParamId::MlpWidth, Some(shape.intermediate_size));
    let heads = fields.number(&["index_n_heads"]);
    let dim = fields.number(&["index_head_dim"]);
    for name in ["index_block_size", "index_local_blocks", "index_topk_blocks"] {
        fields.mark(name);
    }
    let indexed = fields.words("layer_types").unwrap_or_default();
    let indexed =
        indexed.iter().filter(|name| !matches!(**name, "full_attention" | "sliding_attention")).count() as f64;
    let hidden = f64::from(shape.hidden_size);
    // Queries of the indexer's heads, one key, a norm of each.
    let shape = plus(shape, indexed * (hidden * (heads + 1.0) * dim + 2.0 * dim), 0.0);
    listed(fields, shape)
}

/// Reads ZAYA: queries and keys through two convolutions, a router with an MLP, residuals with scales and biases.
fn zaya(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    let of = Dims::of(&shape);
    let router = fields.number(&["router_hidden_size"]);
    let mix = (of.heads + of.kv) * of.dim;
    let (depthwise, grouped) = (fields.number(&["cca_time0"]), fields.number(&["cca_time1"]));
    let convolutions = mix * (depthwise + 1.0) + mix * (of.dim * grouped + 1.0);
    let routing = (of.hidden + 1.0) * router + router + 2.0 * router * (router + 1.0) + (of.experts + 1.0) * router;
    let routing = routing - of.experts * of.hidden;
    let per_layer = convolutions + of.kv + routing + 8.0 * of.hidden;
    let shape = plus(shape, of.layers * per_layer + (of.layers - 1.0) * router, 2.0 * of.hidden);
    let layers = layers(fields, &shape).mixing(|_| Mixer::Attention);
    layers.write(fields, shape)
}
