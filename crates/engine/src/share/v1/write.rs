//! Scenario to pairs.

use serde_json::Value;

use super::table::{self, Codec, Held, TABLE};
use super::{
    CLUSTER_KEY, CUSTOM_SHAPE, GPU_KEY, MODEL_KEY, REQUIRED_OF_A_SHAPE, REVISION_KEY, VERSION, VERSION_KEY, start,
    with_derived_heads,
};
use crate::catalog;
use crate::catalog::pick::{LADDER, pick_accelerator, pick_cluster, pick_model};
use crate::params::quantity::{exact, link_text};
use crate::scenario::{CUSTOM, Id, Model, Scenario};

/// The pairs of a link: what differs from the starting point.
pub(in crate::share) fn write(scenario: &Scenario) -> Vec<(&'static str, String)> {
    let scenario = &as_written(scenario);
    let mut pairs = vec![(VERSION_KEY, VERSION.to_string()), (REVISION_KEY, catalog::REVISION.to_string())];
    let mut read = start();
    if scenario.network.id != read.network.id {
        pick_cluster(&mut read, scenario.network.id);
        pairs.push((CLUSTER_KEY, scenario.network.id.to_owned()));
    }
    if scenario.accelerator.id != read.accelerator.id {
        pick_accelerator(&mut read, scenario.accelerator.id);
        pairs.push((GPU_KEY, scenario.accelerator.id.to_owned()));
    }
    match scenario.model {
        Model::Ladder { .. } => {}
        Model::Preset { id, .. } => {
            pick_model(&mut read, id);
            pairs.push((MODEL_KEY, id.to_owned()));
        }
        Model::Custom { architecture } => {
            read.model = Model::Custom { architecture: implied_shape(&architecture) };
            pairs.push((MODEL_KEY, CUSTOM.to_owned()));
        }
    }
    let custom = matches!(scenario.model, Model::Custom { .. });
    for held in TABLE.iter().filter(|held| held.is_held(scenario)) {
        let required = custom && REQUIRED_OF_A_SHAPE.contains(&held.id);
        if required || differs(held, scenario, &read) {
            pairs.push((held.key, value_text(held, scenario)));
        }
    }
    pairs
}

/// Every pair of a scenario.
pub(in crate::share) fn write_all(scenario: &Scenario) -> Vec<(&'static str, Value)> {
    let scenario = &as_written(scenario);
    let model = match scenario.model {
        Model::Ladder { .. } => LADDER,
        Model::Preset { id, .. } => id,
        Model::Custom { .. } => CUSTOM,
    };
    let presets = [
        (VERSION_KEY, Value::from(VERSION)),
        (REVISION_KEY, catalog::REVISION.into()),
        (CLUSTER_KEY, scenario.network.id.into()),
        (GPU_KEY, scenario.accelerator.id.into()),
        (MODEL_KEY, model.into()),
    ];
    let all = TABLE.iter().filter(|held| held.is_held(scenario));
    presets.into_iter().chain(all.map(|held| (held.key, value_json(held, scenario)))).collect()
}

/// The scenario as a link can hold it: what carries a catalog entry's key without being in the catalog is custom.
fn as_written(scenario: &Scenario) -> Scenario {
    let mut written = *scenario;
    let known = |id: Id, found: bool| if found { id } else { CUSTOM };
    written.network.id = known(written.network.id, catalog::cluster(written.network.id).is_some());
    written.accelerator.id = known(written.accelerator.id, catalog::accelerator(written.accelerator.id).is_some());
    if let Model::Preset { id, architecture } = written.model
        && catalog::model(id).is_none_or(|entry| entry.architecture != architecture)
    {
        written.model = Model::Custom { architecture };
    }
    written
}

/// The shape that reading starts from once it has read what a link always holds of this one.
fn implied_shape(shape: &crate::model::transformer::Architecture) -> crate::model::transformer::Architecture {
    let mut implied = CUSTOM_SHAPE;
    implied.hidden_size = shape.hidden_size;
    implied.num_attention_heads = shape.num_attention_heads;
    with_derived_heads(implied)
}

/// Whether reading a link without this parameter gives another value.
fn differs(held: &Held, scenario: &Scenario, read: &Scenario) -> bool {
    match held.codec() {
        None => false,
        Some(Codec::Choice(choice, _)) => (choice.get)(scenario) != (choice.get)(read),
        Some(Codec::Number(number)) => match exact(&number, scenario) {
            // To the bit: two stored values can show as the same number.
            Some(value) => {
                let mut set = *read;
                (number.set)(&mut set, value);
                set != *read
            }
            None => (number.get)(scenario) != (number.get)(read),
        },
    }
}

pub(super) fn value_text(held: &Held, scenario: &Scenario) -> String {
    match held.codec() {
        Some(Codec::Number(number)) => link_text(&number, scenario),
        Some(Codec::Choice(choice, options)) => table::option_key(&choice, options, (choice.get)(scenario)).to_owned(),
        None => String::new(),
    }
}

fn value_json(held: &Held, scenario: &Scenario) -> Value {
    match held.codec() {
        Some(Codec::Number(number)) => exact(&number, scenario).unwrap_or_else(|| (number.get)(scenario)).into(),
        Some(Codec::Choice(..)) | None => value_text(held, scenario).into(),
    }
}
