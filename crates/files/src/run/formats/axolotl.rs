//! Axolotl: `axolotl train` (src/axolotl/utils/schemas/config.py).

use catalog::programs::Program;
use engine::params::ParamId;

use super::{peft, shared, trainer};
use crate::run::draft::Draft;
use crate::run::keys::Keys;

/// Reads a file.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    shared::hugging_face(Program::Axolotl, keys, draft);
    if let Some(found) = keys.text(&["base_model"]) {
        draft.model_named(&found);
    }
    keys.skip(&["base_model_config", "model_type", "tokenizer_type"]);
    draft.set_number(ParamId::SequenceLength, 512.0);
    let length = keys.count(&["sequence_len"]);
    if length.is_none() {
        draft.has_length = true;
        draft.assume("Sequences of 512 tokens, Axolotl's default.");
    }
    draft.length(length);
    shared::micro(keys.count(&["micro_batch_size"]), draft);
    let accum = keys.count(&["gradient_accumulation_steps"]);
    // The sequences of a step on a GPU, of which accumulation follows (`normalize_config`).
    draft.batch.local = keys.count(&["batch_size"]).filter(|_| accum.is_none());
    shared::accum(accum, draft);
    if let Some(found) = keys.number(&["max_steps"]).filter(|found| found.value > 0.0) {
        draft.batch.steps = Some(found);
    }
    if let Some(found) = keys.flag(&["sample_packing"]) {
        trainer::packing(&found, draft);
    } else {
        trainer::unpacked(draft);
    }
    keys.skip(&["pad_to_sequence_len", "multipack_real_batches", "eval_sample_packing", "flash_attn_cross_entropy"]);
    shared::optimizer(keys.text(&["optimizer"]), draft);
    if let Some(found) = keys.text(&["optim_args"])
        && let Some(rank) =
            found.value.split([',', ' ']).find_map(|part| part.trim().strip_prefix("rank=")?.parse::<u32>().ok())
    {
        draft.number(Some(found.with(rank)), ParamId::GaloreRank);
    }
    keys.skip(&["optim_target_modules"]);
    checkpointing(keys, draft);
    adapters(keys, draft);
    precision(keys, draft);
    kernels(keys, draft);
    objective(keys, draft);
    degrees(keys, draft);
}

fn checkpointing(keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.word(&["gradient_checkpointing"]) {
        let is_on = !matches!(found.value.as_str(), "false" | "no");
        draft.set_option_from(&found, ParamId::Recompute, if is_on { "full" } else { "none" });
        // `unsloth` offloads too (loaders/patch_manager.py).
        if found.value.contains("offload") || found.value == "unsloth" {
            draft.set_option(ParamId::OffloadActivations, "yes");
        }
    }
    keys.skip_below("gradient_checkpointing_kwargs");
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
                crate::run::spelling::shortened(&found.shown)
            ));
        }
    }
    keys.skip_below("selective_checkpointing");
    if let Some(found) = keys.word(&["activation_offloading"]) {
        let is_on = !matches!(found.value.as_str(), "false" | "no");
        draft.set_option_from(&found, ParamId::OffloadActivations, if is_on { "yes" } else { "no" });
    }
}

fn adapters(keys: &mut Keys, draft: &mut Draft) {
    let adapter = keys.word(&["adapter"]);
    let on = adapter.as_ref().is_some_and(|found| matches!(found.value.as_str(), "lora" | "qlora" | "dora" | "rslora"));
    if let Some(found) = &adapter {
        draft.set_option_from(found, ParamId::Method, if on { "lora" } else { "all" });
    }
    if on {
        let names = peft::Names {
            rank: &["lora_r"],
            dropout: &["lora_dropout"],
            targets: &["lora_target_modules"],
            saved: &["lora_modules_to_save"],
            rslora: &["peft_use_rslora"],
            dora: &["peft_use_dora"],
            usual_rank: 8,
            usual_targets: "qv",
        };
        if keys.flag(&["lora_target_linear"]).is_some_and(|found| found.value) {
            let linear = keys.flag(&["lora_target_linear"]);
            peft::lora_of_all(keys, draft, &names, linear);
        } else {
            peft::lora(keys, draft, &names);
        }
        if let Some(found) = keys.list(&["lora_target_parameters"]) {
            draft.targets_parameters = true;
            draft.record(&found, "Adapters beside the experts");
        }
        keys.skip(&["lora_fan_in_fan_out", "peft_ensure_weight_tying", "lora_on_cpu", "peft_layers_to_transform"]);
        if let Some(found) = keys.flag(&["lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel"]) {
            keys.skip(&["lora_mlp_kernel"]);
            keys.skip(&["lora_qkv_kernel"]);
            keys.skip(&["lora_o_kernel"]);
            draft.record(&found, "Fused kernels of adapters, which are not modelled");
        }
    } else {
        for key in [
            "lora_r",
            "lora_alpha",
            "lora_dropout",
            "lora_target_linear",
            "lora_target_modules",
            "lora_fan_in_fan_out",
            "lora_modules_to_save",
        ] {
            keys.skip(&[key]);
        }
    }
    peft::base(keys, draft, &["bnb_config_kwargs.bnb_4bit_use_double_quant"]);
    keys.skip_below("bnb_config_kwargs");
    // Axolotl quantizes scales too unless told not to (`_set_quantization_config`).
    if draft.scenario.trained.base == engine::model::trained::BaseFormat::Nf4
        && !keys.has("bnb_config_kwargs.bnb_4bit_use_double_quant")
    {
        draft.set_option(ParamId::BaseFormat, "nf4dq");
    }
    if let Some(found) = keys.flag(&["gptq"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::BaseFormat, "int4");
    }
    if let Some(found) = keys.list(&["unfrozen_parameters"]) {
        unfrozen(&found, draft);
    }
}

/// Reads patterns of the names of trained parameters: layers from some layer on.
fn unfrozen(found: &crate::run::keys::KeyedValue<Vec<String>>, draft: &mut Draft) {
    let layer = |name: &String| {
        let (_, rest) = name.split_once("layers\\.").or_else(|| name.split_once("layers."))?;
        rest.split(|sign: char| !sign.is_ascii_digit()).next()?.parse::<u32>().ok()
    };
    draft.set_option_from(found, ParamId::Method, "layers");
    let is_pattern = |name: &String| name.contains("layers") && layer(name).is_none();
    if found.value.iter().any(is_pattern) {
        draft.not_read(found, "a pattern of layers is not counted. Say how many layers are frozen (frozen=20)");
    }
    if let Some(first) = found.value.iter().filter_map(layer).min() {
        draft.set_number(ParamId::FrozenLayers, f64::from(first));
    }
    let ends = found.value.iter().any(|name| name.contains("embed") || name.contains("lm_head"));
    draft.set_option(ParamId::TrainEmbeddings, if ends { "yes" } else { "no" });
}

/// Reads the precision. Axolotl loads the model in the 16-bit format (`cfg.torch_dtype`,
/// utils/config); without FSDP or DeepSpeed, weights train in that format.
fn precision(keys: &mut Keys, draft: &mut Draft) {
    let bf16 = keys.word(&["bf16"]);
    let pure = keys.flag(&["bfloat16", "float16"]).filter(|found| found.value);
    let fp16 = keys.word(&["fp16"]);
    let is_on = |found: &&crate::run::keys::KeyedValue<String>| {
        matches!(found.value.as_str(), "true" | "auto" | "full" | "yes")
    };
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
    keys.skip(&["tf32"]);
    if let Some(found) = keys.flag(&["fp8"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::ComputeFormat, "fp8");
        if let Some(gather) = keys.flag(&["fp8_enable_fsdp_float8_all_gather"]).filter(|found| found.value) {
            draft.set_option_from(&gather, ParamId::ComputeFormat, "fp8-gather");
        }
    }
}

fn kernels(keys: &mut Keys, draft: &mut Draft) {
    shared::attention(keys.word(&["attn_implementation"]), draft);
    for (key, kernel) in [
        ("flash_attention", "flash_attention_2"),
        ("sdp_attention", "sdpa"),
        ("xformers_attention", "xformers"),
        ("flex_attention", "flex_attention"),
        ("eager_attention", "eager"),
    ] {
        if let Some(found) = keys.flag(&[key]) {
            if found.value {
                shared::attention(Some(found.with(kernel.to_owned())), draft);
            } else {
                draft.record(&found, "Another attention kernel");
            }
        }
    }
    let compiled = keys.flag(&["torch_compile"]);
    let is_compiled = compiled.as_ref().is_some_and(|found| found.value);
    draft.set_flag(compiled, ParamId::Compile);
    // Backend and mode count only where it is on (`_configure_torch_compile`).
    if is_compiled {
        if let Some(mode) = keys.word(&["torch_compile_mode"]) {
            trainer::set_graphs(&mode, draft);
        }
        if let Some(backend) = keys.word(&["torch_compile_backend"]) {
            trainer::set_compiler(&backend, draft);
        }
    }
    let losses = [
        ("chunked_cross_entropy", "chunked"),
        ("liger_fused_linear_cross_entropy", "fused-linear"),
        ("cut_cross_entropy", "fused-linear"),
        ("unsloth_cross_entropy_loss", "fused"),
        ("liger_cross_entropy", "fused"),
    ];
    for (key, option) in losses {
        if let Some(found) = keys.flag(&[key]).filter(|found| found.value) {
            draft.set_option_from(&found, ParamId::Loss, option);
        }
    }
    if let Some(found) = keys.flag(&["liger_rms_norm", "unsloth_rms_norm"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::NormKernel, "fused");
    }
    // Listing the plugin of cut cross-entropy enables it.
    if let Some(found) = keys.list(&["plugins"]) {
        let cut = found.value.iter().any(|name| name.contains("CutCrossEntropy"));
        if cut && !keys.has("cut_cross_entropy") {
            draft.set_option_from(&found, ParamId::Loss, "fused-linear");
        } else {
            draft.record(&found, "Plugins, whose own keys say what they do");
        }
    }
    for key in
        ["liger_rope", "liger_glu_activation", "liger_swiglu", "liger_layer_norm", "liger_rms_norm", "unsloth_rms_norm"]
    {
        keys.skip(&[key]);
    }
    if let Some(found) = keys.flag(&["tiled_mlp"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::TiledMlp, "yes");
    }
}

/// Keys of kinds of training that are not computed, and why.
const NOT_COMPUTED: [(&str, &str); 4] = [
    ("lisa_n_layers", "LISA trains other layers from time to time"),
    ("process_reward_model", "a process reward model is not computed"),
    ("qat.weight_dtype", "training with fake quantization is not computed"),
    ("qat.activation_dtype", "training with fake quantization is not computed"),
];

fn objective(keys: &mut Keys, draft: &mut Draft) {
    for (key, why) in NOT_COMPUTED {
        if let Some(found) = keys.word(&[key]).filter(|found| found.value != "false") {
            draft.not_read(&found, why);
        }
    }
    keys.skip_below("qat");
    // Experts of a frozen base are quantized as its other matrices are.
    keys.skip(&["quantize_moe_experts", "liger_rms_norm_gated", "lisa_n_layers", "process_reward_model"]);
    keys.skip_below("flex_attn_compile_kwargs");
    if let Some(found) = keys.word(&["rl"]).filter(|found| found.value == "ebft") {
        draft.not_read(&found, "energy-based fine-tuning is not computed");
        keys.skip_below("ebft");
    }
    if let Some(found) = keys.word(&["rl"]).filter(|found| found.value != "ebft") {
        let words = [
            ("dpo", "dpo"),
            ("ipo", "dpo"),
            ("orpo", "orpo"),
            ("kto", "kto"),
            ("grpo", "grpo"),
            ("simpo", "dpo"),
            ("gdpo", "grpo"),
        ];
        draft.one_of(Some(found.clone()), ParamId::Objective, &words);
        if found.value == "simpo" {
            draft.set_option(ParamId::Reference, "none");
        }
    }
    if let Some(found) = keys.flag(&["precompute_ref_log_probs"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Reference, "kept");
    }
    if let Some(found) = keys.flag(&["reward_model"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Objective, "reward");
    }
    draft.number(keys.count(&["trl.num_generations"]), ParamId::Completions);
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
    if let Some(found) = keys.number(&["trl.vllm_gpu_memory_utilization", "vllm.gpu_memory_utilization"]) {
        let share = found.value * 100.0;
        draft.number(Some(found.with(share)), ParamId::EngineMemory);
    }
    draft.number(keys.count(&["vllm.tensor_parallel_size"]), ParamId::EngineTp);
}

fn degrees(keys: &mut Keys, draft: &mut Draft) {
    draft.set_option(ParamId::Strategy, "ddp");
    draft.number(keys.count(&["tensor_parallel_size"]), ParamId::Tp);
    if let Some(found) = keys.count(&["context_parallel_size", "sequence_parallel_degree"]) {
        draft.number(Some(found), ParamId::Cp);
    }
    // Workers of Ray, one a GPU.
    if keys.flag(&["use_ray"]).is_some_and(|found| found.value) {
        draft.world.gpus = draft.world.gpus.take().or_else(|| keys.count(&["ray_num_workers"]));
    } else {
        keys.skip(&["ray_num_workers"]);
    }
    let experts = keys.count(&["expert_parallel_size"]);
    let of_experts = experts.as_ref().map_or(1, |found| found.value);
    draft.number(experts, ParamId::Ep);
    draft.world.replicate = keys.count(&["dp_replicate_size"]);
    // Experts have a dimension of their own in the mesh, besides that of the shards.
    draft.world.shard =
        keys.count(&["dp_shard_size"]).map(|found| found.map(|shards| shards.saturating_mul(of_experts)));
    if let Some(found) = keys.text(&["deepspeed"]) {
        trainer::deepspeed_file(&found, draft);
    }
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
