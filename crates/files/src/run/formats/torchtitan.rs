//! torchtitan: TOML (train_configs, until December 2025), flags, and the later Python
//! configurations (torchtitan/config, Trainer.Config).

use catalog::low_precision::Library;
use catalog::programs::Program;
use engine::model::software::{Kernels, Loss, NormKernel};
use engine::model::training::ComputeFormat;
use engine::params::ParamId;

use super::{low_precision, shared};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::models;

/// A configuration of torchtitan's own, which `--config` names.
struct Config {
    name: &'static str,
    model: &'static str,
    /// Tokens of a sequence.
    length: u32,
    micro_batch: u32,
    recompute: &'static str,
    tp: u32,
    ep: u32,
}

impl Config {
    const fn new(name: &'static str, model: &'static str, batch: [u32; 2], recompute: &'static str) -> Self {
        let [length, micro_batch] = batch;
        Self { name, model, length, micro_batch, recompute, tp: 1, ep: 1 }
    }
}

/// pytorch/torchtitan torchtitan/models/*/config_registry.py @ b5bcd76c6 (21 August 2026). Those
/// that set another format, compilation or backend of experts are not listed.
const CONFIGS: [Config; 11] = [
    Config::new("llama3_8b", "llama-3.1-8b", [8192, 1], "selective"),
    Config { tp: 8, ..Config::new("llama3_70b", "llama-3.1-70b", [8192, 8], "full") },
    Config::new("qwen3_0_6b", "qwen-3-0.6b", [4096, 4], "selective"),
    Config::new("qwen3_1_7b", "qwen-3-1.7b", [4096, 4], "selective"),
    Config::new("qwen3_14b", "qwen-3-14b", [4096, 4], "full"),
    Config::new("qwen3_32b", "qwen-3-32b", [4096, 2], "full"),
    Config::new("qwen3_30b_a3b", "qwen-3-30b-a3b", [4096, 2], "full"),
    Config { ep: 8, ..Config::new("deepseek_v3_16b", "deepseek-v2-lite", [4096, 4], "selective") },
    Config { ep: 2, ..Config::new("deepseek_v3_671b", "deepseek-v3", [4096, 4], "selective") },
    Config::new("gpt_oss_20b", "gpt-oss-20b", [8192, 1], "full"),
    Config::new("gpt_oss_120b", "gpt-oss-120b", [8192, 1], "full"),
];

/// Returns torchtitan's own configuration that a command names. One that is not known here may set
/// anything.
fn own_config(keys: &mut Keys, draft: &mut Draft) -> Option<&'static Config> {
    let found = keys.text(&["*config"]).filter(|_| keys.has("module"))?;
    let config = CONFIGS.iter().find(|config| config.name == found.value);
    match config {
        Some(Config { length, micro_batch, recompute, tp, ep, .. }) => draft.assume(format!(
            "What {} itself has: {length} tokens, {micro_batch} sequences at once, {recompute} checkpointing, tensor \
             parallel {tp}, expert parallel {ep} (August 2026).",
            found.value
        )),
        None => draft.not_read(&found, "what it sets itself is not known"),
    }
    config
}

/// Reads a file or flags.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    draft.scenario.kernels = Kernels::USUAL;
    shared::pytorch_attention(draft);
    draft.program(Program::Torchtitan, keys);
    draft.set_option(ParamId::Strategy, "full-shard");
    draft.has_strategy = true;
    model(keys, draft);
    let config = own_config(keys, draft);
    batch(keys, draft, config);
    draft.set_number(ParamId::Tp, config.map_or(1.0, |config| f64::from(config.tp)));
    draft.set_number(ParamId::Ep, config.map_or(1.0, |config| f64::from(config.ep)));
    degrees(keys, draft);
    checkpointing(keys, draft, config);
    formats(keys, draft);
    kernels(keys, draft);
}

fn model(keys: &mut Keys, draft: &mut Draft) {
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
    if let Some(own) = CONFIGS.iter().find(|own| own.name == config.value) {
        return Some(config.with(own.model.to_owned()));
    }
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

fn batch(keys: &mut Keys, draft: &mut Draft, config: Option<&Config>) {
    let length = keys.count(&["training.seq_len", "*seq_len", "training.max_context_length"]);
    let tokens = keys.count(&["training.num_tokens_per_microbatch_per_dp_rank"]);
    let per_rank = tokens.zip(length.as_ref()).map(|(tokens, length)| {
        let sequences = (tokens.value / length.value.max(1)).max(1);
        tokens.with(sequences)
    });
    if length.is_none() {
        draft.set_number(ParamId::SequenceLength, config.map_or(2048.0, |config| f64::from(config.length)));
        draft.has_length = true;
    }
    if length.is_none() && config.is_none() {
        draft.assume("Sequences of 2,048 tokens, torchtitan's default.");
    }
    draft.length(length);
    draft.batch.local =
        keys.count(&["training.local_batch_size", "training.batch_size", "*local_batch_size"]).or(per_rank);
    draft.batch.global = keys.count(&["training.global_batch_size"]);
    draft.batch.default_micro_batch = config.map_or(8, |config| config.micro_batch);
    draft.batch.steps = keys.number(&["training.steps"]);
    let micro = keys.count(&[
        "parallelism.pipeline_parallel_microbatch_size",
        "experimental.pipeline_parallel_microbatch_size",
        "*pipeline_parallel_microbatch_size",
    ]);
    let stages = keys.count(&["parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"]);
    // A pipeline splits the local batch into micro-batches of one by default.
    if stages.is_some_and(|found| found.value > 1) {
        draft.batch.micro = micro;
        draft.batch.default_micro_batch = 1;
    }
}

fn degrees(keys: &mut Keys, draft: &mut Draft) {
    let names = |name: &str| ["parallelism", "training", "experimental"].map(|section| format!("{section}.{name}"));
    macro_rules! get {
        ($kind:ident, $name:expr) => {{
            let names = names($name);
            keys.$kind(&names.each_ref().map(String::as_str))
        }};
    }
    draft.number(get!(count, "tensor_parallel_degree"), ParamId::Tp);
    draft.number(get!(count, "context_parallel_degree"), ParamId::Cp);
    draft.number(get!(count, "pipeline_parallel_degree"), ParamId::Pp);
    draft.number(get!(count, "expert_parallel_degree"), ParamId::Ep);
    draft.number(get!(count, "expert_tensor_parallel_degree"), ParamId::Etp);
    draft.world.replicate = get!(count, "data_parallel_replicate_degree");
    let shard = get!(number, "data_parallel_shard_degree").or_else(|| keys.number(&["training.data_parallel_degree"]));
    match shard {
        Some(found) if found.value >= 1.0 => {
            draft.world.shard = Some(found.with(found.value as u32));
        }
        Some(found) => draft.record(&found, "Sharded over all GPUs that the other degrees leave"),
        None => {}
    }
    if let Some(found) = get!(word, "fsdp_reshard_after_forward") {
        if found.value == "always" {
            // torchtitan refuses the two together: the file turns CUDA graphs off, or it is older.
            draft.set_option(ParamId::CudaGraphs, "none");
        }
        let words = [("default", "full-shard"), ("always", "full-shard"), ("never", "shard-grad-op")];
        draft.one_of(Some(found), ParamId::Strategy, &words);
    }
    draft.set_flag(get!(flag, "enable_async_tensor_parallel"), ParamId::AsyncTp);
    draft.set_flag(keys.flag(&["compile.enable_async_tensor_parallel"]), ParamId::AsyncTp);
    let off = get!(flag, "disable_sequence_parallel").map(|found| {
        let on = !found.value;
        found.with(on)
    });
    draft.set_flag(get!(flag, "enable_sequence_parallel").or(off), ParamId::SequenceParallel);
    if let Some(found) = get!(word, "pipeline_parallel_schedule") {
        let words = [
            ("gpipe", "gpipe"),
            ("1f1b", "1f1b"),
            ("interleaved1f1b", "interleaved"),
            ("interleavedzerobubble", "zero-bubble"),
            ("zbvzerobubble", "zero-bubble-v"),
            ("dualpipev", "dualpipe-v"),
        ];
        if draft.scenario.pp > 1 {
            draft.one_of(Some(found), ParamId::PipelineSchedule, &words);
        } else {
            draft.record(&found, "The schedule of a pipeline, of which there is none");
        }
    }
    if let Some(found) = get!(word, "context_parallel_rotate_method") {
        // torchtitan's `alltoall` is PyTorch's ring of keys and values.
        draft.set_option_from(
            &found,
            ParamId::ContextExchange,
            if found.value == "allgather" { "allgather" } else { "ring" },
        );
    }
    let stage = get!(count, "pipeline_parallel_layers_per_stage").filter(|_| draft.scenario.pp > 1);
    if let Some(found) = stage {
        let layers = draft.scenario.model.architecture().num_hidden_layers;
        let chunks = (layers / draft.scenario.pp.max(1) / found.value).max(1);
        if chunks > 1 {
            draft.number(Some(found.with(chunks)), ParamId::VirtualStages);
        }
    }
    keys.skip(&["parallelism.module_fqns_per_model_part"]);
}

fn checkpointing(keys: &mut Keys, draft: &mut Draft, config: Option<&Config>) {
    let budget = keys.number(&["activation_checkpoint.memory_budget"]);
    let option = keys.word(&["activation_checkpoint.selective_ac_option"]);
    let mode = keys.word(&["activation_checkpoint.mode", "activation_checkpoint"]);
    let Some(found) = mode else {
        if keys.has("activation_checkpoint") {
            draft.set_option(ParamId::Recompute, "none");
            return;
        }
        match config {
            Some(config) => {
                draft.set_option(ParamId::Recompute, config.recompute);
            }
            None => draft.assume("Selective checkpointing, torchtitan's default."),
        }
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

fn formats(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) =
        keys.word(&["training.dtype"]).filter(|found| found.value.contains("bf16") || found.value.contains("bfloat16"))
    {
        draft.set_option_from(&found, ParamId::Recipe, "bf16-reduce32");
    }
    if let Some(found) = keys.word(&["training.mixed_precision_param"]) {
        let option = if found.value.ends_with("float32") { "fp32" } else { "fsdp2-bf16" };
        if option == "fp32" || !draft.scenario.recipe.is_pure_bf16() {
            draft.set_option_from(&found, ParamId::Recipe, option);
        }
    }
    if let Some(found) =
        keys.word(&["training.mixed_precision_reduce"]).filter(|found| found.value.contains("bfloat16"))
    {
        draft.set_option_from(&found, ParamId::Recipe, "fsdp2-bf16-reduce16");
    }
    if let Some(found) = keys.flag(&["training.enable_cpu_offload"]) {
        draft.set_flag(Some(found.clone()), ParamId::OffloadParameters);
        draft.set_option(ParamId::OffloadOptimizer, if found.value { "yes" } else { "no" });
    }
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
    if let Some(found) = keys.text(&["optimizer.name"]) {
        shared::optimizer(Some(found), draft);
    }
    if let Some(found) = keys.word(&["optimizer.implementation"]) {
        let words =
            [("fused", "fused"), ("foreach", "foreach"), ("fused_opt_states_bf16", "fused"), ("for-loop", "foreach")];
        draft.one_of(Some(found), ParamId::OptimizerKernel, &words);
    }
    draft.set_flag(keys.flag(&["optimizer.early_step_in_backward"]), ParamId::UpdatePlace);
    keys.skip_below("optimizer");
}

fn kernels(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.flag(&["compile.enable", "training.compile"]) {
        draft.set_flag(Some(found), ParamId::Compile);
    }
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
    if let Some(found) = keys.text(&["loss", "*loss"]).filter(|found| found.value.starts_with("Chunked")) {
        draft.set_option_from(&found, ParamId::Loss, "chunked");
    }
    if let Some(found) = keys.flag(&["training.disable_cuda_graphs"]) {
        draft.set_option_from(&found, ParamId::CudaGraphs, if found.value { "none" } else { "step" });
    }
    if let Some(rank) = keys.count(&["lora.rank", "*lora_rank", "*converters.rank"]) {
        draft.set_option(ParamId::Method, "lora");
        draft.number(Some(rank), ParamId::LoraRank);
    }
    keys.skip_below("compile");
}
