//! What a scenario is measured against: the first visit's scenario with the catalog entries that were picked. Behind values of
//! the user's own stands what they were made from.

use crate::catalog;
use crate::catalog::pick;
use crate::model::transformer::Architecture;
use crate::params::{ARCHITECTURE, Group, Kind, Param, ParamId};
use crate::scenario::{CUSTOM, Model, Scenario};

/// The scenario in which every parameter stands at its preset.
pub fn preset_of(scenario: &Scenario) -> Scenario {
    let mut preset = catalog::default_scenario();
    // The cluster first: it brings its GPU and the size of a shard group.
    pick::pick_cluster(&mut preset, scenario.network.id);
    match scenario.model {
        Model::Preset { id, .. } => {
            if let Some(entry) = catalog::model(id) {
                preset.model = entry.pick();
            }
        }
        Model::Custom { architecture } => preset.model = nearest(&architecture),
        Model::Ladder { .. } => {}
    }
    if let Some(entry) = catalog::accelerator(scenario.accelerator.id) {
        preset.accelerator = entry.pick();
    }
    preset
}

/// The preset of a scenario that has just become another: what the user's own values were made from stays what it was.
pub fn following(scenario: &Scenario, before: &Scenario) -> Scenario {
    // A model of the user's own is not looked up in the catalog again.
    let named = Scenario { model: before.model, ..*scenario };
    let is_custom = matches!(scenario.model, Model::Custom { .. });
    let mut preset = preset_of(if is_custom { &named } else { scenario });
    if is_custom {
        preset.model = before.model;
    }
    if scenario.accelerator.id == CUSTOM {
        preset.accelerator = before.accelerator;
    }
    if scenario.network.id == CUSTOM {
        (preset.network, preset.shard_size) = (before.network, before.shard_size);
    }
    preset
}

/// The catalog's model that differs from a shape in the fewest rows, where those are few; else the shape itself.
fn nearest(shape: &Architecture) -> Model {
    /// As many rows may differ.
    const FEW: usize = 3;
    let own = Scenario { model: Model::Custom { architecture: *shape }, ..catalog::default_scenario() };
    let mut found = (FEW + 1, own.model);
    for entry in catalog::MODELS {
        // Whoever changes a model seldom changes its width.
        if entry.architecture.hidden_size != shape.hidden_size {
            continue;
        }
        let other = Scenario { model: entry.pick(), ..own };
        let differing = ARCHITECTURE.iter().filter(|param| is_changed(param, &own, &other)).count();
        if differing < found.0 {
            found = (differing, other.model);
        }
    }
    found.1
}

/// Whether a parameter has another value than its preset. The shape of a ladder model follows from its size, which is marked itself.
pub fn is_changed(param: &Param, scenario: &Scenario, preset: &Scenario) -> bool {
    let follows = |scenario: &Scenario| matches!(scenario.model, Model::Ladder { .. });
    if param.group == Group::Architecture && param.id != ParamId::ModelSize && follows(scenario) && follows(preset) {
        return false;
    }
    match param.kind {
        Kind::Number(number) => (number.get)(scenario) != (number.get)(preset),
        Kind::Choice(choice) => (choice.get)(scenario) != (choice.get)(preset),
    }
}

/// Puts one parameter back to its preset. A model whose rows are all back is the named one again.
pub fn put_back(param: &Param, scenario: &mut Scenario, preset: &Scenario) {
    if param.id == ParamId::ModelSize {
        // A size alone would make a ladder model of a named one.
        scenario.model = preset.model;
        return;
    }
    match param.kind {
        Kind::Number(number) => (number.set)(scenario, (number.get)(preset)),
        Kind::Choice(choice) => (choice.set)(scenario, (choice.get)(preset)),
    }
    if param.group == Group::Architecture && scenario.model.architecture() == preset.model.architecture() {
        scenario.model = preset.model;
    }
}
