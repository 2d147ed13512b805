//! One layer of experts by itself: this scenario's, or one that a paper measured.

use yew::prelude::*;

use crate::catalog::expert_layers::EXPERT_LAYERS;
use crate::chart::palette::Theme;
use crate::chart::views::{ALONG, LayerView, expert_layer};
use crate::plan::experts::family::Family;
use crate::scenario::Scenario;
use crate::ui::components::figure::Figure;
use crate::ui::components::select::{Choose, Item, Select};
use crate::ui::effects;
use crate::ui::state::Action;
use crate::ui::text;
use crate::ui::view::View;

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The choices.
    pub scenario: Scenario,
    /// What is looked at.
    pub view: View,
    /// Light or dark.
    pub theme: Theme,
    /// Takes actions.
    pub emit: Callback<Action>,
    /// Takes what the status line should say.
    pub say: Callback<AttrValue>,
}

/// The figure with its selects. It is below the first screen and follows a short pause.
#[component]
pub fn ExpertLayer(props: &Props) -> Html {
    let Props { scenario, view, theme, emit, say } = props;
    let settled = effects::use_settled(scenario);
    let spec = use_memo((settled, view.layer), |(scenario, layer)| expert_layer(scenario, *layer));
    let now = view.layer;
    let mut layers = core::iter::once(text::THIS_LAYER).chain(EXPERT_LAYERS.iter().map(|entry| entry.name));
    let shown = now.published.map_or(0, |place| place + 1);
    let which = Choose(|view, place| look_at(LayerView { published: place.checked_sub(1), ..view.layer }, view));
    let along = Choose(|view, along| look_at(LayerView { along, ..view.layer }, view));
    let family = Choose(|view, place| {
        let family = if place == 0 { Family::Pipelining } else { Family::Parallelism };
        look_at(LayerView { family, ..view.layer }, view)
    });
    let view = *view;
    html! {
        <Figure id="layer" {spec} theme={*theme} emit={emit.clone()} say={say.clone()}>
            <Select id="layer-of" name="Which layer of experts" items={items(&mut layers)} chosen={shown} {view} choose={which} {emit} />
            <span>{ "over" }</span>
            <Select id="layer-x" name="Horizontal axis of the layer" items={items(&mut ALONG.iter().map(|along| along.0))}
                chosen={now.along} {view} choose={along} {emit} />
            <Select id="layer-lines" name="Choices that are compared" items={items(&mut text::FAMILIES.into_iter())}
                chosen={usize::from(now.family == Family::Parallelism)} {view} choose={family} {emit} />
        </Figure>
    }
}

/// The action of looking at a layer so.
fn look_at(layer: LayerView, view: View) -> Action {
    Action::Look(View { layer, ..view })
}

/// Options by these names.
fn items(names: &mut dyn Iterator<Item = &'static str>) -> Vec<Item> {
    names.map(|label| Item { label: AttrValue::Static(label), group: None }).collect()
}
