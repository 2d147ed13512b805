//! llm-foundry: the YAML of `composer train.py` (scripts/train/yamls), on Composer's FSDP.

use engine::model::software::Kernels;
use engine::params::ParamId;
use engine::scenario::Model;
use links::v1::CUSTOM_SHAPE;

use super::shared;
use crate::run::draft::Draft;
use crate::run::keys::Keys;
use crate::run::models;

/// Reads a file; MosaicML's platform has the same under `parameters`.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    draft.scenario.kernels = Kernels::USUAL;
    draft.program("llm-foundry", keys);
    draft.world.gpus = keys.count(&["compute.gpus", "gpu_num", "gpus"]);
    model(keys, draft);
    macro_rules! both {
        ($kind:ident, $name:expr) => {
            keys.$kind(&[$name, concat!("parameters.", $name)])
        };
    }
    draft.length(both!(count, "max_seq_len").or_else(|| both!(count, "variables.max_seq_len")));
    draft.batch.micro = both!(count, "device_train_microbatch_size");
    if let Some(found) = both!(word, "device_train_microbatch_size").filter(|found| found.value == "auto") {
        draft.note(&found, "Composer searches the largest micro-batch that fits");
    }
    draft.batch.global = both!(count, "global_train_batch_size");
    if let Some(found) = both!(text, "max_duration") {
        let steps = found.value.strip_suffix("ba").and_then(|steps| steps.parse::<f64>().ok());
        match steps {
            Some(steps) => draft.batch.steps = Some(found.with(steps)),
            None => draft.note(&found, "The length of the run"),
        }
    }
    if let Some(found) = both!(text, "optimizer.name") {
        shared::optimizer(Some(found), draft);
    }
    let precision = both!(word, "precision");
    let sharded = keys.has("fsdp_config") || keys.has("parameters.fsdp_config");
    if let Some(found) = &precision {
        let option = match (found.value.as_str(), sharded) {
            ("fp32", _) => "fp32",
            (_, true) => "fsdp2-bf16-reduce16",
            (_, false) => "autocast",
        };
        draft.choose(found, ParamId::Recipe, option);
        if found.value == "amp_fp8" {
            draft.choose(found, ParamId::ComputeFormat, "fp8");
        }
    } else {
        draft.pick(ParamId::Recipe, if sharded { "fsdp2-bf16-reduce16" } else { "autocast" });
    }
    draft.pick(ParamId::Strategy, "ddp");
    draft.has_strategy = true;
    if sharded {
        draft.pick(ParamId::Strategy, "full-shard");
        let words = [
            ("full_shard", "full-shard"),
            ("shard_grad_op", "shard-grad-op"),
            ("hybrid_shard", "hybrid-shard"),
            ("no_shard", "ddp"),
        ];
        draft.one_of(both!(word, "fsdp_config.sharding_strategy"), ParamId::Strategy, &words);
        match both!(word, "fsdp_config.mixed_precision") {
            // Composer's DEFAULT reduces in fp32, PURE in 16 bits.
            Some(found) if found.value == "default" => draft.choose(&found, ParamId::Recipe, "fsdp2-bf16"),
            Some(found) if found.value == "full" => draft.choose(&found, ParamId::Recipe, "fp32"),
            Some(found) => draft.note(&found, "Gathered and reduced in 16 bits"),
            None => {}
        }
        if let Some(found) = both!(flag, "fsdp_config.activation_checkpointing") {
            draft.choose(&found, ParamId::Recompute, if found.value { "full" } else { "none" });
        }
        draft.yes(both!(flag, "fsdp_config.activation_cpu_offload"), ParamId::OffloadActivations);
        if let Some(found) = both!(word, "fsdp_config.state_dict_type") {
            draft.choose(&found, ParamId::ShardedCheckpoint, if found.value == "full" { "no" } else { "yes" });
        }
        for section in ["fsdp_config", "parameters.fsdp_config"] {
            keys.skip_below(section);
        }
    }
    draft.number(both!(count, "tp_config.tensor_parallel_degree"), ParamId::Tp);
    keys.skip_below("parameters.optimizer");
    keys.skip_below("optimizer");
}

fn model(keys: &mut Keys, draft: &mut Draft) {
    let base = if keys.has("parameters.model") { "parameters.model." } else { "model." };
    let path = |name: &str| format!("{base}{name}");
    let named = keys.text(&[&path("pretrained_model_name_or_path")]);
    if let Some(found) = named {
        draft.model_named(&found);
    } else if let Some(layers) = keys.count(&[&path("n_layers")]).filter(|_| !draft.has_model) {
        let mut number = |name: &str| keys.count(&[&path(name)]).map(|found| found.value);
        let mut arch = catalog::model("mpt-7b").map_or(CUSTOM_SHAPE, |entry| entry.architecture);
        arch.num_hidden_layers = layers.value.min(2048);
        arch.hidden_size = number("d_model").unwrap_or(arch.hidden_size).clamp(1, 262_144);
        arch.num_attention_heads = number("n_heads").unwrap_or(arch.num_attention_heads).clamp(1, 4096);
        arch.num_key_value_heads = number("attn_config.kv_n_heads").unwrap_or(arch.num_attention_heads);
        arch.head_dim = (arch.hidden_size / arch.num_attention_heads).max(1);
        arch.vocab_size = number("vocab_size").unwrap_or(arch.vocab_size).clamp(1, 16_777_216);
        let ratio = keys.number(&[&path("expansion_ratio")]).map_or(4.0, |found| found.value);
        arch.intermediate_size = (f64::from(arch.hidden_size) * ratio).clamp(1.0, 2_097_152.0) as u32;
        draft.scenario.model = Model::Custom { architecture: arch };
        draft.has_model = true;
        draft.note(&layers, format!("A model of {} layers and H = {}", arch.num_hidden_layers, arch.hidden_size));
        if let Some(experts) = keys.count(&[&path("ffn_config.moe_num_experts")]) {
            draft.number(Some(experts), ParamId::Experts);
            draft.put(ParamId::ExpertWidth, f64::from(arch.intermediate_size));
            draft.number(keys.count(&[&path("ffn_config.ffn_hidden_size")]), ParamId::ExpertWidth);
            draft.put(ParamId::TopK, 1.0);
            draft.number(keys.count(&[&path("ffn_config.moe_top_k")]), ParamId::TopK);
        }
    }
    if let Some(found) = keys.word(&[&path("attn_config.attn_impl")]) {
        shared::attention(Some(found), draft);
    }
    if let Some(rank) = keys.count(&[&path("peft_config.r")]) {
        draft.pick(ParamId::Method, "lora");
        draft.number(Some(rank), ParamId::LoraRank);
        if let Some(found) = keys.list(&[&path("peft_config.target_modules")]) {
            super::peft::targets(&found, draft);
        }
    }
    if let Some(found) =
        keys.text(&["tokenizer.name"]).filter(|found| !draft.has_model && models::of_name(&found.value).is_some())
    {
        draft.model_named(&found);
    }
    keys.skip_below(base.trim_end_matches('.'));
}
