//! `TrainingArguments` of transformers (src/transformers/training_args.py), and keys that other
//! trainers share.

use engine::model::software::Framework;
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::params::ParamId;

use super::{peft, shared};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::sharding::run_on_deepspeed;
use crate::run::tree::COMMAND;
use catalog::programs::Program;

/// The day from which the Trainer's `fsdp_config` means FSDP2 where it names no version (5.10).
const SECOND_FSDP: &str = "2026-06-03";
/// The day from which Axolotl has FSDP2 alone (0.20).
const AXOLOTLS_SECOND_FSDP: &str = "2026-09-30";

/// Keys of the length at which texts are cut off.
const CUT_OFFS: [&str; 13] = [
    "max_length",
    "max_seq_length",
    "max_seq_len",
    "model_max_length",
    "seq_length",
    "max_source_length",
    "max_training_seq_length",
    "max_train_seq_length",
    "max_sequence_length",
    "sequence_length",
    "cutoff_len",
    "seq_len",
    "max_len",
];

/// Reads the length: `run_clm.py` fills its blocks, other lengths are where a text is cut off.
pub(super) fn length(keys: &mut Keys, draft: &mut Draft) {
    let block = keys.count(&["block_size"]);
    let cut_off = keys.count(&CUT_OFFS);
    if block.is_none() && cut_off.is_some() && !keys.has("packing") {
        unpacked(draft);
    }
    // examples/pytorch/language-modeling/run_clm.py of transformers @ 00d481d18f.
    if block.is_none() && cut_off.is_none() && keys.peek(COMMAND).as_deref() == Some("run_clm") {
        draft.set_number(ParamId::SequenceLength, 1024.0);
        draft.has_length = true;
        draft.assume(
            "The files say no block size: 1,024 tokens, as run_clm.py takes for a tokenizer without a length of its own.",
        );
    }
    draft.length(block.or(cut_off));
}

/// Keys that switch recomputation on.
pub(super) const CHECKPOINTING: [&str; 2] = ["activation_checkpointing", "gradient_checkpointing"];

/// Reads which layers are recomputed, and where the kept inputs of layers are.
pub(super) fn checkpointing(keys: &mut Keys, draft: &mut Draft) {
    for kwargs in CHECKPOINTING.map(|name| format!("{name}_kwargs")) {
        if draft.scenario.recompute == Recompute::Full {
            let every = keys.count(&[&format!("{kwargs}.every_n_layers")]).filter(|every| every.value > 1);
            if let Some(every) = every {
                draft.set_option_from(&every, ParamId::Recompute, "fraction");
                draft.set_number(ParamId::KeepFraction, 100.0 * (1.0 - 1.0 / f64::from(every.value)));
            }
            draft.set_flag(keys.flag(&[&format!("{kwargs}.offload")]), ParamId::OffloadActivations);
            // TRL's own, which saves attention's outputs beside the inputs of layers.
            let saved = keys.flag(&[&format!("{kwargs}.selective")]).filter(|found| found.value);
            if let Some(found) = saved {
                shared::saves_attention(&found, draft);
            }
        }
        keys.skip_below(&kwargs);
    }
}

/// Sets whether a backend of `torch.compile` fuses kernels: those for debugging do not.
pub(super) fn set_compiler(backend: &KeyedValue<String>, draft: &mut Draft) {
    let is_off = matches!(backend.value.as_str(), "no" | "eager" | "aot_eager");
    draft.set_option_from(backend, ParamId::Compile, if is_off { "no" } else { "yes" });
}

/// Sets the CUDA graphs that a mode of `torch.compile` captures (`list_mode_options` of
/// `torch/_inductor`).
pub(super) fn set_graphs(mode: &KeyedValue<String>, draft: &mut Draft) {
    let has_graphs = matches!(mode.value.as_str(), "reduce-overhead" | "max-autotune");
    draft.set_option_from(mode, ParamId::CudaGraphs, if has_graphs { "layers" } else { "none" });
}

/// Reads whether several texts share a sequence.
pub(super) fn packing(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.flag(&["packing"]) {
        packed(&found, draft);
    }
}

/// Sets whether several texts share a sequence.
pub(super) fn packed(found: &KeyedValue<bool>, draft: &mut Draft) {
    if found.value {
        draft.record(found, "Sequences are full");
    } else {
        draft.record(found, "One text a sequence");
        unpacked(draft);
    }
}

/// Takes texts as not packed.
pub(super) fn unpacked(draft: &mut Draft) {
    draft.is_unpacked = true;
    draft.assume(
        "Texts are not packed: every sequence is taken as long as the longest, which is the one that must fit.",
    );
}

/// Reads the rank of `GaLore`.
pub(super) fn galore(keys: &mut Keys, draft: &mut Draft) {
    keys.skip(&["optim_target_modules"]);
    let Some(found) = keys.text(&["optim_args"]) else { return };
    let rank = found.value.split([',', ' ']).find_map(|part| part.trim().strip_prefix("rank=")?.parse::<u32>().ok());
    if let Some(rank) = rank {
        draft.number(Some(found.with(rank)), ParamId::GaloreRank);
    }
}

/// Reads adapters and quantized weights.
pub(super) fn adapters(keys: &mut Keys, draft: &mut Draft) {
    let switch =
        keys.flag(&["use_peft", "use_lora", "use_peft_lora", "lora_enable", "enable_lora", "lora", "use_qlora"]);
    let is_on = switch
        .as_ref()
        .map_or_else(|| ["lora_r", "lora_target_modules", "r"].iter().any(|key| keys.has(key)), |found| found.value);
    if let Some(found) = &switch {
        draft.set_option_from(found, ParamId::Method, if found.value { "lora" } else { "all" });
    }
    if is_on {
        let names = peft::Names {
            rank: &["lora_r", "lora_rank", "r"],
            dropout: &["lora_dropout"],
            targets: &["lora_target_modules", "target_modules"],
            saved: &["lora_modules_to_save", "modules_to_save"],
            rslora: &["use_rslora"],
            dora: &["use_dora"],
            usual_rank: 16,
            // PEFT's default targets for models like Llama.
            usual_targets: "qv",
        };
        peft::lora(keys, draft, &names);
        peft::parameters(keys, draft);
    } else {
        for key in [
            "lora_r",
            "lora_alpha",
            "lora_dropout",
            "lora_target_modules",
            "lora_modules_to_save",
            "use_rslora",
            "use_dora",
        ] {
            keys.skip(&[key]);
        }
    }
    keys.skip(&["lora_alpha", "model.quantization_config"]);
    bits(keys, draft);
    peft::base(
        keys,
        draft,
        &["use_bnb_nested_quant", "bnb_4bit_use_double_quant", "use_nested_quant", "double_quantization"],
    );
}

/// Reads the bits of the base model, which PEFT's scripts state in separate flags.
fn bits(keys: &mut Keys, draft: &mut Draft) {
    for (names, option) in
        [(["use_4bit_quantization", "use_4bit"], "nf4"), (["use_8bit_quantization", "use_8bit"], "int8")]
    {
        if let Some(found) = keys.flag(&names).filter(|found| found.value) {
            draft.set_option_from(&found, ParamId::BaseFormat, option);
        }
    }
}

/// Reads the formats of weights and products. A model that is loaded in 16 bits trains in 16 bits;
/// FSDP and DeepSpeed have their own policies. `usual` is said of a program whose products are in
/// 16 bits by default.
pub(super) fn precision(keys: &mut Keys, draft: &mut Draft, usual: Option<&str>) {
    let loaded =
        keys.word(&["dtype", "torch_dtype", "model_dtype", "model_init_kwargs.dtype", "model_init_kwargs.torch_dtype"]);
    let usual = usual.filter(|_| !keys.has("bf16") && !keys.has("fp16"));
    if let Some(said) = usual {
        draft.assume(said);
    }
    let [bf16, fp16] = ["bf16", "fp16"].map(|key| keys.flag(&[key]));
    let half = [&bf16, &fp16].into_iter().flatten().find(|found| found.value).cloned();
    let is_half = loaded.as_ref().is_some_and(|found| {
        let word = found.value.trim_start_matches("torch.");
        matches!(word, "bfloat16" | "float16" | "bf16" | "fp16" | "half")
    });
    let adapters = draft.scenario.trained.has_adapters();
    // From transformers 5 on a model is loaded in the format of its checkpoint.
    let is_auto = loaded.as_ref().is_some_and(|found| found.value == "auto");
    if is_auto && !draft.scenario.trained.base.is_quantized() {
        draft.assume("The model is loaded in the format of its checkpoint: bf16, as of nearly all.");
    }
    let as_stored = is_auto || loaded.is_none() && draft.usual(ParamId::Recipe) == Some("pure-bf16");
    let is_mixed = half.is_some() || usual.is_some();
    let recipe = match (is_mixed, is_half || as_stored) {
        (_, true) if !adapters => "pure-bf16",
        (true, _) | (false, true) => "autocast",
        (false, false) => "fp32",
    };
    if let Some(found) = half.or_else(|| loaded.clone().map(|found| found.with(true))) {
        draft.set_option_from(&found, ParamId::Recipe, recipe);
    } else if usual.is_none() {
        draft.set_option(ParamId::Recipe, recipe);
        draft.assume(if as_stored {
            "The files name no 16-bit format: the model trains in that of its checkpoint, bf16."
        } else {
            "The files name no 16-bit format: everything is in fp32, the Trainer's default."
        });
    }
    if let Some(found) = loaded {
        let base = if is_half || is_auto { "bf16" } else { "fp32" };
        if adapters && !draft.scenario.trained.base.is_quantized() {
            draft.set_option_from(&found, ParamId::BaseFormat, base);
        } else {
            draft.record(&found, "The format in which the model is loaded");
        }
    }
    if let Some(found) = keys.flag(&["tf32"]) {
        draft.record(&found, "fp32 products in TF32, as always here");
    }
}

/// Reads sharding from the Trainer's arguments; DDP by default.
pub(super) fn sharding(keys: &mut Keys, draft: &mut Draft) {
    draft.set_option(ParamId::Strategy, "ddp");
    if let Some(found) = keys.text(&["deepspeed", "deepspeed_config", "deepspeed_plugin"]) {
        deepspeed_file(&found, draft);
    }
    let Some(found) = keys.word(&["fsdp"]).filter(|found| !matches!(found.value.as_str(), "" | "false" | "no")) else {
        keys.skip(&["fsdp"]);
        return;
    };
    let option = if found.value.contains("hybrid_shard") {
        "hybrid-shard"
    } else if found.value.contains("shard_grad_op") {
        "shard-grad-op"
    } else if found.value.contains("no_shard") {
        "ddp"
    } else {
        "full-shard"
    };
    draft.set_option_from(&found, ParamId::Strategy, option);
    draft.has_strategy = true;
    if found.value.contains("offload") {
        draft.set_option(ParamId::OffloadParameters, "yes");
    }
    if let Some(found) = keys.text(&["fsdp_config"]) {
        draft.record(&found, "FSDP's options, in a file of their own");
        if !draft.has(Program::FsdpConfig) {
            draft.assume(format!("The file {} is not among these: FSDP's options are the usual ones.", found.value));
        }
    }
    fsdp(keys, draft, "fsdp_config", "");
}

/// Reads the name of a DeepSpeed configuration in another file; the name often contains the stage.
pub(super) fn deepspeed_file(found: &KeyedValue<String>, draft: &mut Draft) {
    let name = found.value.to_ascii_lowercase();
    draft.scenario.framework = Framework::DeepSpeed;
    draft.record(found, "DeepSpeed");
    if draft.has(Program::Deepspeed) {
        return;
    }
    draft.has_strategy = true;
    if let Some(said) = zero_by_name(&name, draft) {
        draft.assume(format!("The file {} is not among these: {said}.", found.value));
    } else {
        draft.set_option(ParamId::Strategy, "zero2");
        under_zero(draft);
        draft.not_read(found, "the file says which stage of ZeRO");
    }
}

/// Sets the stage of ZeRO and the offloading that a file's name states, in lower case; returns what
/// it states.
pub(super) fn zero_by_name(name: &str, draft: &mut Draft) -> Option<&'static str> {
    let stage = stage_by_name(name)?;
    draft.set_option(ParamId::Strategy, shared::zero_strategy(stage));
    if stage == 0 {
        return Some("ZeRO-0, which shards nothing, as its name says");
    }
    under_zero(draft);
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let without = ["no_offload", "no-offload", "nooffload", "wo_offload", "wo-offload", "without_offload"];
    if has(&["offload"]) && !has(&without) {
        draft.set_option(ParamId::OffloadOptimizer, "yes");
        if stage == 3 && !has(&["offload_optim"]) {
            draft.set_option(ParamId::OffloadParameters, "yes");
        }
    }
    Some(match stage {
        1 => "ZeRO-1, as its name says",
        2 => "ZeRO-2, as its name says",
        _ => "ZeRO-3, as its name says",
    })
}

/// Returns the stage of ZeRO that a file's name states, in lower case: `ds_z3_config`, `stage_2`,
/// `zero3-bf16`, but not `bsz32`; `None` if it states none or several.
fn stage_by_name(name: &str) -> Option<u32> {
    let words: Vec<&str> = name.split(|sign: char| !sign.is_ascii_alphanumeric()).collect();
    let digit = |rest: &str| {
        let mut signs = rest.bytes();
        let stage = signs.next().filter(|stage| (b'0'..=b'3').contains(stage))?;
        signs.next().is_none_or(|next| !next.is_ascii_digit()).then_some(u32::from(stage - b'0'))
    };
    let of_word = |(place, word): (usize, &&str)| {
        let within = word.split_once("zero").map(|(_, rest)| rest);
        let rest = within.or_else(|| word.strip_prefix("stage")).or_else(|| word.strip_prefix('z'))?;
        let next = || words.get(place + 1).filter(|_| rest.is_empty() && *word != "z");
        digit(rest).or_else(|| digit(next()?))
    };
    let mut stages = words.iter().enumerate().filter_map(of_word);
    let first = stages.next()?;
    stages.all(|other| other == first).then_some(first)
}

/// Sets DeepSpeed's formats and loss.
pub(super) fn under_zero(draft: &mut Draft) {
    run_on_deepspeed(&mut draft.scenario);
}

/// Sets FSDP's formats: Accelerate casts trained weights to fp32 and gathers in 16 bits.
pub(super) fn under_fsdp(draft: &mut Draft, version: u32) {
    let adapters = draft.scenario.trained.has_adapters();
    if !matches!(draft.scenario.recipe, PrecisionPolicy::Fp32) && !adapters {
        draft.scenario.recipe = PrecisionPolicy::Fsdp2MixedBf16Reduce16;
    }
    draft.scenario.framework = if version < 2 { Framework::Fsdp1 } else { Framework::Transformers };
}

/// Returns the version of FSDP where no file says it: the Trainer's options select FSDP2 from
/// transformers 5.10 on, Accelerate's select FSDP1. TRL runs on the Trainer of its day.
pub(super) fn usual_fsdp(draft: &mut Draft) -> u32 {
    let is_second = [Program::Transformers, Program::Trl].iter().any(|program| draft.is_from(*program, SECOND_FSDP));
    let (version, whose) = if draft.is_from(Program::Axolotl, AXOLOTLS_SECOND_FSDP) {
        (2, "FSDP2, Axolotl's")
    } else if is_second {
        (2, "FSDP2, the Trainer's")
    } else {
        (1, "FSDP1, Accelerate's")
    };
    draft.assume(format!("The files do not say which FSDP: {whose} default."));
    version
}

/// Reads Accelerate's FSDP options in a section, with a prefix or without.
pub(super) fn fsdp(keys: &mut Keys, draft: &mut Draft, section: &str, prefix: &str) {
    let names = |name: &str| {
        let names =
            [format!("{section}.{prefix}{name}"), format!("{section}.{name}"), format!("{section}.fsdp_{name}")];
        // In a separate file, the options have no section.
        names.map(|name| name.trim_start_matches('.').to_owned())
    };
    macro_rules! get {
        ($kind:ident, $name:expr) => {{
            let names = names($name);
            keys.$kind(&names.each_ref().map(String::as_str))
        }};
    }
    let version = get!(count, "version").map(|found| {
        draft.record(&found, format!("FSDP{}", if found.value < 2 { "1" } else { "2" }));
        found.value
    });
    let top = keys.count(&["fsdp_version"]).map(|found| {
        draft.record(&found, format!("FSDP{}", if found.value < 2 { "1" } else { "2" }));
        found.value
    });
    let version = version.or(top);
    let version = version.unwrap_or_else(|| usual_fsdp(draft));
    if let Some(found) = get!(word, "sharding_strategy") {
        set_sharding_strategy(draft, &found);
    }
    if let Some(found) = get!(word, "reshard_after_forward") {
        set_resharding(draft, &found);
    }
    if let Some(found) = get!(flag, "offload_params") {
        draft.set_flag(Some(found.clone()), ParamId::OffloadParameters);
        draft.set_option(ParamId::OffloadOptimizer, if found.value { "yes" } else { "no" });
    }
    if let Some(found) = get!(flag, "activation_checkpointing").filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Recompute, "full");
    }
    draft.set_flag(get!(flag, "activation_checkpointing_offload"), ParamId::OffloadActivations);
    draft.set_flag(get!(flag, "cpu_ram_efficient_loading"), ParamId::DeferredInit);
    if let Some(found) = get!(word, "state_dict_type") {
        draft.set_option_from(
            &found,
            ParamId::ShardedCheckpoint,
            if found.value.starts_with("sharded") { "yes" } else { "no" },
        );
    }
    for name in [
        "auto_wrap_policy",
        "transformer_layer_cls_to_wrap",
        "backward_prefetch",
        "forward_prefetch",
        "use_orig_params",
        "sync_module_states",
        "min_num_params",
        "limit_all_gathers",
        "version",
        "xla",
        "xla_fsdp_v2",
        "xla_fsdp_grad_ckpt",
        "final_state_dict_type",
    ] {
        let names = names(name);
        keys.skip(&names.each_ref().map(String::as_str));
    }
    under_fsdp(draft, version);
}

/// Sets the strategy that FSDP1 names.
fn set_sharding_strategy(draft: &mut Draft, found: &KeyedValue<String>) {
    let option = match found.value.as_str() {
        "hybrid_shard" | "hybrid_shard_zero2" | "4" | "5" => "hybrid-shard",
        "shard_grad_op" | "2" => "shard-grad-op",
        "no_shard" | "3" => "ddp",
        _ => "full-shard",
    };
    draft.set_option_from(found, ParamId::Strategy, option);
    if option == "hybrid-shard" {
        let node = draft.scenario.network.values.gpus_per_node;
        draft.set_number(ParamId::ShardSize, f64::from(node));
    }
}

/// Sets the strategy that FSDP2's `reshard_after_forward` describes: yes, no, or a group.
fn set_resharding(draft: &mut Draft, found: &KeyedValue<String>) {
    let (option, is_known) = match found.value.as_str() {
        "true" | "full_shard" => ("full-shard", true),
        "false" | "shard_grad_op" => ("shard-grad-op", true),
        "hybrid_shard" => ("hybrid-shard", true),
        "no_shard" => ("ddp", true),
        other => match other.parse::<u32>() {
            Ok(group) => {
                draft.set_number(ParamId::ShardSize, f64::from(group));
                ("reshard", true)
            }
            Err(_) => ("full-shard", false),
        },
    };
    if is_known {
        draft.set_option_from(found, ParamId::Strategy, option);
    } else {
        draft.unknown(found, ParamId::Strategy);
    }
}

#[cfg(test)]
mod tests {
    use super::stage_by_name;

    #[test]
    fn the_name_of_a_file_says_a_stage_by_a_word_of_its_own() {
        for (name, stage) in [
            ("ds_z3_config.json", Some(3)),
            ("zero3-bf16", Some(3)),
            ("stage_2.json", Some(2)),
            ("ds_config_zero2_offload.json", Some(2)),
            ("deepspeed_zero1.yaml", Some(1)),
            ("config_z1.json", Some(1)),
            ("z0.json", Some(0)),
            ("default-zero2", Some(2)),
            ("ds_config_bsz32.json", None),
            ("ds_bsz256_zero1.json", Some(1)),
            ("zero2_to_zero3.json", None),
            ("ds_config.json", None),
        ] {
            assert_eq!(stage_by_name(name), stage, "{name}");
        }
    }
}
