//! torchtitan: TOML (train_configs, until December 2025), flags, and the later Python
//! configurations (torchtitan/config, Trainer.Config).

use catalog::low_precision::Library;
use engine::model::software::{Loss, NormKernel};
use engine::model::training::ComputeFormat;
use engine::params::ParamId;

use super::low_precision;
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::models;

/// Reads the model.
pub(super) fn model(keys: &mut Keys, draft: &mut Draft) {
    if describe(keys, draft) {
        return;
    }
    let name = keys.text(&["model.name", "*module"]);
    let flavor = keys.text(&["model.flavor", "*flavor"]).or_else(|| flavor_of_config(keys, name.as_ref()));
    let assets = keys.text(&["model.hf_assets_path", "*hf_assets_path", "model.tokenizer_path"]);
    let known = |text: &str| models::find_model(text).is_some();
    if let Some(found) = assets.as_ref().filter(|found| known(&found.value)) {
        draft.model_named(found);
        return;
    }
    let Some(flavor) = flavor else {
        if let Some(name) = name {
            draft.model_named(&name);
        }
        return;
    };
    // `llama3` and `8B`: torchtitan's Llama 3 is 3.1.
    let family = name.as_ref().map_or("", |found| found.value.as_str());
    let joined = format!("{family}-{}", flavor.value.replace("17bx", ""));
    let flavors = [
        ("llama3-8b", "llama-3.1-8b"),
        ("llama3-70b", "llama-3.1-70b"),
        ("llama3-405b", "llama-3.1-405b"),
        ("llama4-16e", "llama-4-scout"),
        ("llama4-128e", "llama-4-maverick"),
        ("deepseek_v3-671b", "deepseek-v3"),
        ("deepseek_v3-16b", "deepseek-v2-lite"),
        ("gpt_oss-20b", "gpt-oss-20b"),
        ("gpt_oss-120b", "gpt-oss-120b"),
    ];
    let lower = joined.to_ascii_lowercase();
    let called = flavors.iter().find(|(flavor, _)| *flavor == lower).map_or(lower.as_str(), |(_, id)| id);
    let called = if known(&flavor.value) { flavor.value.clone() } else { called.to_owned() };
    draft.model_called(&flavor, &called);
    if let Some(name) = name {
        draft.record(&name, "The family of models");
    }
}

/// Returns the flavor of `--module llama3 --config llama3_70b`: a configuration is a function named
/// by the family, the flavor and what else it sets.
fn flavor_of_config(keys: &mut Keys, family: Option<&KeyedValue<String>>) -> Option<KeyedValue<String>> {
    let config = keys.text(&["*config"])?;
    let rest = config.value.strip_prefix(family?.value.as_str())?.strip_prefix('_')?;
    let mut parts = rest.split('_');
    let size = parts.next()?;
    let active = parts.next().filter(|part| part.starts_with('a') && part.ends_with('b'));
    let flavor = active.map_or_else(|| size.to_owned(), |active| format!("{size}-{active}"));
    Some(config.with(flavor))
}

/// Reads the shape, as [`crate::settings`] write it.
fn describe(keys: &mut Keys, draft: &mut Draft) -> bool {
    use engine::scenario::Model;
    use links::v1::CUSTOM_SHAPE;
    let Some(layers) = keys.count(&["spec.model.layers.n_layers", "*n_layers"]) else { return false };
    let flavor = keys.text(&["spec.flavor", "*flavor"]);
    if let Some(found) = flavor.filter(|found| catalog::model(&found.value).is_some()) {
        draft.model_named(&found);
        for name in ["*dim", "*vocab_size", "*n_heads", "*n_kv_heads", "*hidden_dim", "*n_layers", "*head_dim"] {
            keys.skip(&[name]);
        }
        keys.skip_below("spec");
        return true;
    }
    let mut arch = CUSTOM_SHAPE;
    let mut number = |name: &str, usual: u32| {
        keys.count(&[&format!("spec.model.layers.{name}"), &format!("spec.model.{name}"), &format!("*{name}")])
            .map_or(usual, |found| found.value)
    };
    arch.num_hidden_layers = layers.value.min(2048);
    arch.hidden_size = number("dim", 4096).min(262_144);
    arch.num_attention_heads = number("n_heads", 32).clamp(1, 4096);
    arch.num_key_value_heads = number("n_kv_heads", arch.num_attention_heads).clamp(1, 4096);
    arch.head_dim = number("head_dim", arch.hidden_size / arch.num_attention_heads).max(1);
    arch.intermediate_size = number("hidden_dim", 11_008).clamp(1, 2_097_152);
    arch.vocab_size = number("vocab_size", 32_000).clamp(1, 16_777_216);
    draft.scenario.model = Model::Custom { architecture: arch };
    draft.has_model = true;
    draft.record(&layers, format!("A model of {} layers and H = {}", arch.num_hidden_layers, arch.hidden_size));
    if let Some(found) = keys.flag(&["*enable_weight_tying"]) {
        draft.set_flag(Some(found), ParamId::TiedEmbeddings);
    }
    keys.skip_below("spec");
    true
}

/// Reads what is recomputed.
pub(super) fn checkpointing(keys: &mut Keys, draft: &mut Draft) {
    let budget = keys.number(&["activation_checkpoint.memory_budget"]);
    let option = keys.word(&["activation_checkpoint.selective_ac_option"]);
    let mode = keys.word(&["activation_checkpoint.mode", "activation_checkpoint"]);
    let Some(found) = mode else {
        if keys.has("activation_checkpoint") {
            draft.set_option(ParamId::Recompute, "none");
            return;
        }
        draft.assume("Selective checkpointing, torchtitan's default.");
        return;
    };
    let mode = found.value.trim_end_matches(".config");
    let mode = mode.strip_suffix("ac").unwrap_or(mode);
    match mode {
        "selective" => {
            let every = option.and_then(|option| option.value.parse::<u32>().ok());
            match every {
                // Every layer, or every n-th layer, is recomputed as a whole.
                Some(1) => draft.set_option_from(&found, ParamId::Recompute, "full"),
                Some(every) => {
                    draft.set_option_from(&found, ParamId::Recompute, "fraction");
                    draft.set_number(ParamId::KeepFraction, 100.0 * (1.0 - 1.0 / f64::from(every.max(1))));
                }
                None => draft.set_option_from(&found, ParamId::Recompute, "selective"),
            }
        }
        "full" => draft.set_option_from(&found, ParamId::Recompute, "full"),
        "none" => draft.set_option_from(&found, ParamId::Recompute, "none"),
        "memory_budget" | "memorybudget" => {
            draft.set_option_from(&found, ParamId::Recompute, "fraction");
            draft.number(
                budget.map(|found| {
                    let share = found.value * 100.0;
                    found.with(share)
                }),
                ParamId::KeepFraction,
            );
        }
        _ => draft.unknown(&found, ParamId::Recompute),
    }
    keys.skip(&[
        "activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns",
        "activation_checkpoint.early_stop",
    ]);
}

/// Reads products in 8 and 4 bits.
pub(super) fn low_precision(keys: &mut Keys, draft: &mut Draft) {
    // Names of the TOML, or the classes of the Python.
    let converters = keys.list(&["model.converters", "*converters"]);
    let old = keys.flag(&["float8.enable_float8_linear"]).filter(|found| found.value);
    let named = |names: &KeyedValue<Vec<String>>, words: &[&str]| {
        names.value.iter().any(|name| words.iter().any(|word| name.to_ascii_lowercase().contains(word)))
    };
    let gather = keys
        .flag(&[
            "quantize.linear.float8.enable_fsdp_float8_all_gather",
            "float8.enable_fsdp_float8_all_gather",
            "*converters.enable_fsdp_float8_all_gather",
        ])
        .is_some_and(|found| found.value);
    let option = if gather { "fp8-gather" } else { "fp8" };
    if let Some(found) = converters.as_ref().filter(|found| named(found, &["float8", "mx"])) {
        draft.set_option_from(found, ParamId::ComputeFormat, option);
    } else if let Some(found) = converters.as_ref().filter(|found| named(found, &["nvfp4"])) {
        draft.set_option_from(found, ParamId::ComputeFormat, "fp4");
    } else if let Some(found) = old {
        draft.set_option_from(&found, ParamId::ComputeFormat, option);
    } else if let Some(found) = keys.text(&["spec.model"]) {
        let name = found.value.to_ascii_lowercase();
        if name.contains("float8") {
            draft.set_option_from(&found, ParamId::ComputeFormat, option);
        } else if name.contains("nvfp4") {
            draft.set_option_from(&found, ParamId::ComputeFormat, "fp4");
        }
    }
    let recipe = keys.word(&[
        "quantize.linear.float8.recipe_name",
        "quantize.linear.mx.recipe_name",
        "quantize.grouped_mm.mx.recipe_name",
        "float8.recipe_name",
        "mx.recipe_name",
        "*converters.recipe_name",
    ]);
    if draft.scenario.compute_format != ComputeFormat::AsPolicy
        && let Some(found) = recipe
    {
        low_precision::recipe(&found, Library::Torchao, gather, draft);
    }
    keys.skip_below("quantize");
    keys.skip_below("float8");
    keys.skip_below("mx");
    keys.skip_below("optimizer");
}

/// Reads what is compiled.
pub(super) fn compilation(keys: &mut Keys, draft: &mut Draft) {
    let parts = keys.list(&["compile.components"]);
    if draft.scenario.kernels.compile {
        let compiles = |part: &str| parts.as_ref().is_none_or(|found| found.value.iter().any(|other| other == part));
        if compiles("model") {
            draft.scenario.kernels.norms = NormKernel::Fused;
        } else {
            draft.set_option(ParamId::Compile, "no");
        }
        if !compiles("loss") && draft.scenario.kernels.loss == Loss::Fused {
            draft.scenario.kernels.loss = Loss::Standard;
        }
    }
    keys.skip_below("compile");
}
