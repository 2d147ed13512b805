//! Every control: the ones that matter by subject, the rest folded, all of them from the table of parameters.

use yew::prelude::*;

use super::pickers::{AcceleratorPicker, ClusterPicker, ModelPicker};
use crate::catalog;
use crate::params::{self, Group, PARAMS, Param};
use crate::scenario::Scenario;
use crate::ui::components::choice::ChoiceControl;
use crate::ui::components::number::NumberControl;
use crate::ui::fields::{Field, field};
use crate::ui::preset;
use crate::ui::state::{Action, State};
use crate::ui::text;

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// What is chosen.
    pub state: State,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// Choices of other groups that stand on the first screen.
const PROMOTED: [&str; 3] = ["strategy", "recompute", "recipe"];

/// The folded groups, in order.
const FOLDED: [(Group, &str); 4] = [
    (Group::Training, "Training"),
    (Group::Sharding, "Sharding"),
    (Group::Hardware, "Hardware"),
    (Group::Accounting, "Accounting"),
];

fn control(param: &'static Param, props: &Props, preset: &Scenario, explained: bool) -> Html {
    let emit = props.emit.clone();
    match field(param, &props.state, preset) {
        Field::Number(field) => html! { <NumberControl key={param.key} {field} {emit} {explained} /> },
        Field::Choice(field) => html! { <ChoiceControl key={param.key} {field} {emit} {explained} /> },
    }
}

/// The column at the left.
#[component]
pub fn Controls(props: &Props) -> Html {
    let scenario = props.state.scenario;
    let preset = preset::preset_of(&scenario);
    let row = |key: &str| params::find(key).map(|param| control(param, props, &preset, false));
    let emit = &props.emit;
    let reset = emit.reform(|_: MouseEvent| Action::Take(Box::new(catalog::default_scenario())));
    html! {
        <section class="controls" aria-label="Controls">
            <div class="set" role="group" aria-label="Model">
                <ModelPicker {scenario} emit={emit.clone()} />
                { for row("size") }
                { for row("seq") }
            </div>
            <div class="set" role="group" aria-label="Cluster">
                <ClusterPicker {scenario} emit={emit.clone()} />
                <AcceleratorPicker {scenario} emit={emit.clone()} />
                { for row("mem") }
                { for row("link") }
                { for row("gpus") }
            </div>
            <div class="set" role="group" aria-label="Method">
                { for PROMOTED.iter().filter_map(|key| row(key)) }
            </div>
            <div>{ for FOLDED.iter().map(|&(group, title)| folded(group, title, props, &preset)) }</div>
            <p><button type="button" class="button" onclick={reset}>{ text::RESET }</button></p>
        </section>
    }
}

/// A folded group, with the number of parameters in it that were changed.
fn folded(group: Group, title: &str, props: &Props, preset: &Scenario) -> Html {
    let rows = || PARAMS.iter().filter(move |param| param.group == group && !PROMOTED.contains(&param.key));
    let changed = rows().filter(|param| preset::is_changed(param, &props.state.scenario, preset)).count();
    html! {
        <details class="group">
            <summary>
                { title }
                if changed > 0 {
                    <span class="count">{ text::changed(changed) }</span>
                }
            </summary>
            <div class="set">{ for rows().map(|param| control(param, props, preset, true)) }</div>
        </details>
    }
}
