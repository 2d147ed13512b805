//! Sets parameters of a scenario from text.

use super::pairs::unknown_key;
use super::spelling;
use catalog::names::model_named;
use engine::nearest::did_you_mean;
use engine::params::quantity::{nearest, parse, shorten, with_unit};
use engine::params::{self, Choice, Number, Param, ParamId, ParamKind};
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue};

/// Sets a parameter of a scenario under its key of links. Returns the issue if the value is wrong.
pub(super) fn set_by_key(scenario: &mut Scenario, key: &str, typed: &str) -> Option<Issue> {
    match params::find(key) {
        Some(param) if !params::is_held(param, scenario) && param.id != ParamId::ModelSize => {
            Some(of_custom_model(param.key, &shorten(&format!("{key}={typed}"))))
        }
        Some(param) => set(param, typed, scenario),
        None => Some(unknown_key(key, typed)),
    }
}

/// Returns the issue that a pair describes a custom model, which the scenario does not have.
pub(super) fn of_custom_model(key: &'static str, pair: &str) -> Issue {
    let message = format!("“{pair}” describes a custom model, which a link marks with model=custom.");
    Issue::note(key, message).left_out()
}

/// Sets one parameter from text. An invalid text sets the nearest valid value and returns an issue.
pub fn set(param: &Param, typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    match &param.kind {
        // Links keep this bound in a place of its own, as it depends on the model.
        ParamKind::Number(number) => set_number(param, &number.within(scenario), typed, scenario),
        ParamKind::Choice(choice) => set_choice(param, choice, typed, scenario),
    }
}

/// Sets one parameter that a link holds from text, within the bounds of links.
pub(super) fn set_held(param: &Param, typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    match &param.kind {
        ParamKind::Number(number) => set_number(param, number, typed, scenario),
        ParamKind::Choice(choice) => set_choice(param, choice, typed, scenario),
    }
}

/// Sets the teacher of a distillation to a model of the catalog; returns whether the text names
/// one.
fn set_teacher(typed: &str, scenario: &mut Scenario) -> bool {
    let Some(entry) = model_named(typed).map(|named| named.entry) else { return false };
    let (size, active) = (entry.params as f64, entry.architecture.active_params() as f64);
    (scenario.objective.teacher.size, scenario.objective.teacher.active) =
        (size, if entry.architecture.has_experts() { active } else { 0.0 });
    true
}

fn set_number(param: &Param, number: &Number, typed: &str, scenario: &mut Scenario) -> Option<Issue> {
    let current = (number.get)(scenario);
    match parse(param.label, number, typed, current) {
        Ok(value) => {
            (number.set)(scenario, value);
            None
        }
        Err(_) if param.id == ParamId::TeacherSize && set_teacher(typed, scenario) => None,
        Err(error) => {
            // An unchanged value is not set again, which could change its last bit.
            if error.nearest != nearest(number, current, number.min) {
                (number.set)(scenario, error.nearest);
            }
            let used = with_unit(number.unit, error.nearest);
            Some(Issue::error(param.key, error.message).uses(used))
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
        "“{}” is not one of the options of {} ({}).{}",
        shorten(typed),
        param.label,
        options.join(", "),
        did_you_mean(&spelling::values_near(param.key, typed))
    );
    Some(Issue::error(param.key, message).uses(used).because(Cause::UnknownName))
}
