//! The model, from Megatron's arguments.

use engine::model::transformer::{AttentionBias, Norm, QkNorm};
use engine::params::ParamId;
use engine::params::quantity::group_thousands;
use engine::scenario::Model;
use links::v1::CUSTOM_SHAPE;

use super::hybrid;
use crate::run::draft::Draft;
use crate::run::formats::args::Args;

/// Reads the shape, if the number of layers is given.
pub(in super::super) fn shape(args: &mut Args, draft: &mut Draft) {
    let pattern = hybrid::pattern(args);
    let Some(layers) = args.count(&["num_layers"]).or_else(|| pattern.as_ref().map(hybrid::layers)) else {
        if let Some(found) =
            args.text(&["hf_model_id", "hf_path", "tokenizer_model"]).filter(|found| !found.value.contains('$'))
            && crate::run::models::find_model(&found.value).is_some()
        {
            draft.model_named(&found);
        }
        return;
    };
    if draft.has_model {
        draft.record(&layers, "The model, which another file describes");
        skip(args);
        return;
    }
    let vocab = draft.scenario.model.architecture().vocab_size;
    draft.has_model = true;
    let mut arch = CUSTOM_SHAPE;
    let mut number = |names: &[&str]| args.count(names).map(|found| found.value);
    let hidden = number(&["hidden_size"]).unwrap_or(arch.hidden_size);
    let heads = number(&["num_attention_heads"]).unwrap_or((hidden / 128).max(1));
    arch.num_hidden_layers = layers.value.min(2048);
    arch.hidden_size = hidden.min(262_144);
    arch.num_attention_heads = heads.min(4096);
    let groups = number(&["num_query_groups"]).filter(|groups| *groups > 1);
    arch.num_key_value_heads = groups.unwrap_or(heads).min(4096);
    arch.head_dim = number(&["kv_channels"]).unwrap_or((hidden / heads.max(1)).max(1)).min(262_144);
    let swiglu = args.is_on("swiglu")
        || args.is_on("gated_linear_unit")
        || args.word(&["activation"]).is_some_and(|found| found.value.contains("glu"));
    arch.gated_mlp = swiglu;
    // Default `ffn_hidden_size` of arguments.py: 4h; with a gated MLP two thirds of 4h, in steps of
    // 64.
    let usual = if swiglu { u64::from(hidden) * 8 / 3 / 64 * 64 } else { u64::from(hidden) * 4 };
    let width = args.count(&["ffn_hidden_size"]).map(|found| found.value);
    arch.intermediate_size = width.map_or(usual, u64::from).clamp(1, 2_097_152) as u32;
    let normalization = args.word(&["normalization"]).map(|found| found.value);
    arch.norm = if normalization.as_deref().is_some_and(|name| name.contains("rms")) { Norm::Rms } else { Norm::Layer };
    let no_bias =
        args.is_on("disable_bias_linear") || args.flag(&["add_bias_linear", "bias"]).is_some_and(|found| !found.value);
    let qkv = args.is_on("add_qkv_bias");
    arch.attention_bias = match (no_bias, qkv) {
        (false, _) => AttentionBias::All,
        (true, true) => AttentionBias::Qkv,
        (true, false) => AttentionBias::None,
    };
    arch.mlp_bias = !no_bias;
    let shared = args.flag(&["share_embeddings_and_output_weights"]).map(|found| found.value);
    arch.tie_word_embeddings = shared.unwrap_or_else(|| !args.is_on("untie_embeddings_and_output_weights"));
    if args.is_on("qk_layernorm") {
        arch.qk_norm = QkNorm::PerHead;
    }
    let positions = args.word(&["position_embedding_type"]);
    let longest = args.count(&["max_position_embeddings"]).map(|found| found.value);
    if positions.as_ref().is_none_or(|found| found.value == "learned_absolute")
        && !args.is_on("use_rotary_position_embeddings")
    {
        arch.learned_positions = longest.unwrap_or_default();
    }
    arch.vocab_size = padded(args, vocab, draft);
    draft.scenario.model = Model::Custom { architecture: arch };
    draft.record(&layers, format!("A model of {} layers and H = {}", arch.num_hidden_layers, arch.hidden_size));
    window(args, draft);
    latent(args, draft);
    experts(args, draft, arch.intermediate_size);
    if let Some(found) = &pattern {
        args.skip(&["is_hybrid_model"]);
        hybrid::set_layer_kinds(args, draft, found);
    } else if args.list(&["hybrid_override_pattern", "hybrid_layer_pattern"]).is_some() || args.is_on("is_hybrid_model")
    {
        draft.assume(
            "The model's layers of states are not read from Megatron's pattern: all have attention. Add its config.json.",
        );
    }
}

/// Returns the vocabulary, padded as in Megatron; by default the current model's vocabulary.
fn padded(args: &mut Args, present: u32, draft: &mut Draft) -> u32 {
    let multiple = args.count(&["make_vocab_size_divisible_by"]).map_or(128, |found| found.value);
    let tp = args.count(&["tensor_model_parallel_size"]).map_or(1, |found| found.value);
    let tokenizer = args.word(&["tokenizer_type"]);
    let said = args.count(&["padded_vocab_size", "vocab_size"]).map(|found| found.value);
    let of_gpt_2 = tokenizer.is_some_and(|found| found.value.contains("gpt2")).then_some(50_257);
    let vocab = said.or(of_gpt_2).unwrap_or_else(|| {
        let shown = group_thousands(&present.to_string());
        draft.assume(format!("The arguments do not say the size of the vocabulary: {shown}, as the present model."));
        present
    });
    let step = multiple.saturating_mul(tp).max(1);
    vocab.div_ceil(step).saturating_mul(step).min(16_777_216)
}

fn window(args: &mut Args, draft: &mut Draft) {
    if let Some(found) = args.list(&["window_size"])
        && let Some(width) = found.value.first().and_then(|first| first.trim_matches('(').parse::<u32>().ok())
    {
        draft.number(Some(found.with(width)), ParamId::SlidingWindow);
    }
    draft.number(args.count(&["window_attn_skip_freq"]), ParamId::GlobalEvery);
    if args.word(&["softmax_type"]).is_some_and(|found| found.value == "learnable") {
        draft.set_option(ParamId::AttentionSinks, "yes");
    }
}

fn latent(args: &mut Args, draft: &mut Draft) {
    if !args.is_on("multi_latent_attention") {
        return;
    }
    // Megatron-Core's defaults (`MLATransformerConfig`).
    for (name, id, usual) in [
        ("kv_lora_rank", ParamId::KvRank, 512.0),
        ("q_lora_rank", ParamId::QueryRank, 0.0),
        ("qk_head_dim", ParamId::NopeHeadDim, 128.0),
        ("qk_pos_emb_head_dim", ParamId::RopeHeadDim, 64.0),
        ("v_head_dim", ParamId::ValueHeadDim, 128.0),
    ] {
        draft.set_number(id, usual);
        draft.number(args.count(&[name]), id);
    }
}

fn experts(args: &mut Args, draft: &mut Draft, width: u32) {
    let Some(experts) = args.count(&["num_experts", "num_moe_experts"]) else { return };
    draft.number(Some(experts), ParamId::Experts);
    draft.set_number(ParamId::TopK, 2.0);
    draft.number(args.count(&["moe_router_topk"]), ParamId::TopK);
    draft.set_number(ParamId::ExpertWidth, f64::from(width));
    draft.number(args.count(&["moe_ffn_hidden_size"]), ParamId::ExpertWidth);
    draft.number(args.count(&["moe_shared_expert_intermediate_size"]), ParamId::SharedExpertWidth);
    draft.set_flag(args.flag(&["moe_shared_expert_gate"]), ParamId::SharedExpertGate);
    draft.number(args.count(&["moe_router_num_groups"]), ParamId::ExpertGroups);
    draft.number(args.count(&["moe_router_group_topk"]), ParamId::TopKGroups);
    draft.set_flag(args.flag(&["moe_router_enable_expert_bias"]), ParamId::RouterBias);
    args.skip(&["moe_router_score_function"]);
    if let Some(found) = args.text(&["moe_layer_freq"]) {
        let text = found.value.replace(' ', "");
        if let Ok(step) = text.parse::<u32>() {
            draft.number(Some(found.with(step)), ParamId::MoeStep);
        } else if let Some(dense) = dense_layers(&text) {
            draft.number(Some(found.with(dense)), ParamId::FirstDenseLayers);
        } else {
            draft.unknown(&found, ParamId::FirstDenseLayers);
        }
    }
}

/// Returns the number of leading dense layers of `([0]*3+[1]*58)` or `[0,1,1,1]`.
fn dense_layers(text: &str) -> Option<u32> {
    let text = text.trim_matches(['(', ')', '"', '\'']);
    if let Some(rest) = text.strip_prefix("[0]") {
        let Some(rest) = rest.strip_prefix('*') else { return Some(1) };
        return rest.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok();
    }
    if text.starts_with("[1]") {
        return Some(0);
    }
    let items: Vec<&str> = text.trim_matches(['[', ']']).split(',').map(str::trim).collect();
    let dense = items.iter().take_while(|item| **item == "0").count();
    items.iter().skip(dense).all(|item| *item == "1").then_some(dense as u32)
}

fn skip(args: &mut Args) {
    args.skip(&[
        "hidden_size",
        "ffn_hidden_size",
        "num_attention_heads",
        "num_query_groups",
        "kv_channels",
        "swiglu",
        "normalization",
        "disable_bias_linear",
        "untie_embeddings_and_output_weights",
        "position_embedding_type",
        "max_position_embeddings",
        "vocab_size",
        "make_vocab_size_divisible_by",
        "group_query_attention",
        "qk_layernorm",
        "add_qkv_bias",
    ]);
}
