//! Recomputation and dropout of Megatron's arguments.

use engine::model::training::{Recompute, RecomputeModules};
use engine::params::ParamId;

use crate::run::draft::Draft;
use crate::run::formats::args::Args;
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

/// Reads dropout, which is on if that of hidden states or that of attention is.
pub(in super::super) fn dropout(args: &mut Args, draft: &mut Draft) {
    let mut drops = |name| args.number(&[name]);
    let (hidden, attention) = (drops("hidden_dropout"), drops("attention_dropout"));
    // Megatron-Core's default of both is 0.1.
    let is_on = |found: &Option<KeyedValue<f64>>| found.as_ref().is_none_or(|found| found.value > 0.0);
    let drops = is_on(&hidden) || is_on(&attention);
    if let Some(found) = hidden.or(attention) {
        draft.set_option_from(&found, ParamId::Dropout, if drops { "yes" } else { "no" });
    }
}
