//! Whether every parameter is within its bounds.

use super::quantity::{is_valid, nearest, with_unit};
use super::{Group, Kind, Number, Param, ParamId, every};
use crate::digits::rounded;
use crate::scenario::issue::Issue;
use crate::scenario::{Model, Scenario};

/// Everything that is wrong with a scenario: each parameter out of its bounds, in the table's order, and then what does not
/// go together, which is [`Scenario::issues`].
pub fn issues(scenario: &Scenario) -> Vec<Issue> {
    let held = every().filter(|param| is_held(param, scenario));
    held.filter_map(|param| issue(param, scenario)).chain(scenario.issues()).collect()
}

/// Whether the scenario itself holds the row's value: the size of a named model follows from its shape, and the shape from
/// the size on the ladder.
pub fn is_held(param: &Param, scenario: &Scenario) -> bool {
    let of_custom = param.group == Group::Architecture;
    match scenario.model {
        Model::Ladder { .. } => !of_custom,
        Model::Custom { .. } => param.id != ParamId::ModelSize,
        Model::Preset { .. } => param.id != ParamId::ModelSize && !of_custom,
    }
}

/// Whether a number is within its bounds. A choice always is.
pub fn is_within_bounds(param: &Param, scenario: &Scenario) -> bool {
    issue(param, scenario).is_none()
}

fn issue(param: &Param, scenario: &Scenario) -> Option<Issue> {
    let Kind::Number(number) = param.kind else { return None };
    let value = (number.get)(scenario);
    // A percentage that was stored as a fraction comes back within rounding of its bound.
    if is_valid(&number, value) || is_valid(&number, tidy(value)) {
        return None;
    }
    Some(Issue::error(param.id, sentence(param.label, &number, value)))
}

/// A value without the last digits, which conversions between units leave behind.
fn tidy(value: f64) -> f64 {
    rounded(value, 15)
}

fn sentence(label: &str, number: &Number, value: f64) -> String {
    let [min, max, is, enter] =
        [number.min, number.max, value, nearest(number, value, number.min)].map(|value| with_unit(number.unit, value));
    if value.is_nan() {
        format!("{label} must be a number from {min} to {max}: enter one.")
    } else if value < number.min || value > number.max {
        format!("{label} must be between {min} and {max}, not {is}: enter {enter}.")
    } else {
        format!("{label} must be a whole number, not {is}: enter {enter}.")
    }
}
