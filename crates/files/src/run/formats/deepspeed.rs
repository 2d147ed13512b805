//! DeepSpeed's JSON (deepspeed.ai/docs/config-json).

use catalog::programs::Program;
use engine::model::software::Framework;
use engine::params::ParamId;

use super::shared;
use crate::run::draft::Draft;
use crate::run::format::is_hugging_face;
use crate::run::keys::Keys;

/// Reads a file. Values of `auto` come from the trainer.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    let alone = !draft.formats.iter().any(|program| is_hugging_face(*program));
    let model = keys.text(&["model_name_or_path"]).filter(|_| alone);
    if alone {
        shared::hugging_face(Program::Deepspeed, keys, draft);
    }
    // A script that has the configuration as a dictionary loads its model itself.
    if let Some(found) = &model {
        draft.model_named(found);
        draft.set_option(ParamId::Recompute, "none");
        if let Some(found) = keys.flag(&["gradient_checkpointing"]).filter(|found| found.value) {
            draft.set_option_from(&found, ParamId::Recompute, "full");
        }
    } else if alone {
        draft.assume("The training script is not among these files: its lengths and its model are as in the page.");
    }
    draft.scenario.framework = Framework::DeepSpeed;
    // DeepSpeed has its own offloading and fused kernels.
    draft.set_option(ParamId::OptimizerKernel, "fused");
    draft.below();
    stage(keys, draft);
    formats(keys, draft);
    shared::micro(keys.count(&["train_micro_batch_size_per_gpu"]), draft);
    shared::accum(keys.count(&["gradient_accumulation_steps"]), draft);
    draft.batch.global = draft.batch.global.take().or_else(|| keys.count(&["train_batch_size"]));
    if let Some(found) = keys.text(&["optimizer.type"]) {
        shared::optimizer(Some(found), draft);
        if let Some(momentum) = keys.number(&["optimizer.params.momentum"]).filter(|found| found.value > 0.0) {
            draft.set_option_from(&momentum, ParamId::Optimizer, "sgd-momentum");
        }
    }
    keys.skip_below("optimizer");
    draft.number(keys.count(&["tensor_parallel.autotp_size"]), ParamId::Tp);
    if let Some(found) = keys.flag(&["tensor_parallel.tp_overlap_comm"]) {
        draft.set_flag(Some(found), ParamId::AsyncTp);
    }
    if let Some(found) = keys.count(&["sequence_parallel_size"]) {
        draft.number(Some(found), ParamId::Cp);
        draft.set_option(ParamId::ContextExchange, "alltoall");
    }
    draft.number(keys.count(&["pipeline.stages"]), ParamId::Pp);
    draft.number(keys.count(&["expert_parallel.autoep_size"]), ParamId::Ep);
    draft.number(keys.count(&["expert_parallel.expert_tensor_parallel_size"]), ParamId::Etp);
    draft.set_flag(keys.flag(&["expert_parallel.use_grouped_mm"]), ParamId::GroupedExperts);
    if let Some(found) = keys.flag(&["activation_checkpointing.cpu_checkpointing"]) {
        draft.set_flag(Some(found), ParamId::OffloadActivations);
    }
    if let Some(found) = keys.number(&["pipeline.activation_checkpoint_interval"]) {
        draft.set_option_from(&found, ParamId::Recompute, if found.value > 0.0 { "full" } else { "none" });
    }
    for section in
        ["activation_checkpointing", "aio", "autotuning", "pipeline", "expert_parallel", "tensor_parallel", "scheduler"]
    {
        keys.skip_below(section);
    }
    keys.skip(&["communication_data_type", "zero_allow_untested_optimizer", "zero_force_ds_cpu_optimizer"]);
}

fn stage(keys: &mut Keys, draft: &mut Draft) {
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
    for (section, id) in [
        ("zero_optimization.offload_optimizer", ParamId::OffloadOptimizer),
        ("zero_optimization.offload_param", ParamId::OffloadParameters),
    ] {
        let device = [section, ".device"].concat();
        if let Some(found) = keys.word(&[&device]) {
            let on = matches!(found.value.as_str(), "cpu" | "nvme");
            draft.set_option_from(&found, id, if on { "yes" } else { "no" });
            if found.value == "nvme" {
                draft.set_option(
                    ParamId::OffloadNvme,
                    if id == ParamId::OffloadParameters { "all" } else { "optimizer" },
                );
            }
        }
    }
    if let Some(found) = keys.flag(&["zero_optimization.cpu_offload"]) {
        draft.set_flag(Some(found), ParamId::OffloadOptimizer);
    }
    if let Some(found) = keys.flag(&["zero_optimization.overlap_comm"]) {
        draft.set_flag(Some(found), ParamId::GradientOverlap);
    }
    keys.skip_below("zero_optimization");
}

fn formats(keys: &mut Keys, draft: &mut Draft) {
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
    } else if bf16.is_some() || fp16.is_some() || !keys.has("bf16") && !keys.has("fp16") {
        draft.set_option(ParamId::Recipe, "fp32");
    } else if draft.scenario.recipe != engine::model::training::PrecisionPolicy::Fp32 {
        draft.set_option(ParamId::Recipe, "zero-mixed");
    }
    for section in ["bf16", "fp16", "torch_autocast", "data_types", "amp"] {
        keys.skip_below(section);
    }
}
