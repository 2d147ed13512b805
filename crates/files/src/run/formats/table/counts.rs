//! Counts and lengths, which follow from several keys or from the program.

use engine::params::ParamId;

use super::numbers::number_of;
use super::words::{keys_of, row_said};
use crate::run::draft::{Draft, NO_FILE};
use crate::run::formats::shared;
use crate::run::keys::{KeyedValue, Keys};
use programs::keys::Table;

/// Records a count from which the batch, the length or the GPUs follow.
pub(super) fn count_of(name: &str, found: Option<KeyedValue<u32>>, draft: &mut Draft) {
    let world = &mut draft.world;
    match name {
        "micro" | "mbs" => shared::micro(found, draft),
        "accum" => shared::accum(found, draft),
        "global" => draft.batch.global = found.or(draft.batch.global.take()),
        "local" => draft.batch.local = found.or(draft.batch.local.take()),
        "gpus" => world.gpus = found.or(world.gpus.take()),
        "nodes" => world.nodes = found.or(world.nodes.take()),
        "per_node" => {
            // The launcher's total is the count per node in this program.
            let is_same = |gpus: &KeyedValue<u32>| found.as_ref().is_some_and(|found| found.key == gpus.key);
            world.gpus = world.gpus.take().filter(|gpus| !is_same(gpus));
            world.per_node = found.or(world.per_node.take());
        }
        "replicas" => world.replicas = found.or(world.replicas.take()),
        "dp_replicate" => world.replicate = found.or(world.replicate.take()),
        "dp_shard" => world.shard = found.or(world.shard.take()),
        "length" | "seq" => draft.length(found),
        _ => {}
    }
}

/// Sets the program's default counts, where no file states one of that kind.
pub(super) fn usual_counts(table: &Table, keys: &Keys, draft: &mut Draft) {
    for (key, value) in &table.usual.0 {
        // A count that a file leaves open (`devices: auto`) stays open.
        if row_said(table, key, keys).is_some() {
            continue;
        }
        let (batch, world) = (&draft.batch, &draft.world);
        // A launcher's flag without a value leaves the count open too.
        let launches = ["nproc_per_node", "num_processes", "num_gpus"];
        if matches!(key.as_str(), "gpus" | "per_node") && launches.iter().any(|name| keys.has(name)) {
            continue;
        }
        let has = |other: &str| {
            let said = if other == "nodes" { &world.nodes } else { &world.per_node };
            said.is_some() || table.usual.get(other).is_some()
        };
        let is_said = match key.as_str() {
            "accum" | "global" => batch.accum.is_some() || batch.global.is_some() || batch.local.is_some(),
            "gpus" => [&world.gpus, &world.nodes, &world.per_node, &world.replicas].iter().any(|said| said.is_some()),
            // The number of GPUs needs both nodes and GPUs per node, each stated or by default.
            "per_node" => world.gpus.is_some() || world.per_node.is_some() || world.replicas.is_some() || !has("nodes"),
            "nodes" => world.gpus.is_some() || world.nodes.is_some() || world.replicas.is_some() || !has("per_node"),
            _ => continue,
        };
        if let Ok(count) = value.to_string().parse::<u32>()
            && !is_said
        {
            count_of(key, Some(usual_count(key, count)), draft);
        }
    }
}

/// Returns a count that no file states.
pub(super) fn usual_count(key: &str, count: u32) -> KeyedValue<u32> {
    KeyedValue { value: count, file: NO_FILE, key: key.to_owned(), shown: count.to_string() }
}

/// Sets lengths that are sums, and a batch in tokens.
pub(super) fn lengths(table: &'static Table, keys: &mut Keys, is_said: bool, draft: &mut Draft) {
    let [prompt, answer] = ["prompt_length", "answer_length"].map(|is| keys.count(&keys_of(table, is, keys)));
    match (prompt, answer) {
        (Some(prompt), Some(answer)) if draft.scenario.objective.task.generates() => {
            let whole = prompt.value.saturating_add(answer.value);
            draft.number(Some(prompt), ParamId::PromptTokens);
            draft.length(Some(answer.with(whole)));
        }
        (Some(prompt), Some(answer)) if !is_said => {
            let whole = prompt.value.saturating_add(answer.value);
            draft.record(&prompt, "Prompts");
            draft.length(Some(answer.with(whole)));
        }
        (None, Some(answer)) if !draft.has_length && draft.scenario.objective.task.generates() => {
            let prompt = draft.scenario.objective.prompt;
            draft.assume(format!("The files say no length of prompts: {prompt} tokens."));
            let whole = prompt.saturating_add(answer.value);
            draft.length(Some(answer.with(whole)));
        }
        (Some(one), None) | (None, Some(one)) if !draft.has_length => draft.length(Some(one)),
        _ => {}
    }
    if let Some(layers) = keys.count(&keys_of(table, "layers_per_stage", keys)).filter(|_| draft.has_model) {
        let each = layers.value.saturating_mul(draft.scenario.pp.max(1)).max(1);
        let stages = draft.scenario.model.architecture().num_hidden_layers.div_ceil(each);
        draft.number(Some(layers.with(stages)), ParamId::VirtualStages);
    }
    let length = draft.scenario.seq_len.max(1);
    let mut sequences = |is: &str| {
        let row = row_said(table, is, keys)?;
        let names: Vec<&str> = row.name.iter().map(String::as_str).collect();
        let tokens = number_of(row, &names, keys)?;
        Some(tokens.map(|tokens| ((tokens / f64::from(length)) as u32).max(1)))
    };
    if let Some(step) = sequences("global_tokens") {
        draft.batch.global = Some(step);
    }
    if let Some(step) = sequences("local_tokens") {
        draft.batch.local = Some(step);
    }
    let usual = draft.batch.default_micro_tokens.map(|tokens| usual_count("micro_tokens", (tokens / length).max(1)));
    let by_tokens = sequences("micro_tokens").or(usual);
    draft.batch.is_by_tokens |= by_tokens.is_some();
    shared::micro(by_tokens, draft);
    if let Some(prompts) = keys.count(&keys_of(table, "prompts", keys)) {
        let answers = prompts.value.saturating_mul(draft.scenario.objective.group.max(1));
        draft.batch.global = Some(prompts.with(answers));
    }
}
