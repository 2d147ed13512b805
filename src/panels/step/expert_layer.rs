//! One layer of experts: the scenario's, or one that a paper measured.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::SettledProps;
use crate::components::figure::Figure;
use crate::components::select::{Item, Select};
use crate::state::SelectTarget;
use analysis::experts::family::Family;
use catalog::expert_layers::EXPERT_LAYERS;
use charts::spec::ChartSpec;
use charts::views::{ALONG, LayerView};

/// Name of the scenario's own layer.
const THIS_LAYER: &str = "This scenario’s layer";
/// Names of the families of choices that the layer of experts compares.
const FAMILIES: [&str; 2] = ["Pipelining", "Parallelism (r)"];

/// Renders the figure with its selects.
pub fn expert_layer(spec: &Rc<ChartSpec>, settled: &SettledProps) -> Html {
    let snapshot = settled.snapshot.clone();
    let LayerView { published, along, family } = snapshot.view.layer;
    let mut layers = vec![THIS_LAYER];
    layers.extend(EXPERT_LAYERS.iter().map(|entry| entry.name));
    let shown = published.map_or(0, |place| place + 1);
    let select = |id, name, labels: &[&'static str], chosen, target| {
        let items = Item::named(labels.iter().copied());
        html! { <Select {id} {name} {items} {chosen} {target} /> }
    };
    html! {
        <div class="figure wide">
            <Figure id="layer" spec={spec.clone()} {snapshot}>
                { select("layer-of", "Which layer of experts", &layers, shown, SelectTarget::Layer) }
                <span>{ "over" }</span>
                { select("layer-x", "Horizontal axis of the layer", &ALONG.map(|along| along.0), along, SelectTarget::LayerX) }
                { select("layer-lines", "Choices that are compared", &FAMILIES,
                    usize::from(family == Family::Parallelism), SelectTarget::LayerFamily) }
            </Figure>
        </div>
    }
}
