//! Keys and values of a scenario in each program's files, for changes that the linter writes.

use engine::model::training::{HalfFormat, Recompute};
use engine::params::{self, Param, ParamKind};
use engine::scenario::{Scenario, Strategy};

use super::program::{Meaning, Row, Rows, Scalar, Table};
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
    /// Whether a command has the key without a value, or lacks it.
    pub(super) is_flag: bool,
}

struct KeyValues {
    list: Vec<KeyValue>,
}

impl KeyValues {
    fn put(&mut self, keys: &'static str, value: impl std::fmt::Display) {
        self.list.push(KeyValue {
            keys,
            value: value.to_string(),
            only_present: false,
            is_item: false,
            is_flag: false,
        });
    }

    fn put_if_present(&mut self, keys: &'static str, value: impl std::fmt::Display) {
        self.list.push(KeyValue { keys, value: value.to_string(), only_present: true, is_item: false, is_flag: false });
    }
}

/// Returns the keys and values of a scenario in the files of a program.
pub(super) fn key_values(program: Program, scenario: &Scenario) -> Vec<KeyValue> {
    let mut key_values = KeyValues { list: Vec::new() };
    match program {
        Program::Torchtitan => torchtitan(&mut key_values, scenario),
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
    key_values.put_if_present("bf16|bf16.enabled", if is_megatron { "" } else { "false" });
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
        if row.unwritten {
            continue;
        }
        // A part of a word, or a number that other keys multiply, cannot be written alone.
        if !row.part.is_empty() || !row.times.is_empty() || !row.over.is_empty() {
            continue;
        }
        let value = match row.is.as_str() {
            "micro" => Some(scenario.micro_batch_size.to_string()),
            "accum" => Some(scenario.grad_accum_steps.to_string()),
            "global" => Some(global_batch(scenario).to_string()),
            "local" => Some(local_batch(scenario).to_string()),
            "micro_tokens" => Some(local_batch(scenario).saturating_mul(scenario.seq_len).to_string()),
            "per_device" => Some(per_device(scenario).to_string()),
            "dp_replicate" => Some(replicated_and_sharded(scenario)[0].to_string()),
            "dp_shard" => Some(replicated_and_sharded(scenario)[1].to_string()),
            "length" => Some(scenario.seq_len.to_string()),
            "optimizer" if row.writes.0.is_empty() => None,
            "gpus" | "model" | "mbs" => None,
            key => params::find(key).and_then(|param| option_or_number(row, param, scenario)),
        };
        if let Some(value) = value {
            // A key with a condition on other keys is never added.
            let is_pattern = |name: &String| name.starts_with('*');
            let only_present = row.present || !row.when.0.is_empty() || row.name.iter().all(is_pattern);
            key_values.list.push(KeyValue {
                keys: &row.spellings,
                value,
                only_present,
                is_item: row.item,
                is_flag: row.flag,
            });
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
                Meaning::Several(several) => !several.0.is_empty() && has_all(several, scenario),
            };
            // A pattern is not a word that a file may hold.
            let mut words = row.values.0.iter().filter(|(word, _)| !word.contains(['*', '#']));
            // Of a switch that is not on, the word is the one that sets nothing.
            let is_off = |meaning: &&Meaning| matches!(meaning, Meaning::Several(several) if several.0.is_empty());
            let off = || row.values.get("false").filter(is_off).map(|_| "false".to_owned());
            words.find(|(_, meaning)| is_it(meaning)).map(|(word, _)| word.clone()).or_else(off)
        }
        ParamKind::Number(number) if row.values.0.is_empty() => {
            let value = (number.get)(scenario) / row.scale.unwrap_or(1.0);
            Some(value.to_string())
        }
        ParamKind::Number(_) => None,
    }
}

/// Whether a scenario has all of the values that a word sets.
fn has_all(several: &Rows<Scalar>, scenario: &Scenario) -> bool {
    several.0.iter().all(|(key, value)| match params::find(key).map(|param| (param.id, &param.kind)) {
        Some((id, ParamKind::Choice(_))) => id.option(scenario) == value.to_string(),
        Some((_, ParamKind::Number(number))) => (number.get)(scenario).to_string() == value.to_string(),
        None => false,
    })
}

/// Returns the sequences of a step on a replica, where a pipeline splits them into micro-batches;
/// else those of a micro-batch.
fn local_batch(scenario: &Scenario) -> u32 {
    let parts = if scenario.pp > 1 { scenario.grad_accum_steps } else { 1 };
    scenario.micro_batch_size.saturating_mul(parts)
}

/// Returns the sequences of a micro-batch for each device of a replica.
fn per_device(scenario: &Scenario) -> f64 {
    let devices = f64::from(scenario.gpus.max(1)) / f64::from(scenario.degrees().dp.max(1));
    f64::from(scenario.micro_batch_size) / devices
}

/// Returns over how many GPUs weights are replicated, and over how many sharded.
fn replicated_and_sharded(scenario: &Scenario) -> [u32; 2] {
    let dp = scenario.degrees().dp.max(1);
    match scenario.strategy {
        Strategy::Ddp => [dp, 1],
        Strategy::HybridShard => [dp / scenario.shard_size.clamp(1, dp), scenario.shard_size.clamp(1, dp)],
        _ => [1, dp],
    }
}

fn global_batch(scenario: &Scenario) -> u32 {
    scenario.micro_batch_size.saturating_mul(scenario.grad_accum_steps).saturating_mul(scenario.degrees().dp)
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
        is_flag: false,
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
