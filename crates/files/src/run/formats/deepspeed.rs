//! DeepSpeed's JSON (deepspeed.ai/docs/config-json).

use engine::params::ParamId;

use super::shared;
use crate::run::draft::Draft;
use crate::run::format::is_hugging_face;
use crate::run::keys::Keys;

/// Reads the model of a script that has the configuration as a dictionary, and loads it itself.
pub(super) fn script(keys: &mut Keys, draft: &mut Draft) {
    if !draft.is_alone() {
        return;
    }
    if let Some(found) = keys.text(&["model_name_or_path"]) {
        draft.model_named(&found);
        draft.set_option(ParamId::Recompute, "none");
        if let Some(found) = keys.flag(&["gradient_checkpointing"]).filter(|found| found.value) {
            draft.set_option_from(&found, ParamId::Recompute, "full");
        }
    } else {
        draft.assume("The training script is not among these files: its lengths and its model are as in the page.");
    }
}

/// Leaves out options that change neither memory nor the sizes of messages.
pub(super) fn rest(keys: &mut Keys) {
    for section in [
        "optimizer",
        "activation_checkpointing",
        "aio",
        "autotuning",
        "pipeline",
        "expert_parallel",
        "tensor_parallel",
        "scheduler",
        "zero_optimization",
    ] {
        keys.skip_below(section);
    }
    keys.skip(&["communication_data_type", "zero_allow_untested_optimizer", "zero_force_ds_cpu_optimizer"]);
}

/// Reads how weights and states are sharded.
pub(super) fn sharding(keys: &mut Keys, draft: &mut Draft) {
    draft.below();
    let found = keys.number(&["zero_optimization.stage"]);
    let stage = found.as_ref().map_or(0, |found| found.value as u32);
    let option = shared::zero_strategy(stage);
    match &found {
        Some(found) => draft.set_option_from(found, ParamId::Strategy, option),
        None => {
            draft.set_option(ParamId::Strategy, option);
        }
    }
    draft.has_strategy = true;
    if let Some(found) = keys.count(&["zero_optimization.zero_hpz_partition_size"]).filter(|found| found.value > 1) {
        draft.number(Some(found.clone()), ParamId::ShardSize);
        draft.set_option_from(&found, ParamId::Strategy, "reshard");
    }
    if let Some(found) = keys.count(&["zero_optimization.mics_shard_size"]) {
        draft.number(Some(found.clone()), ParamId::ShardSize);
        draft.set_option_from(&found, ParamId::Strategy, "hybrid-shard");
    }
    // Weights may stay gathered between forward and backward pass.
    if let Some(found) = keys.number(&["zero_optimization.stage3_max_live_parameters"]) {
        let params = engine::model::family::params(&draft.scenario.model.architecture());
        let reuse = keys.number(&["zero_optimization.stage3_max_reuse_distance"]);
        let stays = stage >= 3 && found.value >= params && reuse.is_some_and(|reuse| reuse.value >= params);
        if stays && draft.scenario.strategy == engine::scenario::Strategy::FullShard {
            draft.set_option_from(&found, ParamId::Strategy, "shard-grad-op");
        }
    }
}

/// Reads the formats.
pub(super) fn formats(keys: &mut Keys, draft: &mut Draft) {
    let bf16 = keys.flag(&["bf16.enabled", "bfloat16.enabled"]);
    let fp16 = keys.flag(&["fp16.enabled"]);
    let masters = keys.flag(&["bf16.bf16_master_weights_and_grads"]);
    let autocast = keys.flag(&["torch_autocast.enabled"]);
    let half = [&bf16, &fp16].into_iter().flatten().find(|found| found.value).cloned();
    let grads = keys.word(&["data_types.grad_accum_dtype"]);
    if let Some(found) = autocast.filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Recipe, "fsdp2-bf16");
    } else if let Some(found) = half {
        let option = if masters.is_some_and(|found| found.value) {
            "pure-bf16"
        } else if grads.as_ref().is_some_and(|found| found.value == "fp32") {
            "megatron-mixed"
        } else {
            "zero-mixed"
        };
        draft.set_option_from(&found, ParamId::Recipe, option);
    } else if keys.has("bf16.enabled") && keys.word(&["bf16.enabled"]).is_some_and(|found| found.value == "auto") {
        // Taken from the trainer.
        if draft.scenario.recipe != engine::model::training::PrecisionPolicy::Fp32 {
            draft.set_option(ParamId::Recipe, "zero-mixed");
        }
    } else if bf16.is_none() && fp16.is_none() && draft.formats.iter().any(|format| is_hugging_face(*format)) {
        // Accelerate adds the trainer's format where the file has none (`set_mixed_precision` of
        // accelerate/utils/dataclasses.py).
        if draft.scenario.recipe != engine::model::training::PrecisionPolicy::Fp32 {
            draft.set_option(ParamId::Recipe, "zero-mixed");
        }
    } else if bf16.is_some() || fp16.is_some() || !keys.has("bf16") && !keys.has("fp16") {
        draft.set_option(ParamId::Recipe, "fp32");
    } else if draft.scenario.recipe != engine::model::training::PrecisionPolicy::Fp32 {
        draft.set_option(ParamId::Recipe, "zero-mixed");
    }
    for section in ["bf16", "fp16", "torch_autocast", "data_types", "amp"] {
        keys.skip_below(section);
    }
}
