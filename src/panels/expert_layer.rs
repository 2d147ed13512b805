//! One layer of experts by itself: this scenario's, or one that a paper measured.

use std::rc::Rc;

use yew::prelude::*;

use super::figures::Sinks;
use crate::components::figure::Figure;
use crate::components::select::{Choose, Item, Select};
use crate::state::Action;
use crate::text;
use crate::view::View;
use charts::palette::Theme;
use charts::spec::ChartSpec;
use charts::views::{ALONG, LayerView};
use engine::analysis::experts::family::Family;
use engine::catalog::expert_layers::EXPERT_LAYERS;

/// The figure with its selects.
pub fn expert_layer(spec: &Rc<ChartSpec>, view: View, theme: Theme, Sinks { emit, say }: Sinks) -> Html {
    let LayerView { published, along, family } = view.layer;
    let mut layers = vec![text::THIS_LAYER];
    layers.extend(EXPERT_LAYERS.iter().map(|entry| entry.name));
    let shown = published.map_or(0, |place| place + 1);
    let which = Choose(|view, place| look_at(LayerView { published: place.checked_sub(1), ..view.layer }, view));
    let across = Choose(|view, along| look_at(LayerView { along, ..view.layer }, view));
    let compared = Choose(|view, place| {
        let family = if place == 0 { Family::Pipelining } else { Family::Parallelism };
        look_at(LayerView { family, ..view.layer }, view)
    });
    let select = |id, name, labels: &[&'static str], chosen, choose| {
        let items: Vec<Item> =
            labels.iter().map(|label| Item { label: AttrValue::Static(label), group: None }).collect();
        html! { <Select {id} {name} {items} {chosen} {view} {choose} {emit} /> }
    };
    html! {
        <div class="figure wide">
            <Figure id="layer" spec={spec.clone()} {theme} emit={emit.clone()} say={say.clone()}>
                { select("layer-of", "Which layer of experts", &layers, shown, which) }
                <span>{ "over" }</span>
                { select("layer-x", "Horizontal axis of the layer", &ALONG.map(|along| along.0), along, across) }
                { select("layer-lines", "Choices that are compared", &text::FAMILIES,
                    usize::from(family == Family::Parallelism), compared) }
            </Figure>
        </div>
    }
}

/// The action of looking at a layer so.
fn look_at(layer: LayerView, view: View) -> Action {
    Action::Look(View { layer, ..view })
}
