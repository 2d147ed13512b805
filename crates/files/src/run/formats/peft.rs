//! Adapters and quantized base models, by the keys of trainers for the arguments of PEFT and
//! bitsandbytes.

use engine::model::software::Framework;
use engine::model::trained::{Method, Targets};
use engine::params::ParamId;
use engine::scenario::Model;

use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};

/// The keys of one trainer.
pub(super) struct Names<'a> {
    pub(super) rank: &'a [&'a str],
    pub(super) dropout: &'a [&'a str],
    pub(super) targets: &'a [&'a str],
    pub(super) saved: &'a [&'a str],
    pub(super) rslora: &'a [&'a str],
    pub(super) dora: &'a [&'a str],
    /// The default rank.
    pub(super) usual_rank: u32,
    /// The default targets.
    pub(super) usual_targets: &'static str,
}

/// Reads the adapters of a run whose method is LoRA.
pub(super) fn lora(keys: &mut Keys, draft: &mut Draft, names: &Names) {
    draft.set_option(ParamId::Method, "lora");
    draft.set_number(ParamId::LoraRank, f64::from(names.usual_rank));
    if draft.number(keys.count(names.rank), ParamId::LoraRank).is_none() {
        draft.assume(format!("The adapters' rank is not said: {}.", names.usual_rank));
    }
    draft.set_option(ParamId::LoraTargets, names.usual_targets);
    match keys.list(names.targets) {
        Some(found) => targets(&found, draft),
        None => draft.assume("The matrices with adapters are not said: the framework's default."),
    }
    if let Some(found) = keys.number(names.dropout) {
        draft.set_option_from(&found, ParamId::LoraDropout, if found.value > 0.0 { "yes" } else { "no" });
    }
    if let Some(found) = keys.list(names.saved) {
        let trains = found.value.iter().any(|name| name.contains("embed") || name.contains("lm_head") || name == "wte");
        draft.set_option_from(&found, ParamId::TrainEmbeddings, if trains { "yes" } else { "no" });
    }
    for (found, method, option) in
        [(keys.flag(names.rslora), Method::RsLora, "rslora"), (keys.flag(names.dora), Method::Dora, "dora")]
    {
        if let Some(found) = found {
            if found.value {
                draft.scenario.trained.method = method;
                draft.set_option_from(&found, ParamId::Method, option);
            } else {
                draft.record(&found, "Plain LoRA");
            }
        }
    }
}

/// Reads adapters of experts that are parameters.
pub(super) fn parameters(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.list(&["lora_target_parameters", "target_parameters"]) {
        draft.targets_parameters = true;
        draft.record(&found, "Adapters of the experts");
    }
}

/// Sets the matrices with adapters, by the names of modules.
pub(super) fn targets(found: &KeyedValue<Vec<String>>, draft: &mut Draft) {
    let has = |words: &[&str]| {
        found.value.iter().any(|name| {
            let last = name.rsplit(['.', '*']).next().unwrap_or_default().trim_matches(['"', '\'', '\\', '$', '^']);
            words.contains(&last)
        })
    };
    let all = found.value.iter().any(|name| {
        matches!(name.as_str(), "all-linear" | "all" | "all_linear")
            || name.contains("down_proj") && name.contains("q_proj")
    });
    let query_value = has(&[
        "q_proj",
        "v_proj",
        "query_key_value",
        "q",
        "v",
        "qkv_proj",
        "Wqkv",
        "c_attn",
        "q_a_proj",
        "wq",
        "linear_qkv",
        "attention.qkv",
        "attention_qkv",
        "attention",
    ]);
    let key = has(&["k_proj", "k", "wk", "attention"]);
    let output = has(&[
        "o_proj",
        "out_proj",
        "output_proj",
        "dense",
        "wo",
        "linear_proj",
        "attention.dense",
        "attention_dense",
        "attention",
    ]);
    let mlp = has(&[
        "gate_proj",
        "up_proj",
        "down_proj",
        "gate_up_proj",
        "w1",
        "w2",
        "w3",
        "fc1",
        "fc2",
        "dense_h_to_4h",
        "dense_4h_to_h",
        "linear_fc1",
        "linear_fc2",
        "mlp_fc1",
        "mlp_fc2",
        "mlp",
    ]);
    let option = if all {
        "all"
    } else {
        match (query_value, key, output, mlp) {
            (true, _, _, true) => "all",
            (false, _, _, true) => "mlp",
            (true, _, true, false) => "attention",
            (true, true, false, false) => "qkv",
            (true, false, false, false) => "qv",
            _ => {
                draft.unknown(found, ParamId::LoraTargets);
                return;
            }
        }
    };
    draft.set_option_from(found, ParamId::LoraTargets, option);
    // A fused projection has one name for all its parts.
    let fused = query_value && !found.value.iter().any(|name| name.contains("v_proj") || name == "wv");
    let exact = all
        || fused
        || matches!(
            (query_value, key, output, mlp),
            (true, true, true, _) | (false, false, false, true) | (true, _, false, false)
        );
    if !exact {
        draft.assume(format!("{} lists some matrices of a group: adapters stand beside all of it.", found.key));
    }
}

/// Models of transformers whose experts are parameters and no modules, in every version
/// (`GptOssExperts`, `Llama4TextExperts`, `DbrxExpertGLU`).
const EXPERTS_ARE_PARAMETERS: [&str; 3] = ["gpt-oss", "llama-4", "dbrx"];

impl Draft {
    /// Leaves experts without adapters where PEFT finds no modules of theirs: `target_modules`
    /// selects linear modules (Unsloth's notebook of gpt-oss 20B prints 3,981,312 trained
    /// parameters at rank 8, attention's alone).
    pub(in crate::run) fn experts_without_modules(&mut self) {
        let trained = &self.scenario.trained;
        let Model::Preset { id, .. } = self.scenario.model else { return };
        let is_peft = matches!(self.scenario.framework, Framework::Transformers | Framework::DeepSpeed);
        let finds_none = trained.has_adapters()
            && trained.targets == Targets::AllLinear
            && is_peft
            && !self.targets_parameters
            && EXPERTS_ARE_PARAMETERS.iter().any(|name| id.starts_with(name));
        if finds_none {
            self.set_option(ParamId::LoraTargets, "attention");
            self.assume(
                "Adapters beside attention: this model's routed experts are parameters, which target_modules does \
                 not find. target_parameters would.",
            );
        }
    }
}

/// Reads the format in which a frozen base model is loaded.
pub(super) fn base(keys: &mut Keys, draft: &mut Draft, nested: &[&str]) {
    if let Some(found) = keys.flag(&["load_in_8bit"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::BaseFormat, "int8");
    }
    let four = keys.flag(&["load_in_4bit"]).filter(|found| found.value);
    let doubled = keys.flag(nested);
    if let Some(found) = four {
        let option = if doubled.as_ref().is_some_and(|found| found.value) { "nf4dq" } else { "nf4" };
        draft.set_option_from(&found, ParamId::BaseFormat, option);
        if let Some(doubled) = doubled {
            draft.record(&doubled, if doubled.value { "Scales are quantized too" } else { "Scales are not quantized" });
        }
    }
    keys.skip(&["bnb_4bit_quant_type", "bnb_4bit_compute_dtype", "bnb_4bit_quant_storage"]);
}
