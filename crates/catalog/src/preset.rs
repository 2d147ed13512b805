//! The preset of a scenario: the scenario of the first visit with the picked catalog entries.
//! Custom values are compared with the entry that they were made from.

use crate::pick;
use engine::model::transformer::Architecture;
use engine::params::{ARCHITECTURE, Group, Param, ParamId, ParamKind};
use engine::scenario::{CUSTOM, Model, Scenario};

/// Returns the scenario in which every parameter has its preset value.
pub fn preset_of(scenario: &Scenario) -> Scenario {
    let mut preset = crate::default_scenario();
    // The cluster comes first: it sets its GPU and the size of a shard group.
    pick::pick_cluster(&mut preset, scenario.network.id);
    match scenario.model {
        Model::Preset { id, .. } | Model::Scaled { id, .. } if id != CUSTOM => {
            if let Some(entry) = crate::model(id) {
                preset.model = entry.pick();
            }
        }
        Model::Preset { architecture, .. }
        | Model::Custom { architecture }
        | Model::Scaled { base: architecture, .. } => {
            preset.model = nearest(&architecture);
        }
        Model::Ladder { .. } => {}
    }
    if scenario.accelerator.id != CUSTOM {
        pick::pick_accelerator(&mut preset, scenario.accelerator.id);
    }
    preset
}

/// Returns the preset after a change of the scenario: custom values keep the entry that they were
/// made from, and a scaled model keeps the model that it was scaled from.
pub fn following(scenario: &Scenario, before: &Scenario) -> Scenario {
    // A custom model is not looked up in the catalog again.
    let named = Scenario { model: before.model, ..*scenario };
    let is_custom = match scenario.model {
        Model::Custom { .. } => true,
        Model::Scaled { id, family, .. } => id == CUSTOM || (family.is_some() && before.model.family() == family),
        Model::Preset { .. } | Model::Ladder { .. } => false,
    };
    let mut preset = preset_of(if is_custom { &named } else { scenario });
    if is_custom {
        preset.model = before.model;
    }
    if scenario.accelerator.id == CUSTOM {
        preset.accelerator = before.accelerator;
        preset.run.price_per_gpu_hour = before.run.price_per_gpu_hour;
    }
    if scenario.network.id == CUSTOM {
        (preset.network, preset.shard_size) = (before.network, before.shard_size);
    }
    preset
}

/// Returns the catalog model that differs from a shape in the fewest rows, if at most three differ;
/// else the shape itself.
fn nearest(shape: &Architecture) -> Model {
    /// Largest number of rows that may differ.
    const FEW: usize = 3;
    let own = Scenario { model: Model::Custom { architecture: *shape }, ..crate::default_scenario() };
    let mut found = (FEW + 1, own.model);
    for entry in crate::MODELS {
        // A user who edits a model seldom changes its width.
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

/// Whether a parameter differs from its preset. The shape of a ladder or scaled model follows from
/// its size, so only the size is marked as changed.
pub fn is_changed(param: &Param, scenario: &Scenario, preset: &Scenario) -> bool {
    let follows = match scenario.model {
        Model::Ladder { .. } => preset.model.is_on_ladder(),
        Model::Scaled { .. } => true,
        Model::Preset { .. } | Model::Custom { .. } => false,
    };
    if param.group == Group::Architecture && param.id != ParamId::ModelSize && follows {
        return false;
    }
    match param.kind {
        ParamKind::Number(_) if param.id == ParamId::TrainingTokens => scenario.run.tokens != preset.run.tokens,
        ParamKind::Number(number) => (number.get)(scenario) != (number.get)(preset),
        ParamKind::Choice(choice) => (choice.get)(scenario) != (choice.get)(preset),
    }
}

/// Resets one parameter to its preset. A model whose rows are all reset becomes the named model
/// again.
pub fn put_back(param: &Param, scenario: &mut Scenario, preset: &Scenario) {
    if param.id == ParamId::ModelSize {
        // Restores the model that was scaled exactly.
        scenario.model = preset.model;
        return;
    }
    match param.kind {
        ParamKind::Number(_) if param.id == ParamId::TrainingTokens => scenario.run.tokens = preset.run.tokens,
        ParamKind::Number(number) => (number.set)(scenario, (number.get)(preset)),
        ParamKind::Choice(choice) => (choice.set)(scenario, (choice.get)(preset)),
    }
    if param.group == Group::Architecture && scenario.model.architecture() == preset.model.architecture() {
        scenario.model = preset.model;
    }
}
