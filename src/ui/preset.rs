//! What a scenario is measured against: the first visit's scenario with the catalog entries that were picked.

use crate::catalog;
use crate::params::{Kind, Param};
use crate::scenario::{Model, Scenario};
use crate::share::pick;

/// The scenario in which every parameter stands at its preset.
pub fn preset_of(scenario: &Scenario) -> Scenario {
    let mut preset = catalog::default_scenario();
    // The cluster first: it brings its GPU and the size of a shard group.
    pick::pick_cluster(&mut preset, scenario.network.id);
    if let Model::Preset { id, .. } = scenario.model
        && let Some(entry) = catalog::model(id)
    {
        preset.model = entry.pick();
    }
    if let Some(entry) = catalog::accelerator(scenario.accelerator.id) {
        preset.accelerator = entry.pick();
    }
    preset
}

/// Whether a parameter has another value than its preset.
pub fn is_changed(param: &Param, scenario: &Scenario, preset: &Scenario) -> bool {
    match param.kind {
        Kind::Number(number) => (number.get)(scenario) != (number.get)(preset),
        Kind::Choice(choice) => (choice.get)(scenario) != (choice.get)(preset),
    }
}

/// Puts one parameter back to its preset.
pub fn put_back(param: &Param, scenario: &mut Scenario) {
    let preset = preset_of(scenario);
    if param.key == "size" {
        // A size alone would make a ladder model of a named one.
        scenario.model = preset.model;
        return;
    }
    match param.kind {
        Kind::Number(number) => (number.set)(scenario, (number.get)(&preset)),
        Kind::Choice(choice) => (choice.set)(scenario, (choice.get)(&preset)),
    }
}
