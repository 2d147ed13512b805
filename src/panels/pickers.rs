//! The selects over the catalog: model, GPU, cluster.

use yew::prelude::*;

use crate::components::select::{Item, Select};
use crate::state::{Action, SelectTarget};
use crate::text;
use engine::catalog::{self, ACCELERATORS, CLUSTERS, MODELS};
use engine::scenario::{Model, Scenario};

/// The last option: custom values, chosen or not, and what they were made from.
fn custom(chosen: bool, from: Option<&str>) -> Item {
    let label = match (chosen, from) {
        (false, _) => AttrValue::Static(text::MAKE_CUSTOM),
        (true, None) => AttrValue::Static(text::CUSTOM),
        (true, Some(name)) => AttrValue::from(text::CUSTOM.to_owned() + &text::from(name)),
    };
    Item { label, group: None }
}

fn item(label: &'static str, group: Option<&'static str>) -> Item {
    Item { label: AttrValue::Static(label), group }
}

fn labelled(id: &'static str, label: &'static str, select: Html) -> Html {
    html! { <div class="control"><div class="control-line"><label for={id}>{ label }</label>{ select }</div></div> }
}

/// The model: a point of the ladder, an entry of the catalog, or a custom shape.
pub fn model(scenario: &Scenario, preset: &Scenario, emit: &Callback<Action>) -> Html {
    let mut items = vec![item(text::LADDER, None)];
    items.extend(MODELS.iter().map(|entry| item(entry.name, Some(entry.family))));
    let chosen = match scenario.model {
        Model::Ladder { .. } => 0,
        Model::Preset { id, .. } => 1 + MODELS.iter().position(|entry| entry.id == id).unwrap_or(0),
        Model::Custom { .. } | Model::Scaled { .. } => items.len(),
    };
    let from = match preset.model {
        Model::Preset { id, .. } => catalog::model(id).map(|entry| entry.name),
        Model::Ladder { .. } | Model::Custom { .. } | Model::Scaled { .. } => None,
    };
    items.push(if matches!(scenario.model, Model::Scaled { .. }) {
        Item { label: AttrValue::from(text::model_name(&scenario.model)), group: None }
    } else {
        custom(chosen == items.len(), from)
    });
    let target = SelectTarget::Model;
    labelled("model", "Model", html! { <Select id="model" {items} {chosen} {target} {emit} /> })
}

/// The GPU.
pub fn accelerator(scenario: &Scenario, preset: &Scenario, emit: &Callback<Action>) -> Html {
    let mut items: Vec<Item> = ACCELERATORS.iter().map(|entry| item(entry.name, None)).collect();
    let entry = ACCELERATORS.iter().position(|entry| entry.id == scenario.accelerator.id);
    let changed = preset.accelerator.values != scenario.accelerator.values;
    let chosen = entry.filter(|_| !changed).unwrap_or(items.len());
    let from = changed.then(|| catalog::accelerator(preset.accelerator.id)).flatten().map(|entry| entry.name);
    items.push(custom(chosen == items.len(), from));
    let target = SelectTarget::Accelerator;
    labelled("accelerator", "GPU", html! { <Select id="accelerator" {items} {chosen} {target} {emit} /> })
}

/// The cluster: its GPU, its nodes and its links at once.
pub fn cluster(scenario: &Scenario, preset: &Scenario, emit: &Callback<Action>) -> Html {
    let mut items: Vec<Item> = CLUSTERS.iter().map(|entry| item(entry.name, None)).collect();
    let entry = CLUSTERS.iter().position(|entry| entry.id == scenario.network.id);
    let changed = preset.network.values != scenario.network.values;
    let chosen = entry.filter(|_| !changed).unwrap_or(items.len());
    let from = changed.then(|| catalog::cluster(preset.network.id)).flatten().map(|entry| entry.name);
    items.push(custom(chosen == items.len(), from));
    let target = SelectTarget::Cluster;
    labelled("cluster", "Cluster", html! { <Select id="cluster" {items} {chosen} {target} {emit} /> })
}
