//! Reads the keys of a program by its table.

mod counts;
mod numbers;
mod shape;
mod values;
mod words;

use catalog::programs::{Part, Program};
use engine::params;
use links::put;

use super::args::Args;
use crate::run::UnderstoodKey;
use crate::run::draft::Draft;
use crate::run::keys::Keys;
use crate::run::tree::STARTED;
use counts::{lengths, usual_counts};
use programs::keys::{Meaning, Row, Rows, Table};
use shape::shape;
#[cfg(test)]
pub(in crate::run) use shape::shape_key;
use values::{own, put_besides, set};
pub(in crate::run) use words::is_met;
use words::{find_word, is_on, is_word_only, meaning, said_by, spellings};

/// Names that a row may have besides parameters, for values that follow from several keys or from
/// all files.
#[cfg(test)]
pub(in crate::run) const OWN_NAMES: [&str; 37] = [
    "model",
    "teacher",
    "micro",
    "accum",
    "global",
    "local",
    "global_tokens",
    "micro_tokens",
    "prompts",
    "steps",
    "samples",
    "gpus",
    "nodes",
    "per_node",
    "replicas",
    "dp_replicate",
    "dp_shard",
    "length",
    "prompt_length",
    "answer_length",
    "optimizer",
    "attention",
    "bf16",
    "fp16",
    "dtype",
    "deepspeed",
    "zero",
    "adapter_targets",
    "noted",
    "lora_rank",
    "objective_by_name",
    "group_in_micro",
    "layers_per_stage",
    "continues",
    "trained_layers",
    "per_device",
    "local_tokens",
];

/// Names whose default is settled by a row of another name.
const SETTLED_BY: [(&str, &str); 2] = [("strategy", "zero"), ("global", "accum")];

/// Reads a file of a program.
///
/// # Errors
///
/// A sentence if a word selects a run that is not computed.
pub(super) fn read_by_program(program: Program, keys: &mut Keys, draft: &mut Draft) -> Result<(), String> {
    let name = program.name();
    let table = Table::find(program).ok_or_else(|| format!("Files of {name} are not read."))?;
    // Options and launchers add to the run of a trainer, whose defaults hold.
    if program.part() == Part::Run || draft.is_alone() {
        start(program, table, keys, draft);
    }
    let mut set: Vec<&str> = Vec::new();
    let recorded = draft.understood.len();
    let last_of_shape = table.rows.iter().rposition(|row| row.is == "shape.layers");
    for (place, row) in table.rows.iter().enumerate() {
        let is_met = is_met(&row.when, keys);
        let said = draft.said.len();
        let is_read = is_met && read_row(table, row, keys, draft)?;
        if is_read || is_met && row.name.is_empty() {
            // Keys of the condition are read with the key.
            row.when.0.iter().for_each(|(key, _)| drop(keys.text(&spellings(key))));
        }
        if is_read {
            set.push(&row.is);
            set.extend(SETTLED_BY.iter().filter(|(_, by)| *by == row.is).map(|(key, _)| *key));
            if let Some(Meaning::Several(several)) = said_by(row, keys) {
                set.extend(several.0.iter().map(|(key, _)| key.as_str()));
            }
        }
        // Parameters that a function sets.
        if !row.call.is_empty() {
            set.extend(draft.said.iter().skip(said).map(|id| id.key()));
        }
        // Keys further down may concern the model that the numbers describe.
        if Some(place) == last_of_shape && !draft.has_model && shape(table, keys, draft) {
            set.push("model");
        }
    }
    // A script may only start the file that has the settings.
    let is_told = !set.is_empty() || draft.understood.len() > recorded || keys.peek(STARTED).is_some();
    if !is_told {
        return Err(format!(
            "This is of {name} and has none of its settings: give the file that has them. {}",
            table.about
        ));
    }
    draft.said.extend(set.iter().filter_map(|key| params::find(key)).map(|param| param.id));
    lengths(table, keys, set.contains(&"length"), draft);
    usual_counts(table, keys, draft);
    for (key, said) in &table.says.0 {
        let key = if key == "seq" { "length" } else { key.as_str() };
        let is_set = set.contains(&key) || key == "length" && set.contains(&"seq");
        // A default of adapters decides nothing where all weights are trained.
        let is_relevant = params::find(key).is_none_or(|param| param.is_shown(&draft.scenario));
        // A row of another key, such as one for Megatron, may have set another strategy; an older
        // release has other defaults than the newest, of which the sentences are.
        let usual = table.usual.get(key).filter(|_| key == "strategy").map(ToString::to_string);
        let usual = usual.or_else(|| draft.changed_since(program, key));
        let is_other =
            usual.zip(params::find(key)).is_some_and(|(usual, param)| usual != param.id.option(&draft.scenario));
        if !is_set && is_relevant && !is_other {
            draft.assume(said.clone());
        }
    }
    Ok(())
}

/// Sets the program's defaults.
fn start(program: Program, table: &Table, keys: &Keys, draft: &mut Draft) {
    draft.has_strategy = true;
    put(&mut draft.scenario, "framework", program.framework());
    draft.program(program, keys);
    let usual = table.usual.0.iter().filter(|(key, _)| !key.starts_with("shape.") && key != "gpus");
    usual.for_each(|(key, value)| put_besides(key, &value.to_string(), draft));
    draft.attention_of_the_gpu();
}

/// Reads a key; returns whether the file has the key.
fn read_row(table: &'static Table, row: &Row, keys: &mut Keys, draft: &mut Draft) -> Result<bool, String> {
    let names: Vec<&str> = row.name.iter().map(String::as_str).collect();
    if names.is_empty() {
        row.sets.0.iter().for_each(|(key, value)| put_besides(key, &value.to_string(), draft));
        (!row.means.is_empty()).then(|| draft.assume(&row.means));
        if let Some(read) = super::function(&row.call) {
            read(&mut Args::new(keys, table), draft);
        }
    }
    if !row.read_by.is_empty() {
        return Ok(false);
    }
    let found = if row.first { keys.first(&names) } else { keys.text(&names) };
    let Some(found) = found else { return Ok(false) };
    let word = found.value.to_ascii_lowercase();
    let said = |words: &Rows<String>| {
        let said = words.get(&word).or_else(|| find_word(words, &word).filter(|_| is_on(&word)));
        said.map(|said| format!("{} = {}: {said}", found.key, found.shown))
    };
    if let Some(said) = said(&row.refuses) {
        return Err(said);
    }
    let lacks = said(&row.lacks);
    let simplifies = said(&row.simplifies).map(|said| said.replacen(" = ", " is ", 1));
    draft.unread.extend(lacks.clone());
    if let Some(said) = &simplifies {
        draft.assume(said.clone());
    }
    match meaning(row, &word) {
        None if lacks.is_some() || simplifies.is_some() => {}
        Some(Meaning::Option(value)) => set(&row.is, &value.to_string(), &found, draft),
        Some(Meaning::Several(several)) => {
            let mut is_first = true;
            for (key, value) in &several.0 {
                if is_first {
                    set(key, &value.to_string(), &found, draft);
                } else {
                    put_besides(key, &value.to_string(), draft);
                }
                is_first = false;
            }
            let is_said = |line: &UnderstoodKey| line.file == found.file && line.key == found.key;
            if several.0.is_empty() && !draft.understood.iter().any(is_said) {
                draft.record(&found, row.meaning());
            }
        }
        None if row.is.is_empty() => {
            let speaks = [&row.lacks, &row.simplifies, &row.refuses].iter().any(|words| !words.0.is_empty());
            if row.means.is_empty() && row.sets.0.is_empty() && !speaks {
                return Ok(false);
            }
            draft.record(&found, row.meaning());
        }
        None if !row.values.0.is_empty() && is_word_only(row, &word) => {
            if let Some(param) = params::find(&row.is) {
                draft.unknown(&found, param.id);
            } else {
                draft.record(&found, "Not known here");
            }
        }
        None => own(table, row, &names, &found, keys, draft),
    }
    if is_on(&word) {
        for (key, value) in &row.sets.0 {
            put_besides(key, &value.to_string(), draft);
        }
    }
    Ok(true)
}
