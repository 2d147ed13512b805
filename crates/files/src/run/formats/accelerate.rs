//! Accelerate: the file of `accelerate launch --config_file` (src/accelerate/utils/dataclasses.py).

use catalog::programs::Program;
use engine::model::software::Framework;
use engine::model::training::PrecisionPolicy;
use engine::params::ParamId;

use super::{megatron, shared, trainer};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::tree::LAUNCHER;

/// Reads the formats and the compilation.
pub(super) fn formats(keys: &mut Keys, draft: &mut Draft) {
    let is_alone = draft.is_alone();
    if is_alone {
        draft.assume("The training script is not among these files: its batch, lengths and model are as in the page.");
    }
    let precision = keys.word(&["mixed_precision"]);
    if let Some(found) = &precision {
        mixed(found, draft, is_alone);
    }
    draft
        .set_flag(
            keys.flag(&["fp8_config.fp8_enable_fsdp_float8_all_gather", "fp8_config.enable_fsdp_float8_all_gather"])
                .filter(|found| found.value),
            ParamId::Compile,
        )
        .map(|_| draft.set_option(ParamId::ComputeFormat, "fp8-gather"));
    if let Some(found) = keys.word(&["dynamo_config.dynamo_backend"]) {
        trainer::set_compiler(&found, draft);
        if let Some(mode) = keys.word(&["dynamo_config.dynamo_mode"]) {
            trainer::set_graphs(&mode, draft);
        }
        keys.skip_below("dynamo_config");
    }
    keys.skip_below("fp8_config");
}

/// Reads the sharding.
pub(super) fn sharding(keys: &mut Keys, draft: &mut Draft) {
    let Some(kind) = keys.word(&["distributed_type"]) else { return };
    match kind.value.as_str() {
        "fsdp" => {
            draft.set_option_from(&kind, ParamId::Strategy, "full-shard");
            draft.has_strategy = true;
            trainer::fsdp(keys, draft, "fsdp_config", "fsdp_");
            parallelism(keys, draft);
        }
        "deepspeed" => {
            draft.record(&kind, "DeepSpeed");
            parallelism(keys, draft);
            deepspeed(keys, draft);
        }
        "megatron_lm" => {
            draft.record(&kind, "Megatron-LM");
            megatron::read_accelerate_section(keys, draft);
        }
        "no" => {
            draft.set_option_from(&kind, ParamId::Strategy, "ddp");
            draft.world.is_single = draft.world.gpus.is_none();
        }
        _ => {
            draft.set_option_from(&kind, ParamId::Strategy, "ddp");
            parallelism(keys, draft);
        }
    }
}

/// Reads the sharding from the arguments of `accelerate launch`, if the program's own name none
/// (src/accelerate/commands/launch.py). A file that is not given is taken by its name.
pub(super) fn launched(keys: &mut Keys, draft: &mut Draft) {
    if keys.peek(LAUNCHER).as_deref() != Some("accelerate") {
        return;
    }
    let is_said = draft.said.contains(&ParamId::Strategy) || draft.scenario.framework == Framework::DeepSpeed;
    let file = keys.text(&["config_file"]);
    let is_new = |found: &KeyedValue<String>, draft: &Draft| {
        !draft.understood.iter().any(|line| line.file == found.file && line.key == found.key)
    };
    if let Some(found) = file.as_ref().filter(|found| is_new(found, draft)) {
        draft.record(found, "Accelerate's file");
    }
    let precision = keys.word(&["mixed_precision"]);
    if let Some(found) = precision.as_ref().filter(|found| is_new(found, draft)) {
        mixed(found, draft, false);
    }
    let is_sharded = ["use_deepspeed", "use_fsdp"].iter().any(|key| keys.has(key));
    if is_said || is_sharded {
        // It says only that there are several processes.
        keys.skip(&["multi_gpu"]);
    }
    if draft.scenario.framework == Framework::DeepSpeed {
        offloads(keys, draft, "");
    }
    if is_said || draft.has(Program::Accelerate) {
        return;
    }
    if let Some(found) = keys.flag(&["use_deepspeed"]).filter(|found| found.value) {
        draft.record(&found, "DeepSpeed");
        if let Some(file) = keys.text(&["deepspeed_config_file"]) {
            trainer::deepspeed_file(&file, draft);
        }
        if let Some(stage) = keys.number(&["zero_stage"]) {
            draft.set_option_from(&stage, ParamId::Strategy, shared::zero_strategy(stage.value as u32));
            trainer::under_zero(draft);
        }
        offloads(keys, draft, "");
    } else if let Some(found) = keys.flag(&["use_fsdp"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Strategy, "full-shard");
        trainer::fsdp(keys, draft, "", "fsdp_");
    } else if let Some(found) = keys.flag(&["multi_gpu"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Strategy, "ddp");
    } else if let Some(found) = &file {
        by_name(found, draft);
    }
}

/// Sets the sharding that the name of a file of Accelerate states.
fn by_name(found: &KeyedValue<String>, draft: &mut Draft) {
    let name = found.value.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let said = if let Some(said) = trainer::zero_by_name(&name, draft) {
        said
    } else if has(&["fsdp", "hsdp"]) {
        let is_second = has(&["fsdp2", "fsdp_2", "fsdp-2", "fsdp_v2", "fsdp-v2", "fsdpv2"]);
        draft.set_option(ParamId::Strategy, if has(&["hsdp", "hybrid"]) { "hybrid-shard" } else { "full-shard" });
        let version = if is_second { 2 } else { trainer::usual_fsdp(draft) };
        trainer::under_fsdp(draft, version);
        if has(&["offload"]) {
            draft.set_option(ParamId::OffloadParameters, "yes");
            draft.set_option(ParamId::OffloadOptimizer, "yes");
        }
        if is_second { "FSDP2, as its name says" } else { "FSDP, as its name says" }
    } else if has(&["multi_gpu", "multi-gpu", "multigpu", "ddp"]) {
        draft.set_option(ParamId::Strategy, "ddp");
        "DDP, as its name says"
    } else if has(&["single_gpu", "single-gpu"]) {
        draft.world.is_single = true;
        "one GPU, as its name says"
    } else {
        draft.assume(format!("The file {} is not among these, and its name says no sharding.", found.value));
        return;
    };
    draft.has_strategy = true;
    // The name decides it as a key would.
    draft.said.push(ParamId::Strategy);
    draft.assume(format!("The file {} is not among these: {said}.", found.value));
}

fn mixed(found: &KeyedValue<String>, draft: &mut Draft, alone: bool) {
    match found.value.as_str() {
        "fp16" | "bf16" if alone || draft.scenario.recipe == PrecisionPolicy::Fp32 => {
            draft.set_option_from(found, ParamId::Recipe, "autocast");
        }
        "fp8" => {
            draft.set_option_from(found, ParamId::ComputeFormat, "fp8");
            if alone {
                draft.set_option(ParamId::Recipe, "autocast");
            }
        }
        "no" if alone => draft.set_option_from(found, ParamId::Recipe, "fp32"),
        _ => draft.record(found, "The format of products, as the trainer says"),
    }
}

fn parallelism(keys: &mut Keys, draft: &mut Draft) {
    let names =
        |name: &str| [format!("parallelism_config.parallelism_config_{name}"), format!("parallelism_config.{name}")];
    let mut count = |name: &str| {
        let names = names(name);
        keys.count(&names.each_ref().map(String::as_str))
    };
    let (replicate, shard) = (count("dp_replicate_size"), count("dp_shard_size"));
    let (cp, tp, sp) = (count("cp_size"), count("tp_size"), count("sp_size"));
    draft.world.replicate = draft.world.replicate.take().or(replicate);
    draft.world.shard = draft.world.shard.take().or(shard);
    draft.number(tp, ParamId::Tp);
    draft.number(cp, ParamId::Cp);
    if let Some(found) = sp.filter(|found| found.value > 1) {
        draft.number(Some(found), ParamId::Cp);
        draft.set_option(ParamId::ContextExchange, "alltoall");
    }
    let names = names("cp_comm_strategy");
    if let Some(found) = keys.word(&names.each_ref().map(String::as_str)) {
        // Accelerate's `alltoall` is PyTorch's ring.
        draft.set_option_from(
            &found,
            ParamId::ContextExchange,
            if found.value == "allgather" { "allgather" } else { "ring" },
        );
    }
    keys.skip_below("parallelism_config");
}

fn deepspeed(keys: &mut Keys, draft: &mut Draft) {
    draft.scenario.framework = Framework::DeepSpeed;
    if let Some(found) = keys.text(&["deepspeed_config.deepspeed_config_file"]) {
        trainer::deepspeed_file(&found, draft);
    }
    if let Some(found) = keys.number(&["deepspeed_config.zero_stage"]) {
        draft.set_option_from(&found, ParamId::Strategy, shared::zero_strategy(found.value as u32));
        draft.has_strategy = true;
    }
    trainer::under_zero(draft);
    if let Some(found) = keys.count(&["deepspeed_config.gradient_accumulation_steps"]) {
        // The Trainer's value takes precedence over Accelerate's.
        if draft.batch.accum.is_none() {
            draft.batch.accum = Some(found);
        } else {
            draft.record(&found, "The gradient accumulation, which the trainer sets");
        }
    }
    offloads(keys, draft, "deepspeed_config.");
    keys.skip_below("deepspeed_config");
}

/// Reads where DeepSpeed keeps the optimizer and the weights, from a file's section or the
/// arguments.
fn offloads(keys: &mut Keys, draft: &mut Draft, section: &str) {
    for (key, id) in
        [("offload_optimizer_device", ParamId::OffloadOptimizer), ("offload_param_device", ParamId::OffloadParameters)]
    {
        if let Some(found) = keys.word(&[&format!("{section}{key}")]) {
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
}
