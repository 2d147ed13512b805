//! Values that rows set: parameters of links, and names of the reader's own.

use catalog::names::model_named;
use engine::params::{self, ParamId, ParamKind};
use links::put;

use super::counts::count_of;
use super::numbers::{factor, number_of};
use super::shape::{described, shape_key};
use super::words::{is_on, keys_of};
use crate::run::draft::Draft;
use crate::run::formats::{peft, shared, trainer};
use crate::run::keys::{KeyedValue, Keys};
use crate::run::named::is_named;
use crate::run::spelling::shortened;
use programs::keys::{Row, Table};

/// Sets a value without a key of its own: a default of the program, or a consequence of another
/// key.
pub(super) fn put_besides(key: &str, value: &str, draft: &mut Draft) {
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

/// Sets a parameter of links, or the value behind one of the reader's own names.
pub(super) fn set(key: &str, value: &str, found: &KeyedValue<String>, draft: &mut Draft) {
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

pub(super) fn is_option(id: ParamId, value: &str) -> bool {
    id.param().choice().is_some_and(|choice| choice.options.iter().any(|option| option.key == value))
}

/// Reads a key whose words are not listed in the table.
pub(super) fn own(
    table: &'static Table,
    row: &Row,
    names: &[&str],
    found: &KeyedValue<String>,
    keys: &mut Keys,
    draft: &mut Draft,
) {
    match row.is.as_str() {
        "model" => model(table, &found.with(stripped(row, &found.value).to_owned()), keys, draft),
        "teacher" => draft.teacher_called(&found.with(stripped(row, &found.value).to_owned())),
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
pub(super) fn set_parameter(
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

pub(super) fn model(table: &'static Table, found: &KeyedValue<String>, keys: &Keys, draft: &mut Draft) {
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
pub(super) fn stripped<'a>(row: &Row, value: &'a str) -> &'a str {
    row.strip.iter().fold(value, |value, end| match end.strip_prefix('*') {
        Some(end) => value.rsplit_once(end).map_or(value, |(_, rest)| rest),
        None => value.strip_prefix(end).or_else(|| value.strip_suffix(end)).unwrap_or(value),
    })
}

/// Sets 16-bit precision by a switch: autocast, unless the program has its own policy.
pub(super) fn half(found: Option<KeyedValue<bool>>, draft: &mut Draft) {
    let Some(found) = found.filter(|found| found.value) else { return };
    if draft.scenario.recipe == engine::model::training::PrecisionPolicy::Fp32 {
        draft.set_option_from(&found, ParamId::Recipe, "autocast");
    } else {
        draft.sixteen_bits(&found);
        draft.record(&found, "Products in 16 bits");
    }
}

/// Sets DeepSpeed's stage from a number.
pub(super) fn zero(found: &KeyedValue<String>, draft: &mut Draft) {
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
