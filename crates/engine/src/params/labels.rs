//! Labels of choices in pickers and tables.

use core::fmt::Write as _;

use super::{Choice, ParamId};
use crate::scenario::Scenario;

/// Returns the picker's label of a strategy, by its index in `Strategy::ALL`.
pub fn strategy(place: usize) -> &'static str {
    label(ParamId::Strategy, |_| place)
}

/// Returns the picker's label of a scenario's recomputation mode.
pub fn recompute(scenario: &Scenario) -> &'static str {
    chosen(ParamId::Recompute, scenario)
}

/// Returns the label of the chosen option in a scenario; empty if the parameter is not a choice.
pub fn chosen(id: ParamId, scenario: &Scenario) -> &'static str {
    label(id, |choice| (choice.get)(scenario))
}

/// Returns the label of an option of a choice in the table of parameters.
fn label(id: ParamId, place: impl FnOnce(&Choice) -> usize) -> &'static str {
    let option = id.param().choice().and_then(|choice| choice.options.get(place(choice)));
    option.map_or("", |option| option.label)
}

/// Names the layout of a scenario: `FSDP FULL_SHARD, tp 2, pp 4`.
pub fn layout(scenario: &Scenario) -> String {
    let mut text = strategy(scenario.strategy.place()).to_owned();
    let mesh = scenario.degrees();
    for (key, degree) in [("tp", mesh.tp), ("cp", mesh.cp), ("pp", mesh.pp), ("ep", mesh.ep)] {
        if degree > 1 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {key} {degree}");
        }
    }
    text
}
