//! NeMo's YAML and recipes, and Megatron-Bridge's: Megatron-Core's arguments in sections.

use catalog::programs::Program;
use engine::params::ParamId;

use super::megatron::{self, Args};
use super::{low_precision, peft, shared};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::models;

const BRIDGE: &[&str] = &[
    "model.",
    "train.",
    "ddp.",
    "optimizer.",
    "dataset.",
    "mixed_precision.",
    "comm_overlap.",
    "checkpoint.",
    "",
    "*",
];
const NEMO: &[&str] = &[
    "model.",
    "trainer.strategy.",
    "trainer.",
    "strategy.",
    "data.",
    "model.data.",
    "trainer.strategy.ddp.",
    "strategy.ddp.",
    "optim.config.",
    "",
    "*",
];

/// Reads Megatron-Bridge's YAML, overrides or recipe.
pub(super) fn read_bridge(keys: &mut Keys, draft: &mut Draft) {
    megatron::kernels(Program::MegatronBridge, keys, draft);
    let recipe = keys.word(&["recipe", "recipe_name"]);
    let named = keys.text(&["model.hf_path", "hf_path", "*hf_path", "$HF_MODEL_ID", "$HF_MODEL", "hf_model_id"]);
    if let Some(found) = named.filter(|found| models::find_model(&found.value).is_some()) {
        draft.model_named(&found);
    } else if let Some(found) = recipe.clone() {
        // `llama32_1b_pretrain_config`: the model, and the kind of training.
        let name = models::spelled(&found.value);
        draft.model_called(&found, &name);
    } else if let Some(found) = keys.text(&["model", "*model"]) {
        draft.model_called(&found, &models::spelled(found.value.rsplit('.').next().unwrap_or_default()));
    }
    let mut args = Args { keys, places: BRIDGE };
    common(&mut args, draft);
    let precision = args.word(&["mixed_precision"]);
    // Recipes of Megatron-Bridge reduce in 16 bits by default (`grad_reduce_in_fp32`).
    let fp32 = args.flag(&["grad_reduce_in_fp32"]);
    draft.set_option(
        ParamId::Recipe,
        if fp32.is_some_and(|found| found.value) { "megatron-mixed" } else { "zero-mixed" },
    );
    if let Some(found) = precision.filter(|found| !low_precision::set_bridge_recipe(found, draft)) {
        if found.value.contains("fp8") {
            draft.set_option_from(&found, ParamId::ComputeFormat, "fp8-gather");
        } else if found.value.contains("fp4") {
            draft.set_option_from(&found, ParamId::ComputeFormat, "fp4");
        } else {
            draft.record(&found, "bf16 with fp32 masters");
        }
    }
    megatron::eight_bits(&mut args, draft);
    let is_peft = recipe.is_some_and(|found| found.value.contains("peft") || found.value.contains("lora"));
    adapters(keys, draft, is_peft);
    draft.batch.default_micro_batch = 1;
}

/// Reads NeMo's YAML or recipe.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    megatron::kernels(Program::Nemo, keys, draft);
    let nodes = keys.count(&["trainer.num_nodes", "num_nodes", "*num_nodes"]);
    let per_node = keys.count(&["trainer.devices", "num_gpus_per_node", "*num_gpus_per_node", "*devices"]);
    draft.world.nodes = draft.world.nodes.take().or(nodes);
    draft.world.per_node = draft.world.per_node.take().or(per_node);
    let mut args = Args { keys, places: NEMO };
    common(&mut args, draft);
    draft.batch.steps = args.number(&["max_steps"]).filter(|found| found.value > 0.0);
    let precision = args.word(&["precision", "plugins"]);
    let two = args.flag(&["megatron_amp_o2", "megatron_amp_O2"]);
    let fp32 = args.flag(&["grad_reduce_in_fp32"]);
    match precision {
        Some(found) if matches!(found.value.as_str(), "32" | "32-true" | "fp32") => {
            draft.set_option_from(&found, ParamId::Recipe, "fp32");
        }
        Some(found) => {
            let option = match (fp32.is_some_and(|found| found.value), two.is_some_and(|found| !found.value)) {
                (true, _) => "megatron-mixed",
                (_, true) => "autocast",
                _ => "megatron-mixed",
            };
            draft.set_option_from(&found, ParamId::Recipe, option);
        }
        None => {
            draft.set_option(ParamId::Recipe, "megatron-mixed");
        }
    }
    megatron::eight_bits(&mut args, draft);
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
        ["NAME", "model", "__factory__"].into_iter().filter_map(|name| keys.text(&[name])).collect::<Vec<_>>();
    named.extend(keys.text(&["__base__"]).map(module));
    let is_known = |found: &&KeyedValue<String>| models::find_model(&models::spelled(&found.value)).is_some();
    let named = named.iter().find(is_known).filter(|_| !draft.has_model);
    if let Some(found) = named {
        draft.model_called(found, &models::spelled(&found.value));
        // A recipe with a row has its values below the script's.
        if found.key == "recipe" && !keys.has("__recipe__") {
            draft.not_read(found, "what it sets itself is not known");
        }
    }
    adapters(keys, draft, false);
}

/// Reads the arguments that NeMo and Megatron-Bridge share with Megatron-LM.
fn common(args: &mut Args, draft: &mut Draft) {
    let has_layers = args.count(&["num_layers"]).is_some();
    if has_layers {
        megatron::shape(args, draft);
    }
    shared::micro(args.count(&["micro_batch_size"]), draft);
    draft.batch.global = args.count(&["global_batch_size"]);
    draft.batch.steps = args.number(&["train_iters"]);
    draft.length(args.count(&["seq_length", "encoder_seq_length", "seq_len", "max_seq_length"]));
    megatron::degrees(args, draft);
    megatron::states(args, draft);
    if !draft.scenario.communication.overlap {
        // Recipes overlap by default.
        draft.set_option(ParamId::GradientOverlap, "yes");
    }
    // The optimizers are distributed by default.
    let optimizer = args.word(&["optim.name"]);
    let plain = args.flag(&["use_distributed_optimizer"]).is_some_and(|found| !found.value)
        || optimizer.as_ref().is_some_and(|found| !found.value.contains("distributed"));
    if draft.scenario.strategy == engine::scenario::Strategy::Ddp && !plain {
        draft.set_option(ParamId::Strategy, "zero1");
    }
    if let Some(found) = optimizer {
        shared::optimizer(Some(found), draft);
    }
    megatron::recomputation(args, draft);
    megatron::experts(args, draft);
    draft.set_option(ParamId::GroupedExperts, "yes");
    let assumed = draft.assumed.len();
    megatron::options(args, draft);
    // Only Megatron-LM has dropout by default.
    if draft.assumed.len() > assumed && draft.assumed.last().is_some_and(|said| said.starts_with("Dropout")) {
        draft.assumed.pop();
        draft.set_option(ParamId::Dropout, "no");
    }
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
