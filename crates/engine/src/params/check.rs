//! Checks the bounds of every parameter.

use super::quantity::{is_valid, nearest, with_unit};
use super::{Group, Number, Param, ParamId, ParamKind};
use crate::digits::rounded;
use crate::scenario::issue::Issue;
use crate::scenario::{Model, Scenario};

/// Whether the scenario stores the parameter itself: the size of a named model follows from its
/// shape, and the shape of a ladder model from its size.
pub fn is_held(param: &Param, scenario: &Scenario) -> bool {
    let of_custom = param.group == Group::Architecture;
    match scenario.model {
        Model::Ladder { .. } => !of_custom,
        Model::Custom { .. } => param.id != ParamId::ModelSize,
        // Links store the size of a scaled model under a separate key.
        Model::Preset { .. } | Model::Scaled { .. } => param.id != ParamId::ModelSize && !of_custom,
    }
}

/// Whether a number is within its bounds; always true for a choice.
pub fn is_within_bounds(param: &Param, scenario: &Scenario) -> bool {
    issue(param, scenario).is_none()
}

pub(crate) fn issue(param: &Param, scenario: &Scenario) -> Option<Issue> {
    let ParamKind::Number(number) = param.kind else { return None };
    let value = (number.get)(scenario);
    // A percentage stored as a fraction may miss its bound by a rounding error.
    if is_valid(&number, value) || is_valid(&number, tidy(value)) {
        return None;
    }
    Some(Issue::error(param.id, sentence(param.label, &number, value)))
}

/// Rounds away the last digits, where unit conversions leave errors.
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
