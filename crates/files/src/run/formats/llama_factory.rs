//! LLaMA-Factory: `llamafactory-cli train` (src/llamafactory/hparams).

use engine::params::ParamId;

use super::{peft, shared, trainer};
use crate::run::draft::Draft;
use crate::run::keys::Keys;

/// Reads a file.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    draft.batch.usual_micro = 8;
    shared::hugging_face("llama-factory", keys, draft);
    trainer::model(keys, draft);
    // `cutoff_len` of data_args.py.
    draft.put(ParamId::SequenceLength, 2048.0);
    trainer::arguments(keys, draft);
    match keys.flag(&["disable_gradient_checkpointing"]) {
        Some(found) => draft.choose(&found, ParamId::Recompute, if found.value { "none" } else { "full" }),
        None => draft.assume("Gradient checkpointing is on, LLaMA-Factory's default."),
    }
    if draft.batch.micro.is_none() {
        draft.batch.usual_micro = 8;
    }
    objective(keys, draft);
    method(keys, draft);
    precision(keys, draft);
    trainer::kernels(keys, draft);
    if let Some(found) = keys.word(&["flash_attn"]) {
        shared::attention(Some(found), draft);
    }
    if let Some(found) = keys.flag(&["enable_liger_kernel"]) {
        if found.value {
            draft.choose(&found, ParamId::Loss, "fused-linear");
            draft.pick(ParamId::NormKernel, "fused");
        } else {
            draft.note(&found, "Hugging Face's own kernels");
        }
    }
    let length = keys.count(&["cutoff_len"]);
    if length.is_none() {
        draft.has_length = true;
        draft.assume("Sequences of 2,048 tokens, LLaMA-Factory's default.");
    }
    draft.length(length);
    optimizers(keys, draft);
    trainer::sharding(keys, draft);
    keys.skip(&["neat_packing", "use_unsloth_gc", "upcast_layernorm"]);
}

fn objective(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.word(&["stage"]) {
        let words = [("pt", "lm"), ("sft", "lm"), ("rm", "reward"), ("ppo", "ppo"), ("dpo", "dpo"), ("kto", "kto")];
        draft.one_of(Some(found), ParamId::Objective, &words);
    }
    if let Some(found) = keys.word(&["pref_loss"]) {
        match found.value.as_str() {
            "orpo" => draft.choose(&found, ParamId::Objective, "orpo"),
            "simpo" => {
                draft.choose(&found, ParamId::Objective, "dpo");
                draft.pick(ParamId::Reference, "none");
            }
            _ => draft.note(&found, "A loss over pairs, with a reference"),
        }
    }
}

fn method(keys: &mut Keys, draft: &mut Draft) {
    // `finetuning_type: lora` is the default (finetuning_args.py).
    let found = keys.word(&["finetuning_type"]);
    let kind = found.as_ref().map_or("lora", |found| found.value.as_str()).to_owned();
    match kind.as_str() {
        "full" => {
            if let Some(found) = &found {
                draft.choose(found, ParamId::Method, "all");
            }
        }
        "freeze" => {
            if let Some(found) = &found {
                draft.choose(found, ParamId::Method, "layers");
            }
            let layers = draft.scenario.model.architecture().num_hidden_layers;
            if let Some(trained) = keys.number(&["freeze_trainable_layers"]) {
                let frozen = (f64::from(layers) - trained.value).max(0.0);
                draft.number(Some(trained.with(frozen)), ParamId::FrozenLayers);
            }
            if let Some(found) = keys.list(&["freeze_extra_modules"]) {
                let trains = found.value.iter().any(|name| name.contains("embed") || name.contains("head"));
                draft.choose(&found, ParamId::TrainEmbeddings, if trains { "yes" } else { "no" });
            }
            keys.skip(&["freeze_trainable_modules"]);
        }
        _ => {
            if let Some(found) = &found {
                draft.choose(found, ParamId::Method, "lora");
            }
            let names = peft::Names {
                rank: &["lora_rank"],
                dropout: &["lora_dropout"],
                targets: &["lora_target"],
                saved: &["additional_target"],
                rslora: &["use_rslora"],
                dora: &["use_dora"],
                usual_rank: 8,
                usual_targets: draft.usual(ParamId::LoraTargets).unwrap_or("all"),
            };
            peft::lora(keys, draft, &names);
        }
    }
    let nested = keys.flag(&["double_quantization"]);
    if let Some(found) = keys.count(&["quantization_bit"]) {
        // `double_quantization: True` is the default (model_args.py).
        let doubled = nested.as_ref().is_none_or(|found| found.value);
        let option = match (found.value, doubled) {
            (8, _) => "int8",
            (_, true) => "nf4dq",
            (_, false) => "nf4",
        };
        draft.choose(&found, ParamId::BaseFormat, option);
    }
    keys.skip(&["quantization_method", "quantization_type", "quantization_device_map"]);
}

/// What trains is cast to fp32 unless `pure_bf16` (`init_adapter`).
fn precision(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.flag(&["pure_bf16"]).filter(|found| found.value) {
        draft.choose(&found, ParamId::Recipe, "pure-bf16");
        return;
    }
    trainer::precision(keys, draft);
    if let Some(found) = keys.flag(&["fp8"]).filter(|found| found.value) {
        draft.choose(&found, ParamId::ComputeFormat, "fp8");
        if let Some(gather) = keys.flag(&["fp8_enable_fsdp_float8_all_gather"]).filter(|found| found.value) {
            draft.choose(&gather, ParamId::ComputeFormat, "fp8-gather");
        }
    }
    keys.skip(&["fp8_enable_fsdp_float8_all_gather", "fp8_backend"]);
}

fn optimizers(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.flag(&["use_galore"]).filter(|found| found.value) {
        let eight = draft.scenario.optimizer == engine::model::training::Optimizer::AdamW8bit;
        draft.choose(&found, ParamId::Optimizer, if eight { "galore-8bit" } else { "galore" });
        draft.number(keys.count(&["galore_rank"]), ParamId::GaloreRank);
        draft.yes(keys.flag(&["galore_layerwise"]), ParamId::UpdatePlace);
    }
    for (key, option) in [("use_muon", "muon"), ("use_adam_mini", "adam-mini")] {
        if let Some(found) = keys.flag(&[key]).filter(|found| found.value) {
            draft.choose(&found, ParamId::Optimizer, option);
        }
    }
    keys.skip(&["galore_target", "galore_scale", "galore_update_interval"]);
}
