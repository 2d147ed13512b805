//! Readers for mixtures of experts.

use serde_json::Value;

use super::super::attention::{with_chunks, with_switched_windows, with_windows};
use super::Fields;
use super::dense::llama;
use super::general::{latent, with_shared_biases};
use engine::model::transformer::{Architecture, AttentionBias, Experts, LatentAttention, QkNorm};
use engine::params::ParamId;

/// Returns the architecture with experts.
fn with(experts: Experts, shape: Architecture) -> Architecture {
    Architecture { experts, ..shape }
}

/// Reads the number of routed experts and the number per token, with the defaults of the class.
fn routed(fields: &mut Fields, usual: (Option<u32>, Option<u32>)) -> Experts {
    let names = ["num_experts", "num_local_experts", "n_routed_experts"];
    let num_experts = fields.count(&names, ParamId::Experts, usual.0);
    let num_experts_per_tok = fields.count(&["num_experts_per_tok"], ParamId::TopK, usual.1);
    Experts { num_experts, num_experts_per_tok, ..Experts::NONE }
}

/// Puts experts of width `intermediate_size` into every layer.
fn everywhere(fields: &mut Fields, shape: Architecture, experts: Experts) -> Architecture {
    let width = fields.checked("intermediate_size", f64::from(shape.intermediate_size), ParamId::ExpertWidth);
    with(Experts { moe_intermediate_size: width, ..experts }, shape)
}

pub(super) fn mixtral(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    let shape = with_windows(fields, shape);
    let experts = routed(fields, (Some(8), Some(2)));
    everywhere(fields, shape, experts)
}

pub(super) fn olmoe(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    let experts = routed(fields, (Some(64), Some(8)));
    everywhere(fields, shape, experts)
}

/// Reads gpt-oss, with biases on the router and the experts.
pub(super) fn gpt_oss(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    let shape = with_windows(fields, shape);
    let experts = Experts { router_bias: true, expert_bias: true, ..routed(fields, (Some(128), Some(4))) };
    everywhere(fields, shape, experts)
}

/// Reads Llama 4: `intermediate_size` is the width of routed and shared experts,
/// `intermediate_size_mlp` that of dense layers.
pub(super) fn llama_4(fields: &mut Fields, style: Architecture) -> Architecture {
    /// Default of the class.
    const DENSE: u32 = 16_384;
    let shape = llama(fields, style);
    let shape = with_chunks(fields, shape);
    let width = fields.checked("intermediate_size", f64::from(shape.intermediate_size), ParamId::ExpertWidth);
    let moe_layer_step = fields.count(&["interleave_moe_layer_step"], ParamId::MoeStep, Some(1));
    // A list of the layers with experts must agree with the step; any other list is reported as not
    // understood.
    let follows = |(place, layer): (usize, &Value)| *layer == (place as f64 + 1.0) * f64::from(moe_layer_step) - 1.0;
    if fields.list("moe_layers").is_some_and(|layers| layers.iter().enumerate().all(follows)) {
        fields.mark("moe_layers");
    }
    // This norm has no weights.
    fields.mark("use_qk_norm");
    let experts = Experts {
        moe_intermediate_size: width,
        shared_intermediate_size: width,
        moe_layer_step,
        ..routed(fields, (Some(16), Some(1)))
    };
    let intermediate_size = fields.count(&["intermediate_size_mlp"], ParamId::MlpWidth, Some(DENSE));
    with(experts, Architecture { intermediate_size, ..shape })
}

/// Reads Qwen's experts. Some layers may be dense: the first ones, those in `mlp_only_layers`, or
/// all but every n-th.
fn sparse_qwen(fields: &mut Fields, shape: Architecture, usual: (u32, u32, u32)) -> Architecture {
    /// Upper bound of [`Experts::first_k_dense_replace`].
    const MOST_FIRST: usize = 2000;
    let experts = routed(fields, (Some(usual.0), Some(usual.1)));
    let moe_intermediate_size = fields.count(&["moe_intermediate_size"], ParamId::ExpertWidth, Some(usual.2));
    let moe_layer_step = fields.count(&["decoder_sparse_step"], ParamId::MoeStep, Some(1));
    let dense = fields.list("mlp_only_layers").unwrap_or_default();
    let first = |(place, layer): (usize, &Value)| *layer == place as f64;
    let are_first = moe_layer_step == 1 && dense.len() <= MOST_FIRST && dense.iter().enumerate().all(first);
    if are_first || dense.is_empty() {
        fields.mark("mlp_only_layers");
    }
    let first_k_dense_replace = if are_first { u32::try_from(dense.len()).unwrap_or(0) } else { 0 };
    let shape = with_switched_windows(fields, shape);
    with(Experts { moe_intermediate_size, first_k_dense_replace, moe_layer_step, ..experts }, shape)
}

/// Reads Qwen 2 MoE, whose shared expert has a gate.
pub(super) fn qwen_2(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    let mut shape = sparse_qwen(fields, shape, (60, 4, 1408));
    let width = fields.count(&["shared_expert_intermediate_size"], ParamId::SharedExpertWidth, Some(5632));
    shape.experts.shared_intermediate_size = width;
    shape.experts.shared_expert_gate = width > 0;
    if fields.flag("qkv_bias", true) { shape } else { Architecture { attention_bias: AttentionBias::None, ..shape } }
}

pub(super) fn qwen_3(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    sparse_qwen(fields, shape, (128, 8, 768))
}

/// Reads fine-grained routed and shared experts after the dense layers, with or without groups.
fn fine_grained(fields: &mut Fields, shape: Architecture) -> Architecture {
    /// Of a token in DeepSeek-V2, whose class has none.
    const USED: u32 = 6;
    let style = shape.experts;
    let experts = routed(fields, (None, Some(USED)));
    let width = fields.count(&["moe_intermediate_size"], ParamId::ExpertWidth, None);
    let shared = fields.count(&["n_shared_experts"], ParamId::Experts, Some(0));
    let shared = f64::from(width) * f64::from(shared);
    let shared_intermediate_size =
        fields.checked("n_shared_experts times moe_intermediate_size", shared, ParamId::SharedExpertWidth);
    let first_k_dense_replace = fields.count(&["first_k_dense_replace"], ParamId::FirstDenseLayers, Some(0));
    fields.expect("moe_layer_freq", 1.0);
    let groups = fields.count(&["n_group"], ParamId::ExpertGroups, Some(0));
    let of_a_token = fields.count(&["topk_group"], ParamId::TopKGroups, Some(0));
    // A single group means no groups.
    let (n_group, topk_group) = if groups > 1 { (groups, of_a_token) } else { (0, 0) };
    let experts = Experts {
        moe_intermediate_size: width,
        shared_intermediate_size,
        first_k_dense_replace,
        n_group,
        topk_group,
        router_bias: style.router_bias,
        ..experts
    };
    with(experts, shape)
}

/// Reads DeepSeek: latent attention in all but the first generation. The head dimension is that of
/// the values.
pub(super) fn deepseek(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, style);
    let shape = fine_grained(fields, shape);
    if shape.latent.is_used() { latent(fields, with_shared_biases(shape)) } else { shape }
}

/// Reads GLM: biases on query, key and value; the large model normalises queries and keys.
pub(super) fn glm(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = llama(fields, Architecture { latent: LatentAttention::NONE, ..style });
    let qk_norm = if fields.flag("use_qk_norm", false) { QkNorm::PerHead } else { QkNorm::None };
    let biased = shape.attention_bias != AttentionBias::None;
    let attention_bias = if biased { AttentionBias::Qkv } else { AttentionBias::None };
    fine_grained(fields, Architecture { qk_norm, attention_bias, ..shape })
}
