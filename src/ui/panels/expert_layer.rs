//! One layer of experts by itself: this scenario's, or one that a paper measured.

use yew::prelude::*;

use crate::catalog::expert_layers::EXPERT_LAYERS;
use crate::chart::palette::Theme;
use crate::chart::views::{ALONG, LayerView, expert_layer};
use crate::plan::experts::family::Family;
use crate::scenario::Scenario;
use crate::ui::components::figure::Figure;
use crate::ui::components::select::{Item, Select};
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
    let layers = core::iter::once(text::THIS_LAYER).chain(EXPERT_LAYERS.iter().map(|entry| entry.name));
    let shown = now.published.map_or(0, |place| place + 1);
    html! {
        <Figure id="layer" {spec} theme={*theme} emit={emit.clone()} say={say.clone()}>
            { select(("layer-of", "Which layer of experts"), layers, shown, (*view, emit), |layer, place| {
                LayerView { published: place.checked_sub(1), ..layer }
            }) }
            <span>{ "over" }</span>
            { select(("layer-x", "Horizontal axis of the layer"), ALONG.iter().map(|along| along.0), now.along, (*view, emit),
                |layer, along| LayerView { along, ..layer }) }
            { select(("layer-lines", "Choices that are compared"), text::FAMILIES.into_iter(),
                usize::from(now.family == Family::Parallelism), (*view, emit), |layer, place| {
                let family = if place == 0 { Family::Pipelining } else { Family::Parallelism };
                LayerView { family, ..layer }
            }) }
        </Figure>
    }
}

/// A select that changes one thing of the view.
fn select(
    (id, name): (&'static str, &'static str),
    labels: impl Iterator<Item = &'static str>,
    chosen: usize,
    (view, emit): (View, &Callback<Action>),
    change: fn(LayerView, usize) -> LayerView,
) -> Html {
    let items: Vec<Item> = labels.map(|label| Item { label: AttrValue::Static(label), group: None }).collect();
    let choose = emit.reform(move |place: usize| Action::Look(View { layer: change(view.layer, place), ..view }));
    html! { <Select {id} {name} {items} {chosen} {choose} /> }
}
