//! Finds stated values that have no effect in a scenario.

use super::v1::{presets, value_text, would_write};
use engine::params::{self, Param, ParamId, ParamKind, every, is_held};
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue};

/// Number of values to each of which a remedy is sought; a text with more states a whole table.
const MOST: usize = 12;

/// Returns a note for each key of `keys` whose value has no effect in the scenario, unless it says
/// that something is off: an option that holds without the key, a switch that is off, a number of
/// 1 or less. A number that holds without the key is meant (`rank=16` without LoRA), unless the
/// text states a whole table, or the choice too that takes its effect (`train=all`). The note names
/// one other choice that gives all these values an effect, or else the value its own.
///
/// ```
/// let decoded = links::decode("model=llama-3-8b&gpus=8&base=nf4&rank=64");
/// let notes = links::without_effect(&decoded.scenario, &decoded.keys);
/// assert_eq!(notes[0].message, "“rank=64” has no effect with train=all: do you mean train=lora?");
/// let decoded = links::decode("model=llama-3-8b&gpus=8&rank=16");
/// assert_eq!(links::without_effect(&decoded.scenario, &decoded.keys).len(), 1);
/// let decoded = links::decode("model=llama-3-8b&gpus=8&bf16=yes");
/// assert!(links::without_effect(&decoded.scenario, &decoded.keys).is_empty());
/// ```
pub fn without_effect(scenario: &Scenario, keys: &[String]) -> Vec<Issue> {
    let stated = |param: &&Param| keys.iter().any(|key| key == param.key);
    let is_idle = |param: &&Param| is_held(param, scenario) && !param.is_shown(scenario) && !is_format(param, scenario);
    let hidden: Vec<&Param> = every().filter(stated).filter(is_idle).collect();
    if hidden.is_empty() {
        return Vec::new();
    }
    let presets = presets(scenario);
    let is_meant = |param: &Param| {
        let value = param.number().map(|number| (number.get)(scenario));
        let is_decided = || remedy(scenario, &[param]).is_some_and(|(other, _)| stated(&other));
        hidden.len() <= MOST && value.is_some_and(|value| value > 1.0) && !is_decided()
    };
    let is_said = |param: &&&Param| would_write(param, scenario, &presets) || is_meant(param);
    let is_on = |param: &&&Param| value_text(param, scenario) != "no";
    let idle: Vec<&Param> = hidden.iter().filter(is_said).filter(is_on).copied().collect();
    let common = remedy(scenario, &idle);
    idle.iter()
        .enumerate()
        .map(|(place, param)| {
            let own = || if place < MOST { remedy(scenario, &[param]) } else { None };
            let value = format!("“{}={}”", param.key, value_text(param, scenario));
            let message = match common.clone().or_else(own) {
                Some((other, meant)) => {
                    let (key, now) = (other.key, value_text(other, scenario));
                    format!("{value} has no effect with {key}={now}: do you mean {key}={meant}?")
                }
                None => format!("{value} has no effect in this run: leave it out."),
            };
            Issue::note(param.key, message).because(Cause::NoEffect)
        })
        .collect()
}

/// Whether the parameter is the 16-bit format of a run in 16 bits. `bf16=True` and `dtype=bf16` set
/// it: it is true of the run, even on a GPU on which both formats cost the same.
fn is_format(param: &Param, scenario: &Scenario) -> bool {
    param.id == ParamId::HalfFormat && (param.applies)(scenario)
}

/// Whether some value of the parameter under `axis` gives the one under `key` an effect.
pub fn may_have_effect(scenario: &Scenario, key: &str, axis: &str) -> bool {
    let params = params::find(key).zip(params::find(axis));
    params.is_none_or(|(param, axis)| variants(axis, scenario).any(|varied| param.is_shown(&varied)))
}

/// Returns the first value of another parameter with which all of the parameters have an effect.
/// Options come before numbers, as they name what a run does.
fn remedy(scenario: &Scenario, idle: &[&Param]) -> Option<(&'static Param, String)> {
    let is_other = |other: &&Param| is_held(other, scenario) && idle.iter().all(|param| param.id != other.id);
    let (options, numbers): (Vec<_>, Vec<_>) = every().filter(is_other).partition(|other| other.choice().is_some());
    let gives = |varied: &Scenario| idle.iter().all(|param| param.is_shown(varied));
    options.into_iter().chain(numbers).find_map(|other| {
        let varied = variants(other, scenario).find(gives)?;
        Some((other, value_text(other, &varied)))
    })
}

/// Returns the scenario with each option of a choice, or with a few values of a count: an effect
/// begins where something is split at all.
fn variants<'a>(param: &'a Param, scenario: &'a Scenario) -> impl Iterator<Item = Scenario> + 'a {
    let values = match &param.kind {
        ParamKind::Choice(choice) => choice.options.len(),
        ParamKind::Number(number) if number.integer => 3,
        ParamKind::Number(_) => 0,
    };
    (0..values).map(|value| {
        let mut varied = *scenario;
        match &param.kind {
            ParamKind::Choice(choice) => (choice.set)(&mut varied, value),
            ParamKind::Number(number) => (number.set)(&mut varied, value as f64),
        }
        varied
    })
}
