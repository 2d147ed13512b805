//! Every control: the ones that matter by subject, the rest folded, all of them from the table of parameters.

use yew::prelude::*;

use super::pickers;
use crate::catalog;
use crate::params::{self, Group, PARAMS, Param};
use crate::scenario::Scenario;
use crate::ui::components::choice::ChoiceControl;
use crate::ui::components::number::NumberControl;
use crate::ui::fields::{Field, field};
use crate::ui::preset;
use crate::ui::state::{Action, State};
use crate::ui::text;

/// Choices of other groups that stand on the first screen.
const PROMOTED: [&str; 3] = ["strategy", "recompute", "recipe"];

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

/// What every control needs.
#[derive(Clone, Copy)]
struct Around<'a> {
    state: &'a State,
    preset: &'a Scenario,
    emit: &'a Callback<Action>,
}

fn control(param: &'static Param, around: Around, explained: bool) -> Html {
    let emit = around.emit.clone();
    match field(param, around.state, around.preset) {
        Field::Number(field) => html! { <NumberControl key={param.key} {field} {emit} {explained} /> },
        Field::Choice(field) => html! { <ChoiceControl key={param.key} {field} {emit} {explained} /> },
    }
}

/// The column at the left.
pub fn controls(state: &State, emit: &Callback<Action>) -> Html {
    let scenario = &state.scenario;
    let around = Around { state, preset: &preset::preset_of(scenario), emit };
    let row = |key: &str| params::find(key).map(|param| control(param, around, false));
    // A dense model has no experts to set.
    let has_experts = scenario.model.architecture().has_experts();
    let groups = FOLDED.iter().filter(|(group, _)| has_experts || *group != Group::Experts);
    let reset = emit.reform(|_: MouseEvent| Action::Take(Box::new(catalog::default_scenario())));
    html! {
        <section class="controls" aria-label="Controls">
            <div class="set" role="group" aria-label="Model">
                { pickers::model(scenario, emit) }
                { for row("size") }
                { for row("seq") }
            </div>
            <div class="set" role="group" aria-label="Cluster">
                { pickers::cluster(scenario, emit) }
                { pickers::accelerator(scenario, emit) }
                { for row("mem") }
                { for row("link") }
                { for row("gpus") }
            </div>
            <div class="set" role="group" aria-label="Method">
                { for PROMOTED.iter().filter_map(|key| row(key)) }
            </div>
            <div>{ for groups.map(|&(group, title)| folded(group, title, around)) }</div>
            <p><button type="button" class="button" onclick={reset}>{ text::RESET }</button></p>
        </section>
    }
}

/// A folded group, with the number of parameters in it that were changed.
fn folded(group: Group, title: &str, around: Around) -> Html {
    let rows = || PARAMS.iter().filter(move |param| param.group == group && !PROMOTED.contains(&param.key));
    let changed = rows().filter(|param| preset::is_changed(param, &around.state.scenario, around.preset)).count();
    html! {
        <details class="group">
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
