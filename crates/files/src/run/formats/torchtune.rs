//! torchtune's recipes (recipes/configs).

use engine::model::software::Kernels;
use engine::params::ParamId;

use super::{peft, shared};
use crate::run::draft::Draft;
use crate::run::keys::Keys;

/// Reads a recipe's configuration.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    draft.scenario.kernels = Kernels::USUAL;
    shared::pytorch_attention(draft);
    draft.program("torchtune", keys);
    model(keys, draft);
    draft.batch.usual_micro = 2;
    shared::micro(keys.count(&["batch_size"]), draft);
    shared::accum(keys.count(&["gradient_accumulation_steps"]), draft);
    draft.batch.steps = keys.number(&["max_steps_per_epoch"]).filter(|found| found.value > 0.0);
    draft.length(keys.count(&["tokenizer.max_seq_len", "dataset.max_seq_len", "max_seq_len"]));
    if let Some(found) = keys.flag(&["dataset.packed"]) {
        super::trainer::packing(&found, draft);
    }
    if let Some(found) = keys.text(&["optimizer._component_"]) {
        shared::optimizer(Some(found), draft);
        if keys.flag(&["optimizer.fused"]).is_some_and(|found| found.value) {
            draft.pick(ParamId::OptimizerKernel, "fused");
        } else if draft.scenario.optimizer == engine::model::training::Optimizer::AdamW && !draft.scenario.offload.paged
        {
            draft.pick(ParamId::OptimizerKernel, "foreach");
        }
    }
    if let Some(found) = keys.flag(&["optimizer_in_bwd"]) {
        draft.yes(Some(found), ParamId::UpdatePlace);
    }
    keys.skip_below("optimizer");
    loss(keys, draft);
    if let Some(found) = keys.word(&["dtype"]) {
        let words = [("bf16", "pure-bf16"), ("fp32", "fp32"), ("fp16", "pure-bf16")];
        draft.one_of(Some(found), ParamId::Recipe, &words);
    }
    draft.yes(keys.flag(&["compile"]), ParamId::Compile);
    if let Some(found) = keys.flag(&["enable_activation_checkpointing"]) {
        draft.choose(&found, ParamId::Recompute, if found.value { "full" } else { "none" });
    }
    draft.yes(keys.flag(&["enable_activation_offloading"]), ParamId::OffloadActivations);
    sharding(keys, draft);
    if let Some(found) = keys.text(&["num_output_chunks"]) {
        draft.note(&found, "Chunks of the loss");
    }
    keys.skip_below("lr_scheduler");
}

/// The model by its builder, with what it says of adapters.
fn model(keys: &mut Keys, draft: &mut Draft) {
    let Some(found) = keys.text(&["model._component_"]) else { return };
    let path = found.value.clone();
    let name = path.rsplit('.').next().unwrap_or_default();
    let plain = name.strip_prefix("qlora_").or_else(|| name.strip_prefix("lora_")).unwrap_or(name);
    draft.model_called(&found, plain.trim_end_matches("_base").trim_end_matches("_instruct"));
    let mut shape = |key: &str, id| {
        let key = format!("model.{key}");
        draft.number(keys.count(&[&key]), id);
    };
    if crate::run::models::of_name(plain).is_none() && path.ends_with(".llama3") || name == "qwen2" || name == "llama2"
    {
        for (key, id) in [
            ("vocab_size", ParamId::VocabSize),
            ("num_layers", ParamId::Layers),
            ("num_heads", ParamId::AttentionHeads),
            ("num_kv_heads", ParamId::KvHeads),
            ("embed_dim", ParamId::HiddenSize),
            ("intermediate_dim", ParamId::MlpWidth),
        ] {
            shape(key, id);
        }
    }
    if name.starts_with("lora_") || name.starts_with("qlora_") || name.starts_with("dora_") {
        let names = peft::Names {
            rank: &["model.lora_rank"],
            dropout: &["model.lora_dropout"],
            targets: &["model.lora_attn_modules"],
            saved: &[],
            rslora: &[],
            dora: &["model.use_dora"],
            usual_rank: 8,
            usual_targets: "qv",
        };
        let mlp = keys.flag(&["model.apply_lora_to_mlp"]);
        peft::lora(keys, draft, &names);
        if let Some(mlp) = mlp.filter(|found| found.value) {
            draft.choose(&mlp, ParamId::LoraTargets, "all");
        }
        // torchtune's LoRA stays in the model's format.
        let four = keys.flag(&["model.quantize_base"]);
        let is_four = name.starts_with("qlora_") || four.as_ref().is_some_and(|found| found.value);
        draft.pick(ParamId::BaseFormat, if is_four { "nf4dq" } else { "bf16" });
        keys.skip(&["model.apply_lora_to_output", "model.lora_alpha"]);
    }
    keys.skip_below("model");
}

fn loss(keys: &mut Keys, draft: &mut Draft) {
    let Some(found) = keys.text(&["loss._component_", "loss"]) else { return };
    let name = found.value.rsplit('.').next().unwrap_or_default();
    match name {
        "LinearCrossEntropyLoss" | "CEWithChunkedOutputLoss" | "ForwardKLWithChunkedOutputLoss" => {
            draft.choose(&found, ParamId::Loss, "chunked");
        }
        "CrossEntropyLoss" => draft.choose(&found, ParamId::Loss, "standard"),
        "DPOLoss" | "RSOLoss" => draft.choose(&found, ParamId::Objective, "dpo"),
        "PPOLoss" => draft.choose(&found, ParamId::Objective, "ppo"),
        "GRPOLoss" | "GRPOSimpleLoss" => draft.choose(&found, ParamId::Objective, "grpo"),
        _ => draft.unknown(&found, ParamId::Loss),
    }
    keys.skip_below("loss");
}

fn sharding(keys: &mut Keys, draft: &mut Draft) {
    let name = keys.name().to_ascii_lowercase();
    let distributed = keys.has("fsdp_cpu_offload")
        || keys.has("fsdp_reshard_after_forward")
        || keys.has("tensor_parallel_dim")
        || keys.has("data_parallel_shard_dim")
        || keys.has("fsdp_sharding_strategy");
    // The pages' own settings and pasted ones have no name that says it.
    let is_named = !matches!(keys.name(), "torchtune.yaml" | "the text");
    draft.world.is_single = name.contains("single_device") || !is_named && !distributed;
    draft.pick(ParamId::Strategy, if draft.world.is_single { "ddp" } else { "full-shard" });
    draft.has_strategy = true;
    if let Some(found) = keys.flag(&["fsdp_cpu_offload"]) {
        draft.yes(Some(found.clone()), ParamId::OffloadParameters);
        draft.pick(ParamId::OffloadOptimizer, if found.value { "yes" } else { "no" });
    }
    if let Some(found) = keys.flag(&["fsdp_reshard_after_forward"]) {
        draft.choose(&found, ParamId::Strategy, if found.value { "full-shard" } else { "shard-grad-op" });
    }
    draft.number(keys.count(&["tensor_parallel_dim"]), ParamId::Tp);
    draft.number(keys.count(&["context_parallel_dim"]), ParamId::Cp);
    let replicate = keys.count(&["data_parallel_replicate_dim"]);
    draft.world.replicate = replicate;
    draft.world.shard = keys.count(&["data_parallel_shard_dim"]);
    keys.skip_below("tensor_parallel_plan");
}
