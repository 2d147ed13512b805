//! Describes the interpretation of a span in words.

use catalog::names::usual_node;
use catalog::releases::find;
use catalog::{accelerator, cluster, model};
use engine::format;
use engine::params::quantity::{group_thousands, parse, with_unit};
use engine::params::{self, ParamId, ParamKind, Unit};
use links::v1;

use crate::words::DESCRIPTIONS;

/// Describes pairs of keys and values, separated by commas.
pub(crate) fn describe_pairs(pairs: &[(String, String)]) -> String {
    let parts = pairs.iter().filter_map(|(key, value)| part(key, value));
    let mut said: Vec<String> = Vec::new();
    for part in parts {
        if !said.contains(&part) {
            said.push(part);
        }
    }
    said.join(", ")
}

fn part(key: &str, value: &str) -> Option<String> {
    let number = || value.parse::<f64>().unwrap_or_default();
    let of_entry = |name: Option<&'static str>| Some(name.unwrap_or_default().to_owned());
    match key {
        v1::MODEL_KEY => of_entry(model(value).map(|entry| entry.name)),
        "teacher" => {
            let size = number_of("teacher", value).map(format::params);
            model(value).map(|entry| entry.name.to_owned()).or(size).map(|name| format!("Teacher: {name}"))
        }
        v1::CLUSTER_KEY => of_entry(cluster(value).map(|entry| entry.name)),
        "hw" | v1::GPU_KEY => of_entry(accelerator(value).map(|entry| entry.name)),
        v1::RELEASE_KEY => find(value).map(engine::scenario::release::Release::full_name),
        v1::GPUS_KEY => Some(format::gpus(number() as u32)),
        "batchtokens" => Some(format!("a global batch of {}", format::tokens(number()))),
        "card" => Some(format!("{} of memory on each GPU", with_unit(Unit::Gib, number()))),
        // Small models have sizes below those of the parameter, which is of the GPT-style models.
        "size" => {
            let size = number_of("size", value).map(format::params);
            size.map(|size| format!("{}: {size}", ParamId::ModelSize.param().label))
        }
        "quantized" => part("base", value),
        "ask.budget" => Some(format!("a budget of {}", format::dollars(number()))),
        _ => described(key, value).or_else(|| parameter(key, value)),
    }
}

/// Describes a key that is no parameter by its row.
fn described(key: &str, value: &str) -> Option<String> {
    let is_own =
        |row: &str| row.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('=') == Some(value));
    let (_, says) = DESCRIPTIONS.iter().find(|(row, _)| is_own(row))?;
    let Some((before, rest)) = says.split_once('{') else { return Some((*says).to_owned()) };
    let (noun, after) = rest.split_once('}')?;
    Some(format!("{before}{}{after}", counted(value, noun)))
}

/// Describes a parameter and its value by label.
fn parameter(key: &str, value: &str) -> Option<String> {
    let param = params::find(key)?;
    Some(format!("{}: {}", param.label, value_of(param, value)))
}

/// Formats the value of a parameter as the page does.
pub(crate) fn value_of(param: &params::Param, value: &str) -> String {
    match &param.kind {
        ParamKind::Number(number) => {
            let read = parse(param.label, number, value, number.min);
            read.map_or_else(|_| value.to_owned(), |read| with_unit(number.unit, read))
        }
        ParamKind::Choice(choice) => {
            let option = choice.options.iter().find(|option| option.key == value);
            option.map_or_else(|| value.to_owned(), |option| option.label.to_owned())
        }
    }
}

/// Formats a count with a noun.
pub(crate) fn counted(value: &str, what: &str) -> String {
    let end = if value == "1" { "" } else { "s" };
    format!("{} {what}{end}", group_thousands(value))
}

/// Returns the number that a value of a parameter stands for, to compare different notations.
pub(crate) fn number_of(key: &str, value: &str) -> Option<f64> {
    let number = params::find(key).and_then(params::Param::number);
    // Values outside the bounds are numbers, too; an error follows when the value is set.
    let unbound = number.map(|number| params::Number { min: 0.0, max: f64::MAX, ..*number });
    let read = unbound.and_then(|number| parse("", &number, value, number.min).ok());
    read.or_else(|| value.parse().ok())
}

/// Returns the usual cluster of a GPU.
pub(crate) fn cluster_of(gpu: &str) -> Option<&'static str> {
    usual_node(gpu).map(|entry| entry.id)
}
