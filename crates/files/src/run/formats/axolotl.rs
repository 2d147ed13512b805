//! Axolotl's keys that depend on each other (src/axolotl/utils/schemas/config.py).

use engine::params::ParamId;

use super::{shared, trainer};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::spelling::shortened;

/// Reads whether several texts share a sequence; one text a sequence by default.
pub(super) fn packing(keys: &mut Keys, draft: &mut Draft) {
    match keys.flag(&["sample_packing"]) {
        Some(found) => trainer::packed(&found, draft),
        None => trainer::unpacked(draft),
    }
}

/// Reads what of a layer that is recomputed is saved.
pub(super) fn selective_checkpointing(keys: &mut Keys, draft: &mut Draft) {
    // `true`, or a table with what is saved: attention alone unless it says more.
    let saved = keys.flag(&["selective_checkpointing"]).filter(|found| found.value).map(|found| found.with(()));
    let saved = saved.or_else(|| keys.list(&["selective_checkpointing.save"]).map(|found| found.with(())));
    if let Some(found) = saved {
        shared::saves_attention(&found, draft);
    }
    for key in ["selective_checkpointing.save_modules", "selective_checkpointing.save_matmul_min_k"] {
        if let Some(found) = keys.text(&[key]) {
            draft.record(&found, "Outputs of products that are kept");
            draft.contradict(format!(
                "{} is {}: these products keep their outputs, and here they are computed as recomputed, in less \
                 memory. Leave it out to go on with that.",
                found.key,
                shortened(&found.shown)
            ));
        }
    }
    keys.skip_below("selective_checkpointing");
}

/// Reads patterns of the names of trained parameters: layers from some layer on.
pub(super) fn unfrozen(keys: &mut Keys, draft: &mut Draft) {
    let Some(found) = keys.list(&["unfrozen_parameters"]) else { return };
    let layer = |name: &String| {
        let (_, rest) = name.split_once("layers\\.").or_else(|| name.split_once("layers."))?;
        rest.split(|sign: char| !sign.is_ascii_digit()).next()?.parse::<u32>().ok()
    };
    draft.set_option_from(&found, ParamId::Method, "layers");
    let is_pattern = |name: &String| name.contains("layers") && layer(name).is_none();
    if found.value.iter().any(is_pattern) {
        draft.not_read(&found, "a pattern of layers is not counted. Say how many layers are frozen (frozen=20)");
    }
    if let Some(first) = found.value.iter().filter_map(layer).min() {
        draft.set_number(ParamId::FrozenLayers, f64::from(first));
    }
    let ends = found.value.iter().any(|name| name.contains("embed") || name.contains("lm_head"));
    draft.set_option(ParamId::TrainEmbeddings, if ends { "yes" } else { "no" });
}

/// Reads the precision. Axolotl loads the model in the 16-bit format (`cfg.torch_dtype`,
/// utils/config); without FSDP or DeepSpeed, weights train in that format.
pub(super) fn precision(keys: &mut Keys, draft: &mut Draft) {
    let bf16 = keys.word(&["bf16"]);
    let pure = keys.flag(&["bfloat16", "float16"]).filter(|found| found.value);
    let fp16 = keys.word(&["fp16"]);
    let is_on = |found: &&KeyedValue<String>| matches!(found.value.as_str(), "true" | "auto" | "full" | "yes");
    let half = [&bf16, &fp16].into_iter().flatten().find(is_on).cloned();
    let adapters = draft.scenario.trained.has_adapters();
    let sharded = keys.has("fsdp_config") || keys.has("fsdp") || keys.has("dp_shard_size");
    match (pure, half) {
        (Some(found), _) => {
            draft.set_option_from(&found, ParamId::Recipe, if adapters { "autocast" } else { "pure-bf16" });
        }
        (_, Some(found)) => {
            let option = if adapters || sharded { "autocast" } else { "pure-bf16" };
            draft.set_option_from(&found, ParamId::Recipe, option);
        }
        (None, None) if bf16.is_none() => {
            draft.set_option(ParamId::Recipe, if adapters { "autocast" } else { "pure-bf16" });
            draft.assume("The file names no 16-bit format: bf16, Axolotl's default.");
        }
        (None, None) => {
            draft.set_option(ParamId::Recipe, "fp32");
        }
    }
}

/// Reads the length of completions, which follow prompts as long as a sequence.
pub(super) fn completions(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.count(&["trl.max_completion_length"])
        && draft.scenario.objective.task.generates()
    {
        // GRPOStrategy passes it on (src/axolotl/core/trainers/grpo/__init__.py).
        let prompts = draft.scenario.seq_len;
        draft.set_number(ParamId::PromptTokens, f64::from(prompts));
        draft.assume(format!("Prompts have as many tokens as sequence_len says, {prompts}, beside their answers."));
        let whole = prompts.saturating_add(found.value);
        draft.length(Some(found.with(whole)));
    }
}

/// Reads FSDP.
pub(super) fn sharding(keys: &mut Keys, draft: &mut Draft) {
    let list = keys.list(&["fsdp"]);
    if let Some(found) = &list {
        let has = |word: &str| found.value.iter().any(|item| item.contains(word));
        draft.set_option_from(
            found,
            ParamId::Strategy,
            if has("shard_grad_op") { "shard-grad-op" } else { "full-shard" },
        );
        if has("offload") {
            draft.set_option(ParamId::OffloadParameters, "yes");
        }
    }
    if keys.has("fsdp_config") || list.is_some() {
        draft.set_option(ParamId::Strategy, "full-shard");
        draft.has_strategy = true;
        trainer::fsdp(keys, draft, "fsdp_config", "");
    } else {
        keys.skip(&["fsdp_version"]);
    }
}
