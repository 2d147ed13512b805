//! The generic reader: what most families have, under the names that their configs use.

use serde_json::Value;

use super::super::layers::Layers;
use super::Fields;
use super::dense::llama;
use super::extra::{Dims, plus};
use engine::model::transformer::pattern::Mlp;
use engine::model::transformer::{Architecture, AttentionBias, Experts, LatentAttention};
use engine::params::ParamId;

/// Reads a dense model: shape, latent attention, windows and the list of layers.
pub(super) fn dense(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    listed(fields, shape)
}

/// Reads a mixture of experts.
pub(super) fn sparse(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let shape = mixture(fields, shape);
    with_shared_biases(listed(fields, shape))
}

/// Reads what [`llama`] does, latent attention where the style has it, and the window.
pub(super) fn base(fields: &mut Fields, style: Architecture) -> Architecture {
    // Where every layer has experts, no field says how wide an MLP would be.
    let width = fields.number(&["moe_intermediate_size"]);
    let style = match style.intermediate_size {
        0 if width > 0.0 => Architecture { intermediate_size: width as u32, ..style },
        _ => style,
    };
    let shape = llama(fields, style);
    let mut shape = latent(fields, shape);
    let names = ["sliding_window", "sliding_window_size"];
    let usual = if names.iter().any(|name| fields.is_null(name)) { 0 } else { style.sliding_window };
    shape.sliding_window = fields.count(&names, ParamId::SlidingWindow, Some(usual));
    let names = ["sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"];
    shape.global_every = fields.count(&names, ParamId::GlobalEvery, Some(style.global_every));
    if shape.sliding_window == 0 {
        shape.global_every = 0;
    }
    shape
}

/// Reads the widths of latent attention, where the style has any.
pub(super) fn latent(fields: &mut Fields, shape: Architecture) -> Architecture {
    let usual = shape.latent;
    if !usual.is_used() {
        return shape;
    }
    let mut width = |name: &'static str, id: ParamId, usual: u32| fields.count(&[name], id, Some(usual));
    let mut latent = LatentAttention {
        kv_lora_rank: width("kv_lora_rank", ParamId::KvRank, usual.kv_lora_rank),
        q_lora_rank: width("q_lora_rank", ParamId::QueryRank, usual.q_lora_rank),
        qk_nope_head_dim: width("qk_nope_head_dim", ParamId::NopeHeadDim, usual.qk_nope_head_dim),
        qk_rope_head_dim: width("qk_rope_head_dim", ParamId::RopeHeadDim, usual.qk_rope_head_dim),
        v_head_dim: width("v_head_dim", ParamId::ValueHeadDim, usual.v_head_dim),
    };
    fields.mark("qk_head_dim");
    // Small models project queries directly.
    if fields.is_null("q_lora_rank") {
        latent.q_lora_rank = 0;
    }
    let shape = with_latent_bias(&latent, shape);
    Architecture { latent, head_dim: latent.v_head_dim.max(1), ..shape }
}

/// The biases of latent attention: on both projections to a rank, and on the output.
fn with_latent_bias(latent: &LatentAttention, shape: Architecture) -> Architecture {
    if shape.attention_bias == AttentionBias::None {
        return shape;
    }
    let ranks = f64::from(latent.q_lora_rank) + f64::from(latent.kv_lora_rank) + f64::from(latent.qk_rope_head_dim);
    let of = Dims::of(&shape);
    plus(Architecture { attention_bias: AttentionBias::None, ..shape }, of.layers * (ranks + of.hidden), 0.0)
}

/// The names of the number of routed experts.
const EXPERTS: [&str; 4] = ["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"];
/// Of the number that one token is sent to.
const OF_A_TOKEN: [&str; 6] =
    ["num_experts_per_tok", "num_experts_per_token", "moe_k", "moe_topk", "top_k_experts", "moe_top_k"];
/// Of the number of shared experts.
const SHARED: [&str; 3] = ["n_shared_experts", "num_shared_experts", "moe_num_shared_experts"];
/// Of the width of the shared experts together.
const SHARED_WIDTH: [&str; 3] =
    ["shared_expert_intermediate_size", "shared_intermediate_size", "shared_experts_intermediate_size"];

/// Reads experts, routed and shared, under the names that families have for them. Without a width of their own they are as wide as the
/// MLP.
pub(super) fn mixture(fields: &mut Fields, shape: Architecture) -> Architecture {
    let usual = shape.experts;
    let some = |value: u32| (value > 0).then_some(value);
    let first = ["first_k_dense_replace", "num_dense_layers"];
    let dense = fields.count(&first, ParamId::FirstDenseLayers, Some(usual.first_k_dense_replace));
    // A model of dense layers alone needs no experts.
    let none = if dense >= shape.num_hidden_layers { Some(0) } else { None };
    let num_experts = fields.count(&EXPERTS, ParamId::Experts, some(usual.num_experts).or(none));
    let num_experts_per_tok = fields.count(&OF_A_TOKEN, ParamId::TopK, Some(usual.num_experts_per_tok));
    let widths = ["moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size"];
    let own = if usual.moe_intermediate_size > 0 { usual.moe_intermediate_size } else { shape.intermediate_size };
    let width = fields.count(&widths, ParamId::ExpertWidth, Some(own));
    let width = fields.checked("The width of an expert", f64::from(width), ParamId::ExpertWidth);
    let shared = match fields.number(&SHARED_WIDTH) {
        0.0 => fields.number(&SHARED) * f64::from(width),
        together => {
            fields.number(&SHARED);
            together
        }
    };
    let shared_intermediate_size =
        fields.checked("The width of the shared experts", shared, ParamId::SharedExpertWidth);
    let groups = fields.count(&["n_group", "num_expert_group"], ParamId::ExpertGroups, Some(0));
    let of_a_token = fields.count(&["topk_group"], ParamId::TopKGroups, Some(0));
    // A single group means no groups.
    let (n_group, topk_group) = if groups > 1 { (groups, of_a_token) } else { (0, 0) };
    fields.expect("moe_layer_freq", 1.0);
    let experts = Experts {
        num_experts,
        num_experts_per_tok,
        moe_intermediate_size: width,
        shared_intermediate_size,
        shared_expert_gate: usual.shared_expert_gate && shared_intermediate_size > 0,
        first_k_dense_replace: dense,
        moe_layer_step: fields.count(&["decoder_sparse_step"], ParamId::MoeStep, Some(1)),
        n_group,
        topk_group,
        ..usual
    };
    Architecture { experts, ..shape }
}

/// The biases of shared experts, where the MLP has them and routed experts have none. DeepSeek's class has them even of no expert.
pub(super) fn with_shared_biases(shape: Architecture) -> Architecture {
    let width = f64::from(shape.experts.shared_intermediate_size);
    if !shape.mlp_bias || shape.experts.expert_bias {
        return shape;
    }
    let matrices = if shape.gated_mlp { 2.0 } else { 1.0 };
    plus(shape, f64::from(shape.moe_layers()) * (matrices * width + f64::from(shape.hidden_size)), 0.0)
}

/// Reads the lists of layers: `layer_types`, `mlp_layer_types`, `mlp_only_layers`.
pub(super) fn listed(fields: &mut Fields, shape: Architecture) -> Architecture {
    layers(fields, &shape).write(fields, shape)
}

/// The layers that the lists say.
pub(super) fn layers(fields: &mut Fields, shape: &Architecture) -> Layers {
    let layers = Layers::of(shape).named(fields, "layer_types");
    if shape.experts.num_experts == 0 {
        return layers;
    }
    if let Some(names) = fields.words("mlp_layer_types") {
        return layers.followed(|layer| if names.get(layer) == Some(&"dense") { Mlp::Dense } else { Mlp::Experts });
    }
    // A number for each layer: 1 where it has experts.
    if let Some(kinds) = fields.list("moe_layer_freq") {
        fields.mark("moe_layer_freq");
        let is_dense = |layer: usize| kinds.get(layer).is_some_and(|kind| *kind == 0.0);
        return layers.followed(|layer| if is_dense(layer) { Mlp::Dense } else { Mlp::Experts });
    }
    let Some(dense) = fields.list("mlp_only_layers").filter(|dense| !dense.is_empty()) else {
        fields.mark("mlp_only_layers");
        return layers;
    };
    fields.mark("mlp_only_layers");
    let only = |layer: usize| dense.iter().any(|place: &Value| *place == layer as f64);
    let experts = shape.experts;
    let sparse = move |layer: usize| {
        let layer = layer as u32;
        experts.layers_among(layer + 1) > experts.layers_among(layer)
    };
    layers.followed(|layer| if sparse(layer) && !only(layer) { Mlp::Experts } else { Mlp::Dense })
}
