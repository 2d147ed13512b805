//! The folded groups of controls. They are always there, for whoever searches the page.

use yew::prelude::*;

use super::controls::{Around, PROMOTED, control};
use crate::params::{Group, PARAMS};
use crate::scenario::Scenario;
use crate::ui::effects;
use crate::ui::preset;
use crate::ui::state::{Action, Draft};
use crate::ui::text;

/// The folded groups, in order.
const FOLDED: [(Group, &str); 8] = [
    (Group::Training, "Training"),
    (Group::Sharding, "Sharding"),
    (Group::Parallelism, "Parallelism"),
    (Group::Experts, "Experts"),
    (Group::Kernels, "Software"),
    (Group::Hardware, "Hardware"),
    (Group::Accounting, "Accounting"),
    (Group::Run, text::run::TITLE),
];

/// The heading of a folded group.
pub fn title(group: Group) -> Option<&'static str> {
    FOLDED.iter().find(|folded| folded.0 == group).map(|folded| folded.1)
}

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The choices; as they were when they last stood still, while all groups are closed.
    pub scenario: Scenario,
    /// Texts in typed fields.
    pub drafts: Vec<Draft>,
    /// Takes actions.
    pub emit: Callback<Action>,
    /// Takes what opens (1) and what closes (-1).
    pub opened: Callback<i32>,
    /// Whether the texts that explain the controls are there.
    pub words: bool,
}

/// All of them.
#[component]
pub fn Groups(props: &Props) -> Html {
    let Props { scenario, drafts, emit, opened, .. } = props;
    let around = Around { scenario, drafts, preset: &preset::preset_of(scenario), emit };
    let toggle = opened.reform(|event: Event| if effects::is_open(&event) { 1 } else { -1 });
    // A dense model has no experts to set.
    let has_experts = scenario.model.architecture().has_experts();
    let groups = FOLDED.iter().filter(|(group, _)| has_experts || *group != Group::Experts);
    html! { <div>{ for groups.map(|&(group, title)| folded(group, title, around, toggle.clone())) }</div> }
}

/// A folded group, with the number of parameters in it that were changed.
fn folded(group: Group, title: &str, around: Around, toggle: Callback<Event>) -> Html {
    let rows = || PARAMS.iter().filter(move |param| param.group == group && !PROMOTED.contains(&param.key));
    let changed = rows().filter(|param| preset::is_changed(param, around.scenario, around.preset)).count();
    html! {
        <details class="group" ontoggle={toggle}>
            <summary>
                { title }
                if changed > 0 {
                    <span class="count">{ text::changed(changed) }</span>
                }
            </summary>
            <div class="set">{ for rows().map(|param| control(param, around, true)) }</div>
        </details>
    }
}
