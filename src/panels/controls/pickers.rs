//! Fields over the catalog: model, GPU, cluster and software.

use std::sync::LazyLock;

use yew::prelude::*;

use crate::components::action_button::ActionButton;
use crate::components::combobox::{Combobox, Entry};
use crate::state::{Action, Pick, SelectTarget};
use crate::words::{self, CUSTOM, model_name};
use analysis::releases::{change, describe_release};
use catalog::releases::{Release, newest_first};
use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::format;
use engine::scenario::{Model, Scenario};

/// Name of the model whose size the slider sets.
pub const LADDER: &str = "GPT-style, by size";
/// Name of the entry without a release: the reader sets the software's settings.
const NO_RELEASE: &str = "Any, by its settings";
/// Name of the entry for custom values, while it is not chosen.
const MAKE_CUSTOM: &str = "Custom…";

/// Entries of the model field: the model whose size the slider sets, then the catalog.
static OF_MODELS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let ladder = Entry { name: LADDER, group: "", note: String::new(), more: String::new() };
    let entry = |entry: &catalog::ModelEntry| {
        let note = entry.size();
        let more = [entry.family, " ", &note, " ", entry.id].concat();
        Entry { name: entry.name, group: entry.family, note, more }
    };
    core::iter::once(ladder).chain(MODELS.iter().map(entry)).collect()
});

static OF_ACCELERATORS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |entry: &catalog::AcceleratorEntry| {
        let note = format::bytes(entry.values.memory);
        Entry { name: entry.name, group: "", note, more: entry.id.into() }
    };
    ACCELERATORS.iter().map(entry).collect()
});

static OF_CLUSTERS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |entry: &catalog::ClusterEntry| {
        let gpu = catalog::accelerator(entry.accelerator).map_or("", |gpu| gpu.name);
        Entry { name: entry.name, group: "", note: String::new(), more: [gpu, " ", entry.id].concat() }
    };
    CLUSTERS.iter().map(entry).collect()
});

static OF_RELEASES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |release: &'static Release| {
        // Leaked once per visit, because the name is needed until the page is closed.
        let name: &'static str = release.full_name().leak();
        Entry { name, group: release.program, note: String::new(), more: [release.id, " ", release.says].concat() }
    };
    newest_first().map(entry).collect()
});

/// Returns the entry after the catalog: custom values, chosen or not, with the entry that they were
/// made from.
fn custom(chosen: bool, from: Option<&str>) -> AttrValue {
    match (chosen, from) {
        (false, _) => AttrValue::Static(MAKE_CUSTOM),
        (true, None) => AttrValue::Static(CUSTOM),
        (true, Some(name)) => AttrValue::from(CUSTOM.to_owned() + &words::from(name)),
    }
}

fn labelled(id: &'static str, label: &'static str, field: Html) -> Html {
    html! { <div class="control"><div class="control-line"><label for={id}>{ label }</label>{ field }</div></div> }
}

/// Renders the field of the model: a model of the ladder, an entry of the catalog, or a custom
/// shape.
pub fn model(scenario: &Scenario, preset: &Scenario) -> Html {
    let entries: &'static [Entry] = &OF_MODELS;
    let chosen = match scenario.model {
        Model::Ladder { .. } => 0,
        Model::Preset { id, .. } => 1 + MODELS.iter().position(|entry| entry.id == id).unwrap_or(0),
        Model::Custom { .. } | Model::Scaled { .. } => entries.len(),
    };
    let from = match preset.model {
        Model::Preset { id, .. } => catalog::model(id).map(|entry| entry.name),
        Model::Ladder { .. } | Model::Custom { .. } | Model::Scaled { .. } => None,
    };
    let last = if matches!(scenario.model, Model::Scaled { .. }) {
        AttrValue::from(model_name(&scenario.model))
    } else {
        custom(chosen == entries.len(), from)
    };
    let (label, target) = ("Model", SelectTarget::Model);
    labelled("model", label, html! { <Combobox id="model" {label} {entries} {last} {chosen} {target} /> })
}

/// Renders the origin of a model whose shape was changed, and the way back to it.
pub fn made_from(scenario: &Scenario, preset: &Scenario) -> Html {
    let Model::Preset { id, .. } = preset.model else { return Html::default() };
    let Some(entry) = catalog::model(id).filter(|_| matches!(scenario.model, Model::Custom { .. })) else {
        return Html::default();
    };
    html! {
        <p class="control-help">
            { now_custom(entry.name) }
            <ActionButton action={Action::Pick(Pick::Model(id))}>{ back_to_model(entry.name) }</ActionButton>
        </p>
    }
}

/// Renders the field of the GPU.
pub fn accelerator(scenario: &Scenario, preset: &Scenario) -> Html {
    let entries: &'static [Entry] = &OF_ACCELERATORS;
    let entry = ACCELERATORS.iter().position(|entry| entry.id == scenario.accelerator.id);
    let changed = preset.accelerator.values != scenario.accelerator.values;
    let chosen = entry.filter(|_| !changed).unwrap_or(entries.len());
    let from = changed.then(|| catalog::accelerator(preset.accelerator.id)).flatten().map(|entry| entry.name);
    let last = custom(chosen == entries.len(), from);
    let (label, target) = ("GPU", SelectTarget::Accelerator);
    labelled("accelerator", label, html! { <Combobox id="accelerator" {label} {entries} {last} {chosen} {target} /> })
}

/// Renders the field of the cluster, which sets GPU, nodes and links at once.
pub fn cluster(scenario: &Scenario, preset: &Scenario) -> Html {
    let entries: &'static [Entry] = &OF_CLUSTERS;
    let entry = CLUSTERS.iter().position(|entry| entry.id == scenario.network.id);
    let changed = preset.network.values != scenario.network.values;
    let chosen = entry.filter(|_| !changed).unwrap_or(entries.len());
    let from = changed.then(|| catalog::cluster(preset.network.id)).flatten().map(|entry| entry.name);
    let last = custom(chosen == entries.len(), from);
    let (label, target) = ("Cluster", SelectTarget::Cluster);
    labelled("cluster", label, html! { <Combobox id="cluster" {label} {entries} {last} {chosen} {target} /> })
}

/// Values of the software field.
#[derive(PartialEq, Properties)]
pub struct SoftwareProps {
    /// The scenario on screen.
    pub scenario: Scenario,
    /// The settled scenario.
    pub settled: Scenario,
}

/// The field of the training program with its release, and the changes that the release makes.
#[component]
pub fn Software(props: &SoftwareProps) -> Html {
    let change = use_memo(props.settled, change);
    let entries: &'static [Entry] = &OF_RELEASES;
    let own = props.scenario.release.map(|release| release.0);
    let place = own.and_then(|own| newest_first().position(|release| release.id == own.id));
    let (label, target, chosen) = ("Software", SelectTarget::Release, place.unwrap_or(entries.len()));
    let last = AttrValue::Static(NO_RELEASE);
    let field = html! { <Combobox id="release" {label} {entries} {last} {chosen} {target} /> };
    let moving = (props.scenario != props.settled).then_some("stale");
    html! {
        <>
            { labelled("release", label, field) }
            if let Some(own) = own {
                <p class={classes!("control-help", moving)}>{ describe_release(own, (*change).as_ref()) }</p>
            }
        </>
    }
}

/// Returns the note under the field of a model that was named until its shape was changed.
fn now_custom(name: &str) -> String {
    format!("A custom model now, made from {name}. ")
}

/// Returns the label of the button that restores the named model.
fn back_to_model(name: &str) -> String {
    format!("Back to {name}")
}
