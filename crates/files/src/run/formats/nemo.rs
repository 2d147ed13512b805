//! NeMo's YAML and recipes, and Megatron-Bridge's: their models, formats and adapters. Their other
//! keys are Megatron-Core's arguments in sections.

use engine::params::ParamId;

use super::args::Args;
use super::{low_precision, peft};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::models;

/// Reads the model that Megatron-Bridge's configuration, override or recipe names.
pub(super) fn bridge_model(keys: &mut Keys, draft: &mut Draft) {
    let recipe = keys.word(&RECIPE);
    let named = keys.text(&["model.hf_path", "hf_path", "*hf_path", "$HF_MODEL_ID", "$HF_MODEL", "hf_model_id"]);
    if let Some(found) = named.filter(|found| models::find_model(&found.value).is_some()) {
        draft.model_named(&found);
    } else if let Some(found) = recipe {
        // `llama32_1b_pretrain_config`: the model, and the kind of training.
        let name = models::spelled(&found.value);
        draft.model_called(&found, &name);
    } else if let Some(found) = keys.text(&["model", "*model"]) {
        draft.model_called(&found, &models::spelled(found.value.rsplit('.').next().unwrap_or_default()));
    }
}

/// Keys that name a recipe of Megatron-Bridge.
const RECIPE: [&str; 2] = ["recipe", "recipe_name"];

/// Reads Megatron-Bridge's recipe of formats, by its name.
pub(super) fn bridge_mixed_precision(args: &mut Args, draft: &mut Draft) {
    let precision = args.word(&["mixed_precision"]);
    if let Some(found) = precision.filter(|found| !low_precision::set_bridge_recipe(found, draft)) {
        if found.value.contains("fp8") {
            draft.set_option_from(&found, ParamId::ComputeFormat, "fp8-gather");
        } else if found.value.contains("fp4") {
            draft.set_option_from(&found, ParamId::ComputeFormat, "fp4");
        } else {
            draft.record(&found, "bf16 with fp32 masters");
        }
    }
}

/// Reads the adapters of Megatron-Bridge, which a recipe's name may state.
pub(super) fn bridge_adapters(keys: &mut Keys, draft: &mut Draft) {
    let recipe = keys.word(&RECIPE);
    adapters(keys, draft, recipe.is_some_and(|found| found.value.contains("peft") || found.value.contains("lora")));
}

/// Reads NeMo's formats.
pub(super) fn precision(args: &mut Args, draft: &mut Draft) {
    let two = args.flag(&["megatron_amp_o2", "megatron_amp_O2"]);
    let fp32 = args.flag(&["grad_reduce_in_fp32"]);
    let Some(found) = args.word(&["precision", "plugins"]) else { return };
    let option = match (fp32.is_some_and(|found| found.value), two.is_some_and(|found| !found.value)) {
        _ if matches!(found.value.as_str(), "32" | "32-true" | "fp32") => "fp32",
        (false, true) => "autocast",
        _ => "megatron-mixed",
    };
    draft.set_option_from(&found, ParamId::Recipe, option);
}

/// Reads the model that NeMo's configuration or recipe names, where no numbers describe it.
pub(super) fn model(args: &mut Args, draft: &mut Draft) {
    if let Some(found) =
        args.text(&["restore_from_path", "hf_model"]).filter(|found| models::find_model(&found.value).is_some())
    {
        draft.model_named(&found);
    }
    // `llm.llama31_70b.pretrain_recipe(…)`: a recipe of NeMo 2 is a function of its model's module.
    let module = |found: KeyedValue<String>| {
        let module =
            found.value.rsplit_once('.').map_or("", |(module, _)| module.rsplit('.').next().unwrap_or_default());
        let module = module.to_owned();
        KeyedValue { key: "recipe".to_owned(), ..found.with(module) }
    };
    let mut named =
        ["NAME", "model", "__factory__"].into_iter().filter_map(|name| args.keys.text(&[name])).collect::<Vec<_>>();
    named.extend(args.keys.text(&["__base__"]).map(module));
    let is_known = |found: &&KeyedValue<String>| models::find_model(&models::spelled(&found.value)).is_some();
    let named = named.iter().find(is_known).filter(|_| !draft.has_model);
    if let Some(found) = named {
        draft.model_called(found, &models::spelled(&found.value));
        // A recipe with a row has its values below the script's.
        if found.key == "recipe" && !args.keys.has("__recipe__") {
            draft.not_read(found, "what it sets itself is not known");
        }
    }
}

/// Reads NeMo's adapters.
pub(super) fn nemo_adapters(keys: &mut Keys, draft: &mut Draft) {
    adapters(keys, draft, false);
}

fn adapters(keys: &mut Keys, draft: &mut Draft, is_peft: bool) {
    let scheme = keys.word(&["peft", "peft_scheme", "model.peft.peft_scheme", "*peft_scheme"]);
    let on = scheme
        .as_ref()
        .map_or(is_peft || keys.has("peft.dim"), |found| matches!(found.value.as_str(), "lora" | "dora"));
    if !on {
        return;
    }
    if let Some(found) = &scheme {
        draft.set_option_from(found, ParamId::Method, "lora");
    }
    let names = peft::Names {
        rank: &["peft.dim", "model.peft.lora_tuning.adapter_dim", "*adapter_dim"],
        dropout: &["peft.dropout", "model.peft.lora_tuning.adapter_dropout"],
        targets: &["peft.target_modules", "model.peft.lora_tuning.target_modules"],
        saved: &[],
        rslora: &[],
        dora: &[],
        usual_rank: 32,
        usual_targets: "all",
    };
    peft::lora(keys, draft, &names);
    keys.skip_below("model.peft");
    keys.skip_below("peft");
}
