//! The parameters on paper, in place of the controls: the main ones, those that differ from their
//! presets, and the link.

use yew::prelude::*;

use crate::browser;
use crate::panels::controls::pickers::LADDER;
use crate::snapshot::Snapshot;
use crate::words::{CUSTOM, model_name};
use catalog::field_text;
use catalog::preset::{is_changed, preset_of};
use engine::params::quantity::unit_label;
use engine::params::{Group, Param, ParamKind, every};
use engine::scenario::{Model, Scenario};

/// Renders the list of parameters and the link, for a printed page only.
pub fn printed(snapshot: &Snapshot) -> Html {
    let scenario = &snapshot.scenario;
    let preset = preset_of(scenario);
    let model = match scenario.model {
        Model::Ladder { .. } => LADDER.to_owned(),
        Model::Custom { .. } => CUSTOM.to_owned(),
        Model::Preset { .. } | Model::Scaled { .. } => model_name(&scenario.model),
    };
    let gpu = catalog::accelerator(scenario.accelerator.id).map_or(CUSTOM, |entry| entry.name);
    let cluster = catalog::cluster(scenario.network.id).map_or(CUSTOM, |entry| entry.name);
    let picked = [("Model", model), ("GPU", gpu.to_owned()), ("Cluster", cluster.to_owned())];
    let listed = |param: &&Param| {
        (param.applies)(scenario) && (param.group == Group::Main || is_changed(param, scenario, &preset))
    };
    html! {
        <section class="printed">
            <dl>
                { for picked.into_iter().map(|(name, value)| entry(name, value)) }
                { for every().filter(listed).map(|param| entry(param.label, value(&param.kind, scenario))) }
            </dl>
            <p>{ browser::full_link(&snapshot.alone()) }</p>
        </section>
    }
}

fn entry(name: &'static str, value: String) -> Html {
    html! { <div><dt>{ name }</dt>{ " " }<dd>{ value }</dd></div> }
}

fn value(kind: &ParamKind, scenario: &Scenario) -> String {
    match kind {
        ParamKind::Number(number) => format!("{} {}", field_text(number, scenario), unit_label(number.unit)),
        ParamKind::Choice(choice) => {
            choice.options.get((choice.get)(scenario)).map_or(String::new(), |option| option.label.to_string())
        }
    }
}
