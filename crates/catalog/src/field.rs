//! The text of a typed field, where a named model's size is the published one.

use engine::digits::rounded;
use engine::params::quantity::{exact, text};
use engine::params::{Number, Unit};
use engine::scenario::{Model, Scenario};

/// Significant digits of a typed field at most: beyond them lies the rounding of units.
const FIELD_DIGITS: usize = 12;

/// Writes the text of a parameter's typed field, without the unit: the shortest text that sets
/// exactly the scenario's value, at most twelve digits. The size of a named model is the published
/// one: `671B`.
pub fn field_text(number: &Number, scenario: &Scenario) -> String {
    let value = (number.get)(scenario);
    if number.unit == Unit::Params && !matches!(scenario.model, Model::Ladder { .. } | Model::Scaled { .. }) {
        return model_size(&scenario.model);
    }
    text(number.unit, rounded(exact(number, scenario).unwrap_or(value), FIELD_DIGITS))
}

/// Writes the size of a model: as it is published, else with three digits.
pub fn model_size(model: &Model) -> String {
    let rounded = || text(Unit::Params, rounded(model.size(), 3));
    match model {
        Model::Preset { id, .. } => crate::model(id).map_or_else(rounded, crate::ModelEntry::size),
        Model::Ladder { .. } | Model::Scaled { .. } | Model::Custom { .. } => rounded(),
    }
}
