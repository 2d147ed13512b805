//! The selects over the catalog: model, GPU, cluster.

use yew::prelude::*;

use crate::catalog::{ACCELERATORS, CLUSTERS, MODELS};
use crate::scenario::{Model, Scenario};
use crate::ui::components::select::{Choose, Item, Select};
use crate::ui::state::{Action, Pick};
use crate::ui::text;

fn item(label: &'static str, group: Option<&'static str>) -> Item {
    Item { label: AttrValue::Static(label), group }
}

fn labelled(id: &'static str, label: &'static str, select: Html) -> Html {
    html! { <div class="control"><div class="control-line"><label for={id}>{ label }</label>{ select }</div></div> }
}

/// The model: a point of the ladder, an entry of the catalog, or a shape of the user's own.
pub fn model(scenario: &Scenario, emit: &Callback<Action>) -> Html {
    let mut items = vec![item(text::LADDER, None)];
    items.extend(MODELS.iter().map(|entry| item(entry.name, Some(entry.family))));
    let chosen = match scenario.model {
        Model::Ladder { .. } => 0,
        Model::Preset { id, .. } => 1 + MODELS.iter().position(|entry| entry.id == id).unwrap_or(0),
        Model::Custom { .. } => items.len(),
    };
    if chosen == items.len() {
        items.push(item(text::CUSTOM, None));
    }
    let choose = Choose(|_, place| {
        let entry = place.checked_sub(1).and_then(|place| MODELS.get(place));
        Action::Pick(entry.map_or(Pick::Ladder, |entry| Pick::Model(entry.id)))
    });
    labelled("model", "Model", html! { <Select id="model" {items} {chosen} {choose} {emit} /> })
}

/// The GPU.
pub fn accelerator(scenario: &Scenario, emit: &Callback<Action>) -> Html {
    let mut items: Vec<Item> = ACCELERATORS.iter().map(|entry| item(entry.name, None)).collect();
    let own = scenario.accelerator.id;
    let chosen = ACCELERATORS.iter().position(|entry| entry.id == own).unwrap_or(items.len());
    if chosen == items.len() {
        items.push(item(text::CUSTOM, None));
    }
    let choose = Choose(|_, place| {
        Action::Pick(Pick::Accelerator(ACCELERATORS.get(place).map_or(crate::scenario::CUSTOM, |entry| entry.id)))
    });
    labelled("accelerator", "GPU", html! { <Select id="accelerator" {items} {chosen} {choose} {emit} /> })
}

/// The cluster: its GPU, its nodes and its links at once.
pub fn cluster(scenario: &Scenario, emit: &Callback<Action>) -> Html {
    let mut items: Vec<Item> = CLUSTERS.iter().map(|entry| item(entry.name, None)).collect();
    let own = scenario.network.id;
    let chosen = CLUSTERS.iter().position(|entry| entry.id == own).unwrap_or(items.len());
    if chosen == items.len() {
        items.push(item(text::CUSTOM, None));
    }
    let choose = Choose(|_, place| {
        Action::Pick(Pick::Cluster(CLUSTERS.get(place).map_or(crate::scenario::CUSTOM, |entry| entry.id)))
    });
    labelled("cluster", "Cluster", html! { <Select id="cluster" {items} {chosen} {choose} {emit} /> })
}
