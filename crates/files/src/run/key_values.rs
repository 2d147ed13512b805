//! Keys and values of a scenario in each program's files, for changes that the linter writes.

use engine::model::software::{Loss, NormKernel};
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{HalfFormat, Optimizer, OptimizerKernel, Recompute};
use engine::params::{self, Param, ParamKind};
use engine::scenario::{Scenario, Strategy};

use super::program::{Meaning, Row, Table};
use catalog::programs::Program;

/// A key with its value.
pub(super) struct KeyValue {
    /// The key; alternative spellings follow, separated by `|`.
    pub(super) keys: &'static str,
    pub(super) value: String,
    /// Whether the key is only changed where present, and never added.
    pub(super) only_present: bool,
    /// Whether the value is a list whose item the key's list needs.
    pub(super) is_item: bool,
}

struct KeyValues {
    list: Vec<KeyValue>,
}

impl KeyValues {
    fn put(&mut self, keys: &'static str, value: impl std::fmt::Display) {
        self.list.push(KeyValue { keys, value: value.to_string(), only_present: false, is_item: false });
    }

    fn put_if_present(&mut self, keys: &'static str, value: impl std::fmt::Display) {
        self.list.push(KeyValue { keys, value: value.to_string(), only_present: true, is_item: false });
    }
}

/// Returns the keys and values of a scenario in the files of a program.
pub(super) fn key_values(program: Program, scenario: &Scenario) -> Vec<KeyValue> {
    let mut key_values = KeyValues { list: Vec::new() };
    match program {
        Program::Transformers | Program::Trl => trainer(&mut key_values, program, scenario),
        Program::Axolotl => axolotl(&mut key_values, scenario),
        Program::Torchtitan => torchtitan(&mut key_values, scenario),
        Program::MegatronLm => megatron(&mut key_values, scenario),
        Program::MegatronBridge | Program::Nemo => nemo(&mut key_values, program, scenario),
        Program::Maxtext => maxtext(&mut key_values, scenario),
        Program::Accelerate => accelerate(&mut key_values, scenario),
        Program::Deepspeed => deepspeed(&mut key_values, scenario),
        _ => {
            if let Some(program) = Table::find(program) {
                table(&mut key_values, program, scenario);
            }
        }
    }
    half_format(&mut key_values, program, scenario);
    key_values.list
}

/// Changes the 16-bit format to fp16 where a file names it: by a switch for each format, or by a
/// word.
fn half_format(key_values: &mut KeyValues, program: Program, scenario: &Scenario) {
    if scenario.half != HalfFormat::Fp16 {
        return;
    }
    let is_megatron = program == Program::MegatronLm;
    key_values.put_if_present("bf16|bf16.enabled", if is_megatron { switch(false) } else { "false" });
    if is_megatron || matches!(program, Program::Transformers | Program::Trl | Program::Axolotl | Program::LlamaFactory)
    {
        key_values.put("fp16", "true");
    } else {
        key_values.put_if_present("fp16|fp16.enabled", "true");
    }
    for (keys, value) in [("mixed_precision", "fp16"), ("precision", "16-mixed"), ("dtype|torch_dtype", "float16")] {
        key_values.put_if_present(keys, value);
    }
}

/// Adds the keys that a program's table has for a scenario.
fn table(key_values: &mut KeyValues, table: &'static Table, scenario: &Scenario) {
    for row in &table.rows {
        if row.is == "trainer.arguments" {
            arguments(key_values, scenario);
        }
        // A part of a word, or a number that other keys multiply, cannot be written alone.
        if !row.part.is_empty() || !row.times.is_empty() || !row.over.is_empty() {
            continue;
        }
        let value = match row.is.as_str() {
            "micro" => Some(scenario.micro_batch_size.to_string()),
            "accum" => Some(scenario.grad_accum_steps.to_string()),
            "global" => Some(global_batch(scenario).to_string()),
            "length" => Some(scenario.seq_len.to_string()),
            "optimizer" if row.writes.0.is_empty() => None,
            "gpus" | "model" | "mbs" => None,
            key => params::find(key).and_then(|param| option_or_number(row, param, scenario)),
        };
        let value = value.map(|value| if row.flag && value == "false" { String::new() } else { value });
        if let Some(value) = value {
            // A key with a condition on other keys is never added.
            let only_present = !row.when.0.is_empty() || row.name.iter().any(|name| name.starts_with('*'));
            key_values.list.push(KeyValue { keys: &row.spellings, value, only_present, is_item: false });
        }
    }
}

/// Returns the word of a row for a parameter's current value; `None` if the row has none.
fn option_or_number(row: &'static Row, param: &Param, scenario: &Scenario) -> Option<String> {
    match &param.kind {
        ParamKind::Choice(_) => {
            let option = param.id.option(scenario);
            if !row.writes.0.is_empty() {
                return row.writes.get(option).or_else(|| row.writes.get("*")).cloned();
            }
            if row.values.0.is_empty() {
                return matches!(option, "yes" | "no").then(|| (option == "yes").to_string());
            }
            let is_it = |meaning: &Meaning| match meaning {
                Meaning::Option(value) => value.to_string() == option,
                Meaning::Several(_) => false,
            };
            // A pattern is not a word that a file may hold.
            let mut words = row.values.0.iter().filter(|(word, _)| !word.contains(['*', '#']));
            words.find(|(_, meaning)| is_it(meaning)).map(|(word, _)| word.clone())
        }
        ParamKind::Number(number) if row.values.0.is_empty() => {
            let value = (number.get)(scenario) / row.scale.unwrap_or(1.0);
            Some(value.to_string())
        }
        ParamKind::Number(_) => None,
    }
}

fn recomputes(scenario: &Scenario) -> bool {
    scenario.recompute != Recompute::None
}

fn saves_logits(scenario: &Scenario) -> bool {
    matches!(scenario.kernels.loss, Loss::Fused | Loss::FusedLinear | Loss::Chunked | Loss::Tiled)
}

fn global_batch(scenario: &Scenario) -> u32 {
    scenario.micro_batch_size.saturating_mul(scenario.grad_accum_steps).saturating_mul(scenario.degrees().dp)
}

/// Returns the Trainer's name of the optimizer.
fn optimizer(scenario: &Scenario) -> &'static str {
    match (scenario.optimizer, scenario.optimizer_kernel) {
        (Optimizer::AdamW8bit, _) if scenario.offload.paged => "paged_adamw_8bit",
        (Optimizer::AdamW8bit, _) => "adamw_8bit",
        (Optimizer::AdamW, OptimizerKernel::Fused) => "adamw_torch_fused",
        (Optimizer::AdamW, OptimizerKernel::ForEach) => "adamw_torch",
        (Optimizer::Adafactor, _) => "adafactor",
        _ => "",
    }
}

fn put_optimizer(key_values: &mut KeyValues, key: &'static str, scenario: &Scenario) {
    let name = optimizer(scenario);
    if !name.is_empty() {
        key_values.put(key, name);
    }
}

/// Adds the arguments that all programs on the Trainer have.
fn arguments(key_values: &mut KeyValues, scenario: &Scenario) {
    key_values.put("per_device_train_batch_size|per_gpu_train_batch_size", scenario.micro_batch_size);
    key_values.put("gradient_accumulation_steps", scenario.grad_accum_steps);
    put_optimizer(key_values, "optim", scenario);
}

fn trainer(key_values: &mut KeyValues, program: Program, scenario: &Scenario) {
    arguments(key_values, scenario);
    key_values.put("gradient_checkpointing|activation_checkpointing", recomputes(scenario));
    key_values.put("use_liger_kernel", saves_logits(scenario));
    key_values.put("torch_compile", scenario.kernels.compile);
    if program == Program::Trl && !scenario.objective.task.generates() {
        key_values.put("max_length|max_seq_length", scenario.seq_len);
    } else {
        key_values
            .put_if_present("max_length|max_seq_length|max_seq_len|block_size|model_max_length", scenario.seq_len);
    }
    key_values.put("use_peft", scenario.trained.has_adapters());
    if quantized(scenario) {
        key_values.put("load_in_4bit", true);
    }
}

fn quantized(scenario: &Scenario) -> bool {
    scenario.trained.has_adapters() && matches!(scenario.trained.base, BaseFormat::Nf4 | BaseFormat::Nf4Double)
}

fn axolotl(key_values: &mut KeyValues, scenario: &Scenario) {
    key_values.put("micro_batch_size", scenario.micro_batch_size);
    key_values.put("gradient_accumulation_steps", scenario.grad_accum_steps);
    key_values.put("sequence_len", scenario.seq_len);
    put_optimizer(key_values, "optimizer", scenario);
    key_values.put("gradient_checkpointing", recomputes(scenario));
    key_values.put("torch_compile", scenario.kernels.compile);
    // Liger's loss and norms need its plugin; the chunked loss is Axolotl's own.
    let fuses_loss = scenario.kernels.loss == Loss::FusedLinear;
    key_values.put("chunked_cross_entropy", saves_logits(scenario) && !fuses_loss);
    key_values.put("liger_fused_linear_cross_entropy", fuses_loss);
    key_values.put("liger_rms_norm", scenario.kernels.norms == NormKernel::Fused);
    if fuses_loss {
        key_values.list.push(KeyValue {
            keys: "plugins",
            value: "[axolotl.integrations.liger.LigerPlugin]".to_owned(),
            only_present: false,
            is_item: true,
        });
    }
    key_values.put("tensor_parallel_size", scenario.tp);
    key_values.put("context_parallel_size", scenario.cp);
    if scenario.strategy.shards_weights() {
        key_values.put_if_present("fsdp_config.reshard_after_forward", scenario.strategy != Strategy::ShardGradOp);
        key_values.put_if_present("fsdp_config.offload_params", scenario.offload.parameters);
    }
    if scenario.trained.method == Method::Lora {
        key_values.put("adapter", if quantized(scenario) { "qlora" } else { "lora" });
        if quantized(scenario) {
            key_values.put("load_in_4bit", true);
        }
    }
}

fn torchtitan(key_values: &mut KeyValues, scenario: &Scenario) {
    let local = if scenario.pp > 1 {
        scenario.micro_batch_size.saturating_mul(scenario.grad_accum_steps)
    } else {
        scenario.micro_batch_size
    };
    key_values.put("training.local_batch_size|training.batch_size", local);
    // Later releases count tokens instead of sequences.
    key_values.put_if_present("training.num_tokens_per_microbatch_per_dp_rank", local.saturating_mul(scenario.seq_len));
    key_values.list.push(KeyValue {
        keys: "training.global_batch_size",
        value: global_batch(scenario).to_string(),
        only_present: scenario.pp > 1 || scenario.grad_accum_steps <= 1,
        is_item: false,
    });
    key_values.put("training.seq_len", scenario.seq_len);
    let mode = match scenario.recompute {
        Recompute::None => "none",
        Recompute::Selective => "selective",
        Recompute::Full => "full",
        Recompute::AttentionCore | Recompute::Fraction | Recompute::Modules => "",
    };
    if !mode.is_empty() {
        key_values.put("activation_checkpoint.mode", mode);
    }
    let dp = scenario.degrees().dp.max(1);
    let [replicate, shard] = match scenario.strategy {
        Strategy::Ddp => [dp, 1],
        Strategy::HybridShard => [dp / scenario.shard_size.clamp(1, dp), scenario.shard_size.clamp(1, dp)],
        _ => [1, dp],
    };
    key_values.put("parallelism.data_parallel_replicate_degree|training.data_parallel_replicate_degree", replicate);
    key_values.put("parallelism.data_parallel_shard_degree|training.data_parallel_shard_degree", shard);
    key_values.put(
        "parallelism.fsdp_reshard_after_forward|training.fsdp_reshard_after_forward",
        if scenario.strategy == Strategy::ShardGradOp { "never" } else { "always" },
    );
    key_values.put("parallelism.tensor_parallel_degree|training.tensor_parallel_degree", scenario.tp);
    key_values.put(
        "parallelism.context_parallel_degree|experimental.context_parallel_degree|training.context_parallel_degree",
        scenario.cp,
    );
    key_values.put("parallelism.pipeline_parallel_degree|experimental.pipeline_parallel_degree", scenario.pp);
    key_values.put_if_present("parallelism.expert_parallel_degree", scenario.ep);
    key_values.put("training.enable_cpu_offload", scenario.offload.parameters);
    key_values.put("compile.enable|training.compile", scenario.kernels.compile);
}

fn recomputation(key_values: &mut KeyValues, scenario: &Scenario, keys: [&'static str; 3]) {
    let [granularity, method, layers] = keys;
    match scenario.recompute {
        Recompute::None => key_values.put(granularity, ""),
        Recompute::Full => {
            key_values.put(granularity, "full");
            key_values.put(method, "uniform");
            key_values.put(layers, 1);
        }
        Recompute::AttentionCore | Recompute::Modules => key_values.put(granularity, "selective"),
        Recompute::Selective | Recompute::Fraction => {}
    }
    if !matches!(scenario.recompute, Recompute::Full | Recompute::Fraction) {
        key_values.put(method, "");
        key_values.put(layers, "");
    }
}

fn megatron(key_values: &mut KeyValues, scenario: &Scenario) {
    key_values.put("micro_batch_size|model_args.__micro_batch_size", scenario.micro_batch_size);
    key_values.put("global_batch_size|model_args.__global_batch_size", global_batch(scenario));
    key_values.put("seq_length|model_args.__seq_length", scenario.seq_len);
    key_values.put("tensor_model_parallel_size|model_args.__tensor_model_parallel_size", scenario.tp);
    key_values.put("pipeline_model_parallel_size|model_args.__pipeline_model_parallel_size", scenario.pp);
    key_values.put("context_parallel_size|model_args.__context_parallel_size", scenario.cp);
    key_values.put_if_present("expert_model_parallel_size|model_args.__expert_model_parallel_size", scenario.ep);
    let shards = !matches!(scenario.strategy, Strategy::Ddp);
    key_values.put("use_distributed_optimizer|model_args.__use_distributed_optimizer", switch(shards));
    recomputation(key_values, scenario, ["recompute_granularity", "recompute_method", "recompute_num_layers"]);
    if scenario.kernels.loss == Loss::Fused {
        key_values.put("cross_entropy_loss_fusion", "true");
    }
    key_values.put("optimizer_cpu_offload", switch(scenario.offload.optimizer));
}

/// Returns the value of a command-line flag: present, or absent.
fn switch(on: bool) -> &'static str {
    if on { "true" } else { "" }
}

fn nemo(key_values: &mut KeyValues, program: Program, scenario: &Scenario) {
    if program == Program::MegatronBridge {
        key_values.put("train.micro_batch_size|micro_batch_size", scenario.micro_batch_size);
        key_values.put("train.global_batch_size|global_batch_size", global_batch(scenario));
    } else {
        key_values.put("model.micro_batch_size|data.micro_batch_size", scenario.micro_batch_size);
        key_values.put("model.global_batch_size|data.global_batch_size", global_batch(scenario));
    }
    key_values.put(
        "model.tensor_model_parallel_size|trainer.strategy.tensor_model_parallel_size|tensor_model_parallel_size",
        scenario.tp,
    );
    key_values.put(
        "model.pipeline_model_parallel_size|trainer.strategy.pipeline_model_parallel_size|pipeline_model_parallel_size",
        scenario.pp,
    );
    key_values
        .put("model.context_parallel_size|trainer.strategy.context_parallel_size|context_parallel_size", scenario.cp);
    key_values
        .put_if_present("model.expert_model_parallel_size|trainer.strategy.expert_model_parallel_size", scenario.ep);
    let granularity = match scenario.recompute {
        Recompute::None => "null",
        Recompute::Full => "full",
        Recompute::AttentionCore => "selective",
        _ => return,
    };
    key_values
        .put("model.recompute_granularity|model.activations_checkpoint_granularity|recompute_granularity", granularity);
}

fn maxtext(key_values: &mut KeyValues, scenario: &Scenario) {
    let devices = f64::from(scenario.gpus.max(1)) / f64::from(scenario.degrees().dp.max(1));
    let each = f64::from(scenario.micro_batch_size) / devices;
    key_values.put("per_device_batch_size", each);
    key_values.put_if_present("gradient_accumulation_steps", scenario.grad_accum_steps);
    key_values.put("max_target_length", scenario.seq_len);
    match scenario.recompute {
        Recompute::Full => key_values.put("remat_policy", "full"),
        Recompute::Selective => key_values.put("remat_policy", "minimal"),
        _ => {}
    }
    key_values.put_if_present("ici_tensor_parallelism", scenario.tp);
}

fn accelerate(key_values: &mut KeyValues, scenario: &Scenario) {
    if scenario.strategy.shards_weights() {
        key_values.put_if_present("fsdp_config.fsdp_reshard_after_forward", scenario.strategy != Strategy::ShardGradOp);
        let strategy = match scenario.strategy {
            Strategy::ShardGradOp => "SHARD_GRAD_OP",
            Strategy::HybridShard => "HYBRID_SHARD",
            _ => "FULL_SHARD",
        };
        key_values.put_if_present("fsdp_config.fsdp_sharding_strategy", strategy);
        key_values.put_if_present("fsdp_config.fsdp_offload_params", scenario.offload.parameters);
        key_values.put_if_present("fsdp_config.fsdp_activation_checkpointing", recomputes(scenario));
    }
    stage(key_values, scenario, "deepspeed_config.zero_stage");
    key_values.put_if_present("deepspeed_config.gradient_accumulation_steps", scenario.grad_accum_steps);
    let device = if scenario.offload.optimizer { "cpu" } else { "none" };
    key_values.put_if_present("deepspeed_config.offload_optimizer_device", device);
    key_values.put("num_processes", scenario.gpus);
}

fn stage(key_values: &mut KeyValues, scenario: &Scenario, key: &'static str) {
    let stages = [Strategy::Ddp, Strategy::Zero1, Strategy::Zero2, Strategy::FullShard];
    if let Some(stage) = stages.iter().position(|strategy| *strategy == scenario.strategy) {
        key_values.put_if_present(key, stage);
    }
}

fn deepspeed(key_values: &mut KeyValues, scenario: &Scenario) {
    stage(key_values, scenario, "zero_optimization.stage");
    key_values.put_if_present("train_micro_batch_size_per_gpu", scenario.micro_batch_size);
    key_values.put_if_present("gradient_accumulation_steps", scenario.grad_accum_steps);
    key_values.put_if_present("train_batch_size", global_batch(scenario));
    for (on, keys) in [
        (scenario.offload.optimizer, "zero_optimization.offload_optimizer.device"),
        (scenario.offload.parameters, "zero_optimization.offload_param.device"),
    ] {
        let value = if on { "cpu" } else { "none" }.to_owned();
        key_values.list.push(KeyValue { keys, value, only_present: !on, is_item: false });
    }
}
