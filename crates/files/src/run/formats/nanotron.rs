//! nanotron's YAML (src/nanotron/config).

use engine::model::software::Kernels;
use engine::params::ParamId;
use engine::scenario::Model;
use links::v1::CUSTOM_SHAPE;

use super::shared;
use crate::run::draft::Draft;
use crate::run::keys::Keys;

/// Reads a file.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    draft.scenario.kernels = Kernels::USUAL;
    shared::pytorch_attention(draft);
    draft.program("nanotron", keys);
    model(keys, draft);
    draft.batch.micro = keys.count(&["tokens.micro_batch_size"]);
    draft.batch.accum = keys.count(&["tokens.batch_accumulation_per_replica"]);
    draft.batch.steps = keys.number(&["tokens.train_steps"]);
    draft.length(keys.count(&["tokens.sequence_length"]));
    draft.number(keys.count(&["parallelism.tp"]), ParamId::Tp);
    draft.number(keys.count(&["parallelism.pp"]), ParamId::Pp);
    draft.number(keys.count(&["parallelism.context_parallel_size"]), ParamId::Cp);
    draft.number(keys.count(&["parallelism.expert_parallel_size"]), ParamId::Ep);
    draft.number(keys.count(&["parallelism.expert_tensor_parallel_size"]), ParamId::Etp);
    draft.world.replicas = keys.count(&["parallelism.dp"]);
    if let Some(found) = keys.word(&["parallelism.tp_mode"]) {
        draft.choose(&found, ParamId::SequenceParallel, if found.value == "reduce_scatter" { "yes" } else { "no" });
    }
    if let Some(found) = keys.flag(&["parallelism.tp_linear_async_communication"]) {
        draft.note(&found, "Linear layers communicate beside their products");
    }
    if let Some(found) = keys.word(&["parallelism.pp_engine"]) {
        let words = [("1f1b", "1f1b"), ("afab", "gpipe")];
        if draft.scenario.pp > 1 {
            draft.one_of(Some(found), ParamId::PipelineSchedule, &words);
        }
    }
    if let Some(found) = keys.flag(&["parallelism.recompute_layer"]) {
        draft.choose(&found, ParamId::Recompute, if found.value { "full" } else { "none" });
    }
    draft.has_strategy = true;
    draft.pick(ParamId::Strategy, "ddp");
    if let Some(found) = keys.number(&["optimizer.zero_stage"]) {
        draft.choose(&found, ParamId::Strategy, if found.value >= 1.0 { "zero1" } else { "ddp" });
    }
    let fp32 = keys.flag(&["optimizer.accumulate_grad_in_fp32"]);
    if let Some(found) = keys.word(&["model.dtype"]) {
        let option = match (found.value.as_str(), fp32.as_ref().is_none_or(|found| found.value)) {
            ("float32", _) => "fp32",
            (_, true) => "megatron-mixed",
            (_, false) => "pure-bf16",
        };
        draft.choose(&found, ParamId::Recipe, option);
    }
    if let Some(found) = keys.word(&["optimizer.optimizer_factory.name"]) {
        shared::optimizer(Some(found), draft);
    }
    for section in ["optimizer", "model", "parallelism", "tokens", "s3_upload", "doremi", "data"] {
        keys.skip_below(section);
    }
}

fn model(keys: &mut Keys, draft: &mut Draft) {
    let Some(layers) = keys.count(&["model.model_config.num_hidden_layers"]) else { return };
    if draft.has_model {
        draft.note(&layers, "The model, which another file describes");
        return;
    }
    let mut number = |name: &str, usual: u32| {
        let path = format!("model.model_config.{name}");
        keys.count(&[&path]).map_or(usual, |found| found.value)
    };
    let mut arch = CUSTOM_SHAPE;
    arch.num_hidden_layers = layers.value.min(2048);
    arch.hidden_size = number("hidden_size", 4096).clamp(1, 262_144);
    arch.num_attention_heads = number("num_attention_heads", 32).clamp(1, 4096);
    arch.num_key_value_heads = number("num_key_value_heads", arch.num_attention_heads).clamp(1, 4096);
    arch.head_dim = (arch.hidden_size / arch.num_attention_heads).max(1);
    arch.intermediate_size = number("intermediate_size", 11_008).clamp(1, 2_097_152);
    arch.vocab_size = number("vocab_size", 32_000).clamp(1, 16_777_216);
    let experts = number("moe_num_experts", number_of_experts(1));
    draft.scenario.model = Model::Custom { architecture: arch };
    draft.has_model = true;
    draft.note(&layers, format!("A model of {} layers and H = {}", arch.num_hidden_layers, arch.hidden_size));
    draft.yes(keys.flag(&["model.model_config.tie_word_embeddings"]), ParamId::TiedEmbeddings);
    let config = "model.model_config.moe_config.";
    let count = keys.count(&[&format!("{config}num_experts")]);
    if experts > 1 || count.is_some() {
        draft.put(ParamId::Experts, f64::from(experts));
        draft.put(ParamId::ExpertWidth, f64::from(arch.intermediate_size));
        draft.number(count, ParamId::Experts);
        draft.number(keys.count(&[&format!("{config}top_k"), "model.model_config.num_experts_per_tok"]), ParamId::TopK);
        draft.number(keys.count(&[&format!("{config}moe_intermediate_size")]), ParamId::ExpertWidth);
        draft.number(keys.count(&[&format!("{config}shared_expert_intermediate_size")]), ParamId::SharedExpertWidth);
    }
}

const fn number_of_experts(none: u32) -> u32 {
    none
}
