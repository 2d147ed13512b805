//! Reads the keys of a program by its table.

use catalog::names::model_named;
use catalog::programs::{Part, Program};
use engine::params::{self, ParamId, ParamKind};
use engine::scenario::Model;
use links::put;
use links::v1::CUSTOM_SHAPE;

use super::args::Args;
use super::{peft, shared, trainer};
use crate::run::UnderstoodKey;
use crate::run::draft::{Draft, NO_FILE};
use crate::run::keys::{KeyedValue, Keys};
use crate::run::named::is_named;
use crate::run::program::{Meaning, Row, Rows, Table};
use crate::run::spelling::shortened;
use crate::run::tree::STARTED;

/// Names that a row may have besides parameters, for values that follow from several keys or from
/// all files.
#[cfg(test)]
pub(in crate::run) const OWN_NAMES: [&str; 36] = [
    "model",
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

/// Parts of a model's shape, with their parameters.
const SHAPE: [(&str, ParamId); 17] = [
    ("layers", ParamId::Layers),
    ("hidden", ParamId::HiddenSize),
    ("heads", ParamId::AttentionHeads),
    ("kv", ParamId::KvHeads),
    ("headdim", ParamId::HeadDim),
    ("ffn", ParamId::MlpWidth),
    ("vocab", ParamId::VocabSize),
    ("experts", ParamId::Experts),
    ("topk", ParamId::TopK),
    ("effn", ParamId::ExpertWidth),
    ("sharedffn", ParamId::SharedExpertWidth),
    ("firstdense", ParamId::FirstDenseLayers),
    ("kvrank", ParamId::KvRank),
    ("qrank", ParamId::QueryRank),
    ("nope", ParamId::NopeHeadDim),
    ("rope", ParamId::RopeHeadDim),
    ("vdim", ParamId::ValueHeadDim),
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

/// Sets the program's default counts, where no file states one of that kind.
fn usual_counts(table: &Table, keys: &Keys, draft: &mut Draft) {
    for (key, value) in &table.usual.0 {
        // A count that a file leaves open (`devices: auto`) stays open.
        if rows_of(table, key, keys).any(|row| row.name.iter().any(|name| keys.peek(name).is_some())) {
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
fn usual_count(key: &str, count: u32) -> KeyedValue<u32> {
    KeyedValue { value: count, file: NO_FILE, key: key.to_owned(), shown: count.to_string() }
}

/// Returns the rows of one meaning whose conditions a file meets.
fn rows_of<'a>(table: &'a Table, is: &'a str, keys: &'a Keys) -> impl Iterator<Item = &'a Row> {
    table.rows.iter().filter(move |row| row.is == is && is_met(&row.when, keys))
}

/// Whether keys have the words that a row requires of them.
pub(in crate::run) fn is_met(when: &Rows<Vec<String>>, keys: &Keys) -> bool {
    when.0.iter().all(|(key, words)| {
        let names = spellings(key);
        let found = names.iter().find_map(|name| keys.peek(name)).map(|text| text.to_ascii_lowercase());
        let has = found.is_some() || names.iter().any(|name| keys.has(name));
        let is_it = |word: &str| match (word, &found) {
            ("unset", _) => !has,
            ("set", _) => has,
            (word, Some(found)) if word.starts_with('>') => word
                .get(1..)
                .and_then(|least| least.parse::<f64>().ok())
                .zip(found.parse::<f64>().ok())
                .is_some_and(|(least, found)| found > least),
            (word, found) => found.as_ref().is_some_and(|found| is_word(word, found) || switch(found) == Some(word)),
        };
        // `!full`: any other word, or no key; `>1`: a larger number.
        words.iter().any(|word| word.strip_prefix('!').map_or_else(|| is_it(word), |not| !is_it(not)))
    })
}

/// Returns the meaning of a file's word for a row.
fn said_by<'a>(row: &'a Row, keys: &Keys) -> Option<&'a Meaning> {
    let word = row.name.iter().find_map(|name| keys.peek(name))?.to_ascii_lowercase();
    meaning(row, &word)
}

fn meaning<'a>(row: &'a Row, word: &str) -> Option<&'a Meaning> {
    let is_number = params::find(&row.is).is_some_and(|param| matches!(param.kind, ParamKind::Number(_)));
    let switch = switch(word).filter(|_| !is_number);
    find_word(&row.values, word).or_else(|| row.values.get(switch?))
}

/// Returns the tables' word for a switch that a file spells differently.
fn switch(word: &str) -> Option<&'static str> {
    match word {
        "yes" | "on" | "1" | "y" | "t" => Some("true"),
        "no" | "off" | "0" | "n" | "f" => Some("false"),
        _ => None,
    }
}

/// Returns the value of a word in a table: by the word itself, else by the first matching pattern.
fn find_word<'a, V>(words: &'a Rows<V>, word: &str) -> Option<&'a V> {
    let by_pattern = || words.0.iter().find_map(|(pattern, value)| is_word(pattern, word).then_some(value));
    words.get(word).or_else(by_pattern)
}

/// Whether a word of a table matches a word of a file: `*` matches anything, `#` any number.
fn is_word(pattern: &str, word: &str) -> bool {
    if pattern == "#" {
        return word.parse::<f64>().is_ok();
    }
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == word };
    let Some(mut left) = word.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, behind)) = left.split_once(part) else { return false };
        left = behind;
    }
    left.ends_with(end)
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
        draft.contradict(said.clone());
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

/// Sets a value without a key of its own: a default of the program, or a consequence of another
/// key.
fn put_besides(key: &str, value: &str, draft: &mut Draft) {
    match key {
        "micro" => draft.batch.default_micro_batch = value.parse().unwrap_or(1),
        "gpus" if value == "1" => draft.world.is_single = true,
        "micro_tokens" => draft.batch.default_micro_tokens = value.parse().ok(),
        // Counts follow from all files.
        "accum" | "global" | "gpus" | "nodes" | "per_node" => {}
        _ => {
            let of_shape = key.strip_prefix("shape.");
            if of_shape.is_some() {
                described(draft);
            }
            let key = of_shape.and_then(shape_key).unwrap_or(if key == "length" { "seq" } else { key });
            // A test checks that all are keys of links.
            let _ = put(&mut draft.scenario, key, value);
            draft.has_length |= key == "seq";
            draft.has_strategy |= key == "strategy";
        }
    }
}

/// Returns the link's key of a part of a shape.
pub(in crate::run) fn shape_key(part: &str) -> Option<&'static str> {
    SHAPE.iter().find_map(|(name, id)| (*name == part).then(|| id.key()))
}

/// Makes the model a custom shape, described by numbers.
fn described(draft: &mut Draft) {
    if !matches!(draft.scenario.model, Model::Custom { .. }) || !draft.has_model {
        draft.scenario.model = Model::Custom { architecture: CUSTOM_SHAPE };
        draft.has_model = true;
    }
}

/// Whether a word that a row does not list cannot be a number or a name of that row either.
fn is_word_only(row: &Row, word: &str) -> bool {
    if matches!(row.is.as_str(), "model" | "attention" | "optimizer") {
        return false;
    }
    let is_number = params::find(&row.is).is_none_or(|param| matches!(param.kind, ParamKind::Number(_)));
    !is_number || word.parse::<f64>().is_err()
}

/// Whether a value enables a feature: `true`, a number above one, a name.
fn is_on(word: &str) -> bool {
    match word.parse::<f64>() {
        Ok(number) => number > 1.0,
        Err(_) => !matches!(word, "" | "false" | "no" | "off" | "none" | "null" | "disabled"),
    }
}

/// Sets a parameter of links, or the value behind one of the reader's own names.
fn set(key: &str, value: &str, found: &KeyedValue<String>, draft: &mut Draft) {
    if key.starts_with("shape.") {
        put_besides(key, value, draft);
        return draft.record(found, "The model's shape");
    }
    match (key, params::find(key).map(|param| param.id)) {
        ("dtype", _) => draft.set_option_from(found, ParamId::Recipe, value),
        ("zero", _) => zero(&found.with(value.to_owned()), draft),
        ("optimizer", Some(id)) if id == ParamId::Optimizer && !is_option(id, value) => {
            shared::optimizer(Some(found.with(value.to_owned())), draft);
        }
        ("attention", _) => shared::attention(Some(found.with(value.to_owned())), draft),
        ("model", _) => draft.model_called(found, value),
        ("seq", _) => draft.length(value.parse().ok().map(|tokens: u32| found.with(tokens))),
        ("mbs" | "accum" | "gpus", _) | (_, None) => {
            if let Ok(count) = value.parse::<u32>() {
                count_of(key, Some(found.with(count)), draft);
            }
        }
        (_, Some(id)) => match id.param().kind {
            ParamKind::Choice(_) => draft.set_option_from(found, id, value),
            ParamKind::Number(_) => {
                draft.number(value.parse().ok().map(|number: f64| found.with(number)), id);
            }
        },
    }
    if key == "strategy" {
        draft.has_strategy = true;
    }
}

fn is_option(id: ParamId, value: &str) -> bool {
    id.param().choice().is_some_and(|choice| choice.options.iter().any(|option| option.key == value))
}

/// Reads a key whose words are not listed in the table.
fn own(
    table: &'static Table,
    row: &Row,
    names: &[&str],
    found: &KeyedValue<String>,
    keys: &mut Keys,
    draft: &mut Draft,
) {
    match row.is.as_str() {
        "model" => model(table, &found.with(stripped(row, &found.value).to_owned()), keys, draft),
        "noted" => draft.record(found, row.meaning()),
        // Composer marks batches by letters: `3195ba`.
        "steps" => match found.value.trim_end_matches("ba").replace('_', "").parse::<f64>() {
            Ok(steps) if steps > 0.0 => draft.batch.steps = Some(found.with(steps)),
            Err(_) if !row.means.is_empty() => draft.record(found, &row.means),
            _ => {}
        },
        "per_device" => draft.batch.per_device = keys.number(names).filter(|found| found.value > 0.0),
        "samples" => draft.batch.samples = keys.number(names),
        "optimizer" => shared::optimizer(Some(found.clone()), draft),
        "attention" => {
            shared::attention(Some(found.with(stripped(row, &found.value.to_ascii_lowercase()).to_owned())), draft);
        }
        "bf16" | "fp16" => half(keys.flag(names), draft),
        "dtype" => draft.record(found, "The format in which the model is loaded"),
        "deepspeed" => {
            let word = found.value.to_ascii_lowercase();
            if is_on(&word) || word == "1" {
                trainer::deepspeed_file(found, draft);
            }
        }
        "zero" => zero(found, draft),
        "adapter_targets" => {
            if let Some(list) = keys.list(names) {
                peft::targets(&list, draft);
            }
        }
        "lora_rank" => {
            draft.number(keys.count(names), ParamId::LoraRank);
        }
        "trained_layers" => {
            let layers = f64::from(draft.scenario.model.architecture().num_hidden_layers);
            let frozen = keys.number(names).map(|trained| trained.map(|trained| (layers - trained).max(0.0)));
            draft.number(frozen, ParamId::FrozenLayers);
        }
        "group_in_micro" => {
            let group = draft.number(keys.count(names), ParamId::Completions).map(|group| group as u32);
            let micro = draft.batch.micro.as_ref().map_or(draft.batch.default_micro_batch, |micro| micro.value);
            if let Some(group) = group.filter(|group| !micro.is_multiple_of(*group)) {
                draft.assume(format!(
                    "A micro-batch of {micro} is no multiple of {group} completions: {} raises it to them.",
                    table.name
                ));
                draft.batch.micro = Some(found.with(micro.next_multiple_of(group)));
            }
        }
        "continues" => {
            draft.record(found, "The file that this one continues");
            if draft.names.iter().any(|name| is_named(name, &found.value)) {
                return;
            }
            let name = shortened(&found.value);
            // The other file has the algorithm if this one has no section of it.
            let sections = [("grpo", "grpo"), ("dapo", "grpo"), ("dpo", "dpo"), ("ppo", "ppo"), ("rm", "rm")];
            let file = found.value.rsplit('/').next().unwrap_or_default();
            let of_file = sections.iter().find(|(word, _)| file.starts_with(word));
            if of_file.is_some_and(|(_, section)| !keys.has(section)) {
                draft.not_read(found, "this file continues that one, so give it too");
                return;
            }
            draft.assume(format!(
                "What {name} says, which this file continues, is not read here: {}'s defaults.",
                table.name
            ));
        }
        "layers_per_stage" | "prompt_length" | "answer_length" | "global_tokens" | "micro_tokens" | "local_tokens"
        | "prompts" => {}
        name => set_parameter(name, row, names, found, keys, draft),
    }
}

/// Sets the parameter of a name: a switch, a count or a number in the row's unit.
fn set_parameter(
    name: &str,
    row: &Row,
    names: &[&str],
    found: &KeyedValue<String>,
    keys: &mut Keys,
    draft: &mut Draft,
) {
    match params::find(name).map(|param| (param.id, param.kind)) {
        Some((id, ParamKind::Choice(_))) => match keys.flag(names) {
            Some(flag) => {
                draft.set_flag(Some(flag), id);
            }
            None => draft.unknown(found, id),
        },
        Some((ParamId::SequenceLength, _)) => {
            let factor = factor(row, keys).unwrap_or(1.0);
            let scaled = |length: u32| (f64::from(length) * factor).clamp(1.0, f64::from(u32::MAX)) as u32;
            draft.length(keys.count(names).map(|length| length.with(scaled(length.value))));
        }
        Some((ParamId::MicroBatchSize | ParamId::GradAccumSteps | ParamId::Gpus, _)) | None => {
            let is_alone = row.part.is_empty() && row.scale.is_none() && row.times.is_empty() && row.over.is_empty();
            let of_several = |keys: &mut Keys| {
                let number = number_of(row, names, keys).filter(|number| number.value >= 1.0)?;
                Some(number.map(|number| number.round() as u32))
            };
            let count = if is_alone { keys.count(names) } else { of_several(keys) };
            count_of(name, count, draft);
        }
        Some((id, ParamKind::Number(_))) => {
            let number = number_of(row, names, keys);
            // -1 and 0 leave the value to the program.
            let min = id.param().number().map_or(0.0, |number| number.min);
            draft.number(number.filter(|number| number.value > 0.0 || number.value >= min), id);
        }
    }
}

/// Returns the number of a key, in the row's unit.
fn number_of(row: &Row, names: &[&str], keys: &mut Keys) -> Option<KeyedValue<f64>> {
    let found = if row.part.is_empty() {
        keys.number(names)
    } else {
        keys.text(names).and_then(|found| Some(found.with(part(&row.part, &found.value)?)))
    };
    let factor = factor(row, keys)?;
    Some(found?.map(|number| (number * factor * 1e9).round() / 1e9))
}

/// Returns the number of a word like `megatron:d4p2t8` that a row reads.
fn part(part: &str, word: &str) -> Option<f64> {
    if part == "#" {
        let (first, _) = word.split_once('+').unwrap_or((word, ""));
        return Some(first.split(|letter: char| !letter.is_ascii_digit()).flat_map(str::parse::<f64>).product());
    }
    let (before, letters) = part.rsplit_once('*').unwrap_or(("", part));
    let (_, rest) = word.split_once(before)?;
    rest.split(letters).skip(1).find_map(|behind| {
        let end = behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len());
        behind.get(..end)?.parse().ok()
    })
}

/// Returns the factor of a number; `None` if a key of the divisor is missing.
fn factor(row: &Row, keys: &mut Keys) -> Option<f64> {
    let mut factor = row.scale.unwrap_or(1.0);
    for key in &row.times {
        factor *= keys.number(&spellings(key)).map_or(1.0, |number| number.value);
    }
    for key in &row.over {
        factor /= keys.number(&spellings(key)).filter(|number| number.value > 0.0)?.value;
    }
    Some(factor)
}

/// Returns the spellings of a key, `a|b`.
fn spellings(key: &str) -> Vec<&str> {
    key.split('|').collect()
}

/// Records a count from which the batch, the length or the GPUs follow.
fn count_of(name: &str, found: Option<KeyedValue<u32>>, draft: &mut Draft) {
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

fn model(table: &'static Table, found: &KeyedValue<String>, keys: &Keys, draft: &mut Draft) {
    // A folder with a checkpoint has the name of the model.
    let name = found.value.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".yaml").unwrap_or(name);
    let is_it = |(own, _): &&(String, String)| own.eq_ignore_ascii_case(&found.value) || own.eq_ignore_ascii_case(name);
    if let Some((_, known)) = table.models.0.iter().find(is_it) {
        draft.model_called(found, known);
    } else if model_named(name).is_none() && keys_of(table, "shape.layers", keys).iter().any(|key| keys.has(key)) {
        draft.record(found, "A model that the file describes");
    } else {
        draft.model_named(&found.with(found.value.strip_suffix(".yaml").unwrap_or(&found.value).to_owned()));
    }
}

/// Removes the endings of a row from a value.
fn stripped<'a>(row: &Row, value: &'a str) -> &'a str {
    row.strip.iter().fold(value, |value, end| match end.strip_prefix('*') {
        Some(end) => value.rsplit_once(end).map_or(value, |(_, rest)| rest),
        None => value.strip_prefix(end).or_else(|| value.strip_suffix(end)).unwrap_or(value),
    })
}

/// Sets 16-bit precision by a switch: autocast, unless the program has its own policy.
fn half(found: Option<KeyedValue<bool>>, draft: &mut Draft) {
    let Some(found) = found.filter(|found| found.value) else { return };
    if draft.scenario.recipe == engine::model::training::PrecisionPolicy::Fp32 {
        draft.set_option_from(&found, ParamId::Recipe, "autocast");
    } else {
        draft.sixteen_bits(&found);
        draft.record(&found, "Products in 16 bits");
    }
}

/// Sets DeepSpeed's stage from a number.
fn zero(found: &KeyedValue<String>, draft: &mut Draft) {
    let option = match found.value.trim() {
        "0" => "ddp",
        "1" => "zero1",
        "2" => "zero2",
        "3" => "full-shard",
        _ => return draft.unknown(found, ParamId::Strategy),
    };
    draft.set_option_from(found, ParamId::Strategy, option);
    draft.has_strategy = true;
    if option != "ddp" {
        trainer::under_zero(draft);
    }
}

/// Returns the spellings of the keys of one meaning whose conditions a file meets.
fn keys_of(table: &'static Table, is: &str, keys: &Keys) -> Vec<&'static str> {
    let rows = table.rows.iter().filter(|row| row.is == is && is_met(&row.when, keys));
    rows.flat_map(|row| row.name.iter().map(String::as_str)).collect()
}

/// Sets the model by the numbers of its shape, if no name leads to a model; returns whether a shape
/// was found.
fn shape(table: &'static Table, keys: &mut Keys, draft: &mut Draft) -> bool {
    let mut number = |part: &str| {
        let is = format!("shape.{part}");
        let rows: Vec<&Row> = table.rows.iter().filter(|row| row.is == is && is_met(&row.when, keys)).collect();
        let row = rows.into_iter().rev().find(|row| row.name.iter().any(|name| keys.peek(name).is_some()))?;
        let names: Vec<&str> = row.name.iter().map(String::as_str).collect();
        let multiple = keys.count(&[row.multiple_of.as_str()]).map_or(1, |found| found.value);
        let factor = factor(row, keys)?;
        // Clamped to the bounds of a shape; the model is checked as a whole afterwards.
        keys.number(&names).filter(|found| found.value > 0.0).map(|found| {
            let scaled = (found.value * factor).round();
            found.with((scaled.clamp(1.0, 16_777_216.0) as u32).div_ceil(multiple).saturating_mul(multiple))
        })
    };
    let Some(layers) = number("layers") else { return false };
    let mut arch = CUSTOM_SHAPE;
    let usual = |part: &str| -> Option<u32> { table.usual.get(&format!("shape.{part}"))?.to_string().parse().ok() };
    let mut within = |part: &str, other: u32, most: u32| {
        let value = number(part).map_or_else(|| usual(part).unwrap_or(other), |found| found.value);
        value.clamp(1, most)
    };
    arch.num_hidden_layers = layers.value.min(2048);
    arch.hidden_size = within("hidden", 4096, 262_144);
    arch.num_attention_heads = within("heads", 32, 4096);
    arch.num_key_value_heads = within("kv", arch.num_attention_heads, 4096);
    arch.head_dim = within("headdim", (arch.hidden_size / arch.num_attention_heads).max(1), 262_144);
    arch.intermediate_size = within("ffn", arch.hidden_size.saturating_mul(4), 2_097_152);
    arch.vocab_size = within("vocab", 50_304, 16_777_216);
    draft.scenario.model = Model::Custom { architecture: arch };
    draft.has_model = true;
    draft.names_unknown_model = false;
    draft.record(&layers, format!("A model of {} layers and H = {}", arch.num_hidden_layers, arch.hidden_size));
    let mut is_mixture = false;
    for (part, id) in SHAPE.iter().skip(7) {
        let found = number(part);
        is_mixture |= *id == ParamId::Experts && found.is_some();
        let width = (*id == ParamId::ExpertWidth).then_some(arch.intermediate_size);
        match usual(part).or(width) {
            Some(usual) if found.is_none() && is_mixture => draft.set_number(*id, f64::from(usual)),
            _ => drop(draft.number(found, *id)),
        }
    }
    true
}

/// Sets lengths that are sums, and a batch in tokens.
fn lengths(table: &'static Table, keys: &mut Keys, is_said: bool, draft: &mut Draft) {
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
        let is_read = |row: &&Row| {
            row.is == is && is_met(&row.when, keys) && row.name.iter().any(|name| keys.peek(name).is_some())
        };
        let row = table.rows.iter().rfind(is_read)?;
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
