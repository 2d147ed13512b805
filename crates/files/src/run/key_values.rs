//! Keys and values of a scenario in each program's files, for changes that the linter writes.

use engine::model::training::HalfFormat;
use engine::params::{self, Param, ParamKind};
use engine::scenario::{Scenario, Strategy};

use catalog::programs::Program;
use catalog::releases::Known;
use programs::keys::{Meaning, Row, Rows, Scalar, Table};

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

/// Returns the keys and values of a scenario in the files of a program, by the rows of its table.
pub(super) fn key_values(program: Program, scenario: &Scenario) -> Vec<KeyValue> {
    let mut list = Vec::new();
    for row in Table::find(program).into_iter().flat_map(|table| &table.rows) {
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
            "micro_tokens" | "local_tokens" => Some(local_batch(scenario).saturating_mul(scenario.seq_len).to_string()),
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
            let is_conditional = !row.when.0.is_empty() || row.name.iter().all(is_pattern);
            let only_present = row.present || is_conditional || is_newer(row, program, scenario);
            list.push(KeyValue { keys: &row.spellings, value, only_present, is_item: row.item, is_flag: row.flag });
        }
    }
    let has_row = list.iter().any(|own: &KeyValue| own.keys.split('|').any(|key| key == "fp16"));
    list.extend(in_fp16(scenario).filter(|one| !(has_row && one.keys.starts_with("fp16"))));
    list
}

/// Whether the program has a key only since after the scenario's release.
fn is_newer(row: &Row, program: Program, scenario: &Scenario) -> bool {
    let release = scenario.release.map(|Known(release)| release);
    release.is_some_and(|release| release.program_key() == program.key() && release.since < row.since.as_str())
}

/// Changes the 16-bit format to fp16 where a file names it, by a switch for each format or by a
/// word.
fn in_fp16(scenario: &Scenario) -> impl Iterator<Item = KeyValue> {
    let words = [
        ("bf16|bf16.enabled", "false"),
        ("fp16|fp16.enabled", "true"),
        ("mixed_precision", "fp16"),
        ("precision", "16-mixed"),
        ("dtype|torch_dtype", "float16"),
    ];
    let words = words.into_iter().filter(|_| scenario.half == HalfFormat::Fp16);
    words.map(|(keys, value)| KeyValue {
        keys,
        value: value.to_owned(),
        only_present: true,
        is_item: false,
        is_flag: keys.starts_with("bf16"),
    })
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
