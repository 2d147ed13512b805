//! The folded groups of controls. Controls of the table's parameters are always in the page, so
//! that a search in the page finds them, but for rows that belong to one option of another;
//! constants of the hardware and rows of the architecture are made once their group is open.

use yew::prelude::*;

use super::control::{ControlContext, PROMOTED, control};
use super::run;
use crate::browser;
use crate::state::{Action, Draft};
use crate::text;
use engine::catalog::preset;
use engine::params::{Group, PARAMS, Param, every};
use engine::scenario::{CUSTOM, Model, Scenario};

/// The folded groups, in order.
const FOLDED: [(Group, &str); 12] = [
    (Group::Architecture, "Architecture"),
    (Group::Hardware, "GPU"),
    (Group::Network, "Cluster"),
    (Group::Trained, "What is trained"),
    (Group::Data, "Data"),
    (Group::Training, "Training"),
    (Group::Sharding, "Sharding"),
    (Group::Parallelism, "Parallelism"),
    (Group::Experts, "Experts"),
    (Group::Kernels, "Software"),
    (Group::Accounting, "Accounting"),
    (Group::Run, run::CONTROLS),
];

/// The heading of a folded group.
pub fn title(group: Group) -> Option<&'static str> {
    FOLDED.iter().find(|folded| folded.0 == group).map(|folded| folded.1)
}
/// The places of the groups of model, GPU and cluster, which may be custom.
const MAY_BE_CUSTOM: [u32; 3] = [0, 1, 2];

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The scenario; the settled one while all groups are closed.
    pub scenario: Scenario,
    /// What the scenario is measured against.
    pub preset: Scenario,
    /// Texts in typed fields.
    pub drafts: Vec<Draft>,
    /// Takes actions.
    pub emit: Callback<Action>,
    /// Takes 1 where a group opens and -1 where one closes.
    pub opened: Callback<i32>,
}

/// The folded groups.
#[component]
pub fn Groups(props: &Props) -> Html {
    let Props { scenario, preset, drafts, emit, opened, .. } = props;
    let context = ControlContext { scenario, drafts, preset, emit };
    // A bit for each open group.
    let open = use_state_eq(|| 0_u32);
    use_unfolded(context, &open);
    let groups = FOLDED.iter().zip(0_u32..).filter(|((group, _), _)| {
        // A dense model has no experts to set.
        *group != Group::Experts || scenario.model.architecture().has_experts()
    });
    let group = |(&(group, title), place): (&(Group, &str), u32)| {
        let bit = 1 << place;
        let (bits, opened) = (open.clone(), opened.clone());
        let toggle = Callback::from(move |event: Event| {
            let is_open = browser::is_open(&event);
            bits.set(if is_open { *bits | bit } else { *bits & !bit });
            opened.emit(if is_open { 1 } else { -1 });
        });
        folded(group, title, context, *open & bit != 0, toggle)
    };
    html! { <div>{ for groups.map(group) }</div> }
}

/// Opens the group of a model, GPU or cluster that has just become custom; an imported model leaves
/// its group closed.
#[hook]
fn use_unfolded(context: ControlContext<'_>, open: &UseStateHandle<u32>) {
    let ControlContext { scenario, preset, .. } = context;
    let is = |model: Model| matches!(model, Model::Custom { .. });
    let is_custom = is(scenario.model) && !is(preset.model);
    let custom = [is_custom, scenario.accelerator.id == CUSTOM, scenario.network.id == CUSTOM];
    let before = use_mut_ref(|| custom);
    let open = open.clone();
    use_effect_with(custom, move |custom| {
        let before = before.replace(*custom);
        let new =
            MAY_BE_CUSTOM.into_iter().zip(custom.iter().zip(before)).filter(|(_, (now, before))| **now && !before);
        open.set(new.fold(*open, |bits, (place, _)| bits | 1 << place));
    });
}

/// A folded group, with the number of parameters in it that were changed.
fn folded(group: Group, title: &str, context: ControlContext, open: bool, toggle: Callback<Event>) -> Html {
    let rows = || every().filter(move |param| param.group == group && !PROMOTED.contains(&param.id));
    let changed = rows().filter(|param| preset::is_changed(param, context.scenario, context.preset)).count();
    let is_made = |param: &&Param| {
        let always = PARAMS.iter().any(|row| row.id == param.id);
        (always || open) && (param.is_relevant)(context.scenario)
    };
    // So many rows explain themselves on pointing alone.
    let explained = group != Group::Architecture;
    html! {
        <details class="group" {open} ontoggle={toggle}>
            <summary>
                { title }
                if changed > 0 {
                    <span class="count">{ text::changed(changed) }</span>
                }
            </summary>
            <div class="set">{ for rows().filter(is_made).map(|param| control(param, context, explained)) }</div>
        </details>
    }
}
