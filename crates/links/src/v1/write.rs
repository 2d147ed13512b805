//! Converts a scenario to pairs.

use serde_json::Value;

use super::{CUSTOM_SHAPE, REQUIRED_OF_A_SHAPE, VERSION, start, with_derived_heads};
use crate::keys::{
    BLOCKS_KEY, CLUSTER_KEY, GENERATION_KEY, GPU_KEY, MODEL_KEY, RELEASE_KEY, REVISION_KEY, SCALE_KEY, VERSION_KEY,
};
use crate::release::apply;
use catalog::pick::{LADDER, pick_accelerator, pick_cluster, pick_model};
use catalog::revisions::FIRST_REVISION;
use engine::params::quantity::{exact, link_text, text};
use engine::params::{Param, ParamId, ParamKind, Unit, every, is_held};
use engine::scenario::data::UNSAID;
use engine::scenario::layers::write_layers;
use engine::scenario::{CUSTOM, Id, Model, Scenario};

/// Returns the pairs of a link: the differences from the starting point.
pub(crate) fn write(scenario: &Scenario) -> Vec<(&'static str, String)> {
    let (scenario, scale) = &as_written(scenario);
    let (mut pairs, read) = write_presets(scenario, *scale);
    let custom = matches!(scenario.model, Model::Custom { .. });
    for param in every().filter(|param| is_held(param, scenario)) {
        let required = custom && REQUIRED_OF_A_SHAPE.contains(&param.id);
        if required || would_write(param, scenario, &read) {
            pairs.push((param.key, value_text(param, scenario)));
        }
    }
    pairs.extend(blocks(scenario).map(|text| (BLOCKS_KEY, text)));
    pairs
}

/// Returns the scenario that the catalog entries and the release of a scenario make by themselves.
pub(crate) fn presets(scenario: &Scenario) -> Scenario {
    let (scenario, scale) = &as_written(scenario);
    write_presets(scenario, *scale).1
}

/// Returns the pairs of the catalog entries and of the release, and the scenario that they make.
fn write_presets(scenario: &Scenario, scale: Option<f64>) -> (Vec<(&'static str, String)>, Scenario) {
    let mut pairs = vec![(VERSION_KEY, VERSION.to_string())];
    pairs.extend(revision().map(|revision| (REVISION_KEY, revision.to_string())));
    let mut read = start();
    if scenario.network.id != read.network.id {
        pick_cluster(&mut read, scenario.network.id);
        pairs.push((CLUSTER_KEY, scenario.network.id.to_owned()));
    }
    if scenario.accelerator.id != read.accelerator.id {
        pick_accelerator(&mut read, scenario.accelerator.id);
        pairs.push((GPU_KEY, scenario.accelerator.id.to_owned()));
    }
    if let Some(generation) = own_generation(scenario) {
        read.accelerator.values.generation = scenario.accelerator.values.generation;
        pairs.push((GENERATION_KEY, generation.to_owned()));
    }
    match scenario.model {
        Model::Ladder { .. } => {}
        Model::Preset { id, .. } | Model::Scaled { id, .. } => {
            pick_model(&mut read, id);
            pairs.push((MODEL_KEY, id.to_owned()));
        }
        Model::Custom { architecture } => {
            read.model = Model::Custom { architecture: implied_shape(&architecture) };
            pairs.push((MODEL_KEY, CUSTOM.to_owned()));
        }
    }
    pairs.extend(scale.map(|size| (SCALE_KEY, text(Unit::Params, size))));
    if let Some(release) = scenario.release {
        apply(release.0, &mut read, scenario);
        pairs.push((RELEASE_KEY, release.0.id.to_owned()));
    }
    (pairs, read)
}

/// Returns the revision of the data sheets, once one has changed since the first release.
fn revision() -> Option<u32> {
    (catalog::REVISION > FIRST_REVISION).then_some(catalog::REVISION)
}

/// Returns every pair of a scenario.
pub(crate) fn write_all(scenario: &Scenario) -> Vec<(&'static str, Value)> {
    let (scenario, scale) = &as_written(scenario);
    let presets = [
        (VERSION_KEY, Value::from(VERSION)),
        (CLUSTER_KEY, scenario.network.id.into()),
        (GPU_KEY, scenario.accelerator.id.into()),
        (MODEL_KEY, model_key(scenario).into()),
    ];
    let generation = own_generation(scenario).map(|name| (GENERATION_KEY, name.into()));
    let release = scenario.release.map(|release| (RELEASE_KEY, release.0.id.into()));
    let all = every().filter(|param| is_held(param, scenario) && !is_unsaid(param, scenario));
    let scale = scale.map(|size| (SCALE_KEY, size.into()));
    presets
        .into_iter()
        .chain(revision().map(|revision| (REVISION_KEY, revision.into())))
        .chain(generation)
        .chain(release)
        .chain(scale)
        .chain(all.map(|param| (param.key, value_json(param, scenario))))
        .chain(blocks(scenario).map(|text| (BLOCKS_KEY, text.into())))
        .collect()
}

/// Returns the layers of a custom model as a list, if it has one.
fn blocks(scenario: &Scenario) -> Option<String> {
    match scenario.model {
        Model::Custom { architecture } if architecture.pattern.is_used() => Some(write_layers(&architecture.pattern)),
        Model::Custom { .. } | Model::Ladder { .. } | Model::Preset { .. } | Model::Scaled { .. } => None,
    }
}

/// Returns the value of the key of the model.
pub(super) fn model_key(scenario: &Scenario) -> Id {
    match scenario.model {
        Model::Ladder { .. } => LADDER,
        Model::Preset { id, .. } | Model::Scaled { id, .. } => id,
        Model::Custom { .. } => CUSTOM,
    }
}

/// Returns the generation of a custom GPU if it differs from that of the cluster's GPU, which the
/// reader assumes.
fn own_generation(scenario: &Scenario) -> Option<&'static str> {
    let mut read = start();
    pick_cluster(&mut read, scenario.network.id);
    let (own, known) = (scenario.accelerator.values.generation, read.accelerator.values.generation);
    (scenario.accelerator.id == CUSTOM && own != known).then(|| own.link())
}

/// Returns the scenario as a link can express it: an entry that is not in the catalog becomes
/// custom. A scaled model is written as its base model, with the size as a separate pair.
fn as_written(scenario: &Scenario) -> (Scenario, Option<f64>) {
    let mut written = scenario.with_model(scenario.model.unscaled());
    let scale = (written.model != scenario.model).then(|| scenario.model.size());
    // A framework that the program does not run on has none of the program's releases.
    written.release = written.release.filter(|release| release.0.runs_on(ParamId::Framework.option(&written)));
    let known = |id: Id, found: bool| if found { id } else { CUSTOM };
    written.network.id = known(written.network.id, catalog::cluster(written.network.id).is_some());
    written.accelerator.id = known(written.accelerator.id, catalog::accelerator(written.accelerator.id).is_some());
    if let Model::Preset { id, architecture, .. } = written.model
        && catalog::model(id).is_none_or(|entry| entry.architecture != architecture)
    {
        written.model = Model::Custom { architecture };
    }
    (written, scale)
}

/// Returns the shape that the reader assumes after it has read the keys that the link of a custom
/// model always holds.
fn implied_shape(shape: &engine::model::transformer::Architecture) -> engine::model::transformer::Architecture {
    let mut implied = CUSTOM_SHAPE;
    implied.hidden_size = shape.hidden_size;
    implied.num_attention_heads = shape.num_attention_heads;
    with_derived_heads(implied)
}

/// Whether a link without this parameter would be read as a different value.
pub(crate) fn would_write(param: &Param, scenario: &Scenario, read: &Scenario) -> bool {
    match &param.kind {
        _ if is_unsaid(param, scenario) => false,
        ParamKind::Choice(choice) => (choice.get)(scenario) != (choice.get)(read),
        ParamKind::Number(number) => match exact(number, scenario) {
            // Compared to the bit: two stored values can display as the same number.
            Some(value) => {
                let mut set = *read;
                (number.set)(&mut set, value);
                set != *read
            }
            None => (number.get)(scenario) != (number.get)(read),
        },
    }
}

/// Whether these are the default tokens of the run, which follow the task until somebody sets them,
/// or the default size of a teacher, which follows the student.
fn is_unsaid(param: &Param, scenario: &Scenario) -> bool {
    match param.id {
        ParamId::TrainingTokens => scenario.run.tokens == UNSAID,
        ParamId::TeacherSize => scenario.objective.teacher.size == UNSAID,
        _ => false,
    }
}

pub(crate) fn value_text(param: &Param, scenario: &Scenario) -> String {
    match &param.kind {
        ParamKind::Number(number) => link_text(number, scenario),
        ParamKind::Choice(choice) => {
            choice.options.get((choice.get)(scenario)).map_or("", |option| option.key).to_owned()
        }
    }
}

fn value_json(param: &Param, scenario: &Scenario) -> Value {
    match &param.kind {
        ParamKind::Number(number) => exact(number, scenario).unwrap_or_else(|| (number.get)(scenario)).into(),
        ParamKind::Choice(_) => value_text(param, scenario).into(),
    }
}
