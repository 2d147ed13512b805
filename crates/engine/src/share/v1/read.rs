//! Pairs to scenario.

use super::{
    CLUSTER_KEY, CUSTOM_SHAPE, GPU_KEY, MODEL_KEY, REQUIRED_OF_A_SHAPE, REVISION_KEY, VERSION_KEY, start,
    with_derived_heads,
};
use crate::catalog::pick::{LADDER, pick_accelerator, pick_cluster, pick_model};
use crate::catalog::{self, revisions::first};
use crate::params::quantity::{nearest, parse, shorten, with_unit};
use crate::params::{Choice, Kind, Number, Param, ParamId, every, find, is_held};
use crate::scenario::issue::{Issue, Severity};
use crate::scenario::{CUSTOM, Model, Scenario};
use crate::share::pairs::{Pairs, stray};

/// The keys that are not parameters.
pub(super) const OTHER_KEYS: [&str; 5] = [VERSION_KEY, REVISION_KEY, CLUSTER_KEY, GPU_KEY, MODEL_KEY];

/// The scenario that the pairs mean, and a sentence for each pair that could not be read.
pub(in crate::share) fn read(pairs: &Pairs, issues: &mut Vec<Issue>) -> Scenario {
    let mut scenario = start();
    let of_the_first = pairs.value(REVISION_KEY).is_some_and(|revision| revision.parse() == Ok(1_u32));
    let restore = |scenario: &mut Scenario| {
        if of_the_first {
            first(scenario);
        }
    };
    restore(&mut scenario);
    presets(pairs, &mut scenario, issues, restore);
    for param in every() {
        let Some(typed) = pairs.value(param.key) else { continue };
        if is_held(param, &scenario) {
            issues.extend(set(param, typed, &mut scenario));
        } else {
            issues.push(not_held(param, typed));
        }
        if matches!(param.id, ParamId::AttentionHeads | ParamId::HiddenSize) {
            derive_heads(&mut scenario);
        }
    }
    issues.extend(unknown(pairs));
    issues.extend(ambiguous(pairs));
    scenario
}

/// Picks cluster, GPU and model, each with the numbers of the link's revision.
fn presets(pairs: &Pairs, scenario: &mut Scenario, issues: &mut Vec<Issue>, restore: impl Fn(&mut Scenario)) {
    let picked = |key: &str| pairs.value(key).map(str::to_ascii_lowercase);
    if let Some(id) = picked(CLUSTER_KEY)
        && !pick_cluster(scenario, &id)
    {
        let used = catalog::cluster(scenario.network.id).map_or(scenario.network.id, |entry| entry.name);
        issues.push(no_preset(CLUSTER_KEY, "cluster", &id, used));
    }
    // Before a GPU of the user's own takes over its numbers.
    restore(scenario);
    if let Some(id) = picked(GPU_KEY)
        && !pick_accelerator(scenario, &id)
    {
        let used = catalog::accelerator(scenario.accelerator.id).map_or(scenario.accelerator.id, |entry| entry.name);
        issues.push(no_preset(GPU_KEY, "GPU", &id, used));
    }
    match picked(MODEL_KEY).as_deref() {
        None | Some(LADDER) => {}
        Some(CUSTOM) => {
            scenario.model = Model::Custom { architecture: CUSTOM_SHAPE };
            let missing =
                REQUIRED_OF_A_SHAPE.into_iter().map(ParamId::param).filter(|param| pairs.value(param.key).is_none());
            issues.extend(missing.map(|param| incomplete(param, scenario)));
        }
        Some(id) => {
            if !pick_model(scenario, id) {
                issues.push(no_preset(MODEL_KEY, "model", id, "the ladder's model of the given size"));
            }
        }
    }
    restore(scenario);
}

/// Heads whose number or width the link does not hold follow from the rest; they come later in the table.
fn derive_heads(scenario: &mut Scenario) {
    if let Model::Custom { architecture } = &mut scenario.model {
        *architecture = with_derived_heads(*architecture);
    }
}

/// Sets one parameter as its text says, or to the nearest valid value with a sentence about it.
pub fn set(param: &Param, typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    match param.kind {
        Kind::Number(number) => set_number(param, &number, typed, scenario),
        Kind::Choice(choice) => set_choice(param, &choice, typed, scenario),
    }
}

fn set_number(param: &Param, number: &Number, typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    let current = (number.get)(scenario);
    match parse(param.label, number, typed, current) {
        Ok(value) => {
            (number.set)(scenario, value);
            None
        }
        Err(error) => {
            // What stays as it is is not set again, which could change its last bit.
            if error.nearest != nearest(number, current, number.min) {
                (number.set)(scenario, error.nearest);
            }
            let used = with_unit(number.unit, error.nearest);
            Some(Issue::error(param.id, format!("{} {used} is used instead.", error.message)))
        }
    }
}

fn set_choice(param: &Param, choice: &Choice, typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    let wanted = typed.to_ascii_lowercase().replace('_', "-");
    if let Some(index) = choice.options.iter().position(|option| option.key == wanted) {
        (choice.set)(scenario, index);
        return None;
    }
    let used = choice.options.get((choice.get)(scenario)).map_or("", |option| option.label);
    let options: Vec<&str> = choice.options.iter().map(|option| option.key).collect();
    let message = format!(
        "“{}” is not one of the options of {} ({}). {used} is used instead.",
        shorten(typed),
        param.label,
        options.join(", ")
    );
    Some(Issue::error(param.id, message))
}

fn no_preset(key: &'static str, what: &str, id: &str, used: &str) -> Issue {
    Issue::error(key, format!("The catalog has no {what} “{}”. {used} is used instead.", shorten(id)))
}

fn incomplete(param: &Param, scenario: &Scenario) -> Issue {
    let used = match param.kind {
        Kind::Number(number) => with_unit(number.unit, (number.get)(scenario)),
        Kind::Choice(_) => "the usual one".to_owned(),
    };
    let message =
        format!("The link's custom model lacks “{}”: the link may have been cut. {used} is used instead.", param.key);
    Issue::error(param.id, message)
}

fn not_held(param: &Param, typed: &str) -> Issue {
    let given = format!("{}={}", param.key, shorten(typed));
    let message = if param.id == ParamId::ModelSize {
        format!("“{given}” was left out: the link names a model, whose size follows from its shape.")
    } else {
        format!("“{given}” was left out: it describes a custom model, which a link marks with model=custom.")
    };
    Issue::note(param.id, message)
}

/// A sentence for each key that means nothing.
fn unknown(pairs: &Pairs) -> impl Iterator<Item = Issue> {
    pairs.pairs.iter().filter(|(key, _)| find(key).is_none() && !OTHER_KEYS.contains(&key.as_str())).map(
        |(key, value)| {
            let given = shorten(&format!("{key}={value}"));
            stray(Severity::Note, format!("“{given}” in the link is not a parameter of this page. It was left out."))
        },
    )
}

/// A sentence for each key with several values.
fn ambiguous(pairs: &Pairs) -> impl Iterator<Item = Issue> {
    let keys = every().map(|param| param.key).chain(OTHER_KEYS);
    keys.filter(|key| pairs.is_ambiguous(key)).map(|key| {
        let last = shorten(pairs.value(key).unwrap_or_default());
        Issue::error(
            key,
            format!("The link holds {key} more than once, with different values. The last one, “{last}”, counts."),
        )
    })
}
