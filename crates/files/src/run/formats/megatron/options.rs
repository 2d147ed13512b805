//! Recomputation, experts and kernels of Megatron's arguments.

use engine::model::training::{Recompute, RecomputeModules};
use engine::params::ParamId;

use super::Args;
use crate::run::draft::Draft;
use crate::run::formats::shared;
use crate::run::keys::KeyedValue;

/// Reads recomputation.
pub(in super::super) fn recomputation(args: &mut Args, draft: &mut Draft) {
    let layers = args.count(&["recompute_num_layers", "activations_checkpoint_num_layers"]);
    let method = args.word(&["recompute_method", "activations_checkpoint_method"]);
    let modules = args.list(&["recompute_modules"]);
    if let Some(found) = args.flag(&["recompute_activations", "checkpoint_activations"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Recompute, "attention");
    }
    let Some(found) = args.word(&["recompute_granularity", "activations_checkpoint_granularity"]) else { return };
    match found.value.as_str() {
        "full" => {
            let stage = draft.scenario.model.architecture().num_hidden_layers / draft.scenario.pp.max(1);
            let block = method.as_ref().is_some_and(|method| method.value == "block");
            match layers.filter(|layers| block && layers.value < stage) {
                Some(layers) => {
                    draft.set_option_from(&found, ParamId::Recompute, "fraction");
                    let kept = 100.0 * (1.0 - f64::from(layers.value) / f64::from(stage.max(1)));
                    draft.number(Some(layers.with(kept)), ParamId::KeepFraction);
                }
                None => draft.set_option_from(&found, ParamId::Recompute, "full"),
            }
            if let Some(method) = method {
                draft.record(&method, "How layers are recomputed");
            }
        }
        "selective" => {
            let named = modules.as_ref().map(|found| found.value.clone()).unwrap_or_default();
            let only_core = named.is_empty() || named.iter().all(|name| name == "core_attn");
            draft.set_option_from(&found, ParamId::Recompute, if only_core { "attention" } else { "modules" });
            if let Some(modules) = &modules {
                selected(modules, draft);
            }
        }
        _ => draft.unknown(&found, ParamId::Recompute),
    }
}

fn selected(found: &KeyedValue<Vec<String>>, draft: &mut Draft) {
    let has = |name: &str| found.value.iter().any(|module| module == name);
    draft.scenario.recompute_modules = RecomputeModules {
        core_attn: has("core_attn"),
        mlp: has("mlp"),
        moe: has("moe"),
        moe_act: has("moe_act"),
        layernorm: has("layernorm"),
        mla_up_proj: has("mla_up_proj"),
        shared_experts: has("shared_experts"),
    };
    if draft.scenario.recompute == Recompute::AttentionCore {
        draft.scenario.recompute_modules = RecomputeModules::USUAL;
    }
    draft.record(found, "These modules are recomputed");
}

/// Reads how experts run.
pub(in super::super) fn experts(args: &mut Args, draft: &mut Draft) {
    draft.set_option(ParamId::GroupedExperts, "no");
    draft.set_flag(args.flag(&["moe_grouped_gemm"]), ParamId::GroupedExperts);
    if let Some(found) = args.word(&["moe_token_dispatcher_type"]) {
        let words =
            [("flex", "fused"), ("alltoall", "alltoall"), ("alltoall_seq", "alltoall"), ("allgather", "alltoall")];
        draft.one_of(Some(found), ParamId::TokenDispatcher, &words);
    }
    if args.is_on("moe_enable_deepep") {
        draft.set_option(ParamId::TokenDispatcher, "fused");
    }
    args.skip(&[
        "moe_flex_dispatcher_backend",
        "moe_pad_expert_input_to_capacity",
        "moe_permute_fusion",
        "moe_router_load_balancing_type",
        "moe_aux_loss_coeff",
        "moe_z_loss_coeff",
        "moe_router_dtype",
        "moe_router_fusion",
        "moe_router_pre_softmax",
        "moe_router_topk_scaling_factor",
        "moe_router_bias_update_rate",
    ]);
    draft.number(
        args.number(&["moe_expert_capacity_factor"]).filter(|found| found.value >= 1.0),
        ParamId::CapacityFactor,
    );
    draft.set_flag(args.flag(&["overlap_moe_expert_parallel_comm"]), ParamId::ExpertOverlap);
    draft.set_flag(args.flag(&["use_transformer_engine_op_fuser"]), ParamId::FusedExperts);
}

/// Reads kernels and dropout.
pub(in super::super) fn options(args: &mut Args, draft: &mut Draft) {
    if let Some(found) = args.word(&["attention_backend"]) {
        let kernel = match found.value.trim_start_matches("attnbackend.") {
            "auto" | "fused" => "cudnn".to_owned(),
            other => other.to_owned(),
        };
        shared::attention(Some(found.with(kernel)), draft);
    }
    if let Some(found) = args.flag(&["fp8_dot_product_attention"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::AttentionKernel, "flash-fp8");
    }
    args.skip(&["use_flash_attn", "no_rope_fusion", "attention_softmax_in_fp32"]);
    let kind = args.word(&["cross_entropy_fusion_impl"]);
    if let Some(found) = args.flag(&["cross_entropy_loss_fusion"]) {
        let native = kind.is_some_and(|kind| kind.value == "native");
        // Megatron-Core's loss stores the exponentials and fp32 logits; Transformer Engine's does
        // not.
        match (found.value, native) {
            (true, true) => draft.set_option_from(&found, ParamId::Loss, "fp32-logits"),
            (true, false) => draft.set_option_from(&found, ParamId::Loss, "fused"),
            (false, _) => draft.record(&found, "The loss of the release"),
        }
    }
    let mut drops = |name| args.number(&[name]);
    let (hidden, attention) = (drops("hidden_dropout"), drops("attention_dropout"));
    // Both default to 0.1.
    let is_on = |found: &Option<KeyedValue<f64>>| found.as_ref().is_none_or(|found| found.value > 0.0);
    let drops = is_on(&hidden) || is_on(&attention);
    if let Some(found) = hidden.or(attention) {
        draft.set_option_from(&found, ParamId::Dropout, if drops { "yes" } else { "no" });
    } else {
        draft.set_option(ParamId::Dropout, "yes");
        draft.assume("Dropout of 0.1, Megatron-LM's default.");
    }
    if let Some(found) = args.word(&["cuda_graph_impl"]) {
        let whole = args
            .list(&["cuda_graph_scope"])
            .is_some_and(|scope| scope.value.iter().any(|name| name.contains("full_iteration")));
        let option = match found.value.as_str() {
            "none" => "none",
            "full_iteration" => "step",
            _ if whole => "step",
            _ => "layers",
        };
        draft.set_option_from(&found, ParamId::CudaGraphs, option);
        args.skip(&["cuda_graph_modules", "cuda_graph_scope", "cuda_graph_warmup_steps"]);
    } else if let Some(found) = args.flag(&["enable_cuda_graph", "external_cuda_graph"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::CudaGraphs, "layers");
    }
    draft.number(args.count(&["mtp_num_layers"]), ParamId::MultiTokenPrediction);
}
