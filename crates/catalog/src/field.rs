//! Text of a typed field; a named model shows its published size.

use engine::digits::rounded;
use engine::params::quantity::{exact, text};
use engine::params::{Number, Unit};
use engine::scenario::{Model, Scenario};

/// Maximum significant digits of a typed field; later digits are rounding of units.
const FIELD_DIGITS: usize = 12;

/// Writes the text of a parameter's typed field, without the unit: the shortest text that sets
/// exactly the scenario's value, with at most twelve digits. A named model shows its published
/// size: `671B`.
pub fn field_text(number: &Number, scenario: &Scenario) -> String {
    let value = (number.get)(scenario);
    if number.unit == Unit::Params && !matches!(scenario.model, Model::Ladder { .. } | Model::Scaled { .. }) {
        return model_size(&scenario.model);
    }
    text(number.unit, rounded(exact(number, scenario).unwrap_or(value), FIELD_DIGITS))
}

/// Writes the size of a model: the published size, else the size with three digits.
pub fn model_size(model: &Model) -> String {
    let rounded = || text(Unit::Params, rounded(model.size(), 3));
    match model {
        Model::Preset { id, .. } => crate::model(id).map_or_else(rounded, crate::ModelEntry::size),
        Model::Ladder { .. } | Model::Scaled { .. } | Model::Custom { .. } => rounded(),
    }
}
