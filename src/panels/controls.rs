//! Every control: the ones that matter by subject, the rest folded, all of them from the table of parameters.

use yew::prelude::*;

use super::control::{ControlContext, PROMOTED, control};
use super::groups::Groups;
use super::import::Import;
use super::pickers;
use crate::state::{Action, State};
use crate::text;
use engine::catalog;
use engine::params;
use engine::scenario::Scenario;

/// The folded groups.
#[derive(Clone, Copy)]
pub struct FoldedGroups<'a> {
    /// What they show.
    pub scenario: Scenario,
    /// Learns what opens (1) and what closes (-1).
    pub opened: &'a Callback<i32>,
}

/// The column at the left.
pub fn controls(state: &State, folded: FoldedGroups, emit: &Callback<Action>) -> Html {
    let (scenario, drafts) = (&state.scenario, state.drafts());
    let context = ControlContext { scenario, drafts, preset: &state.preset, emit };
    let row = |key: &str| params::find(key).map(|param| control(param, context, false));
    let reset = emit.reform(|_: MouseEvent| Action::Take(Box::new(catalog::default_scenario())));
    html! {
        <section class="controls" aria-label="Controls">
            <div class="set" role="group" aria-label="Model">
                { pickers::model(scenario, &state.preset, emit) }
                <Import {emit} />
                { for row("size") }
                { for row("seq") }
            </div>
            <div class="set" role="group" aria-label="Cluster">
                { pickers::cluster(scenario, &state.preset, emit) }
                { pickers::accelerator(scenario, &state.preset, emit) }
                { for row("mem") }
                { for row("link") }
                { for row("gpus") }
            </div>
            <div class="set" role="group" aria-label="Method">
                { for PROMOTED.iter().filter_map(|key| row(key)) }
            </div>
            <Groups scenario={folded.scenario} preset={state.preset} drafts={drafts.to_vec()} {emit} opened={folded.opened} />
            <p><button type="button" class="button" onclick={reset}>{ text::RESET }</button></p>
        </section>
    }
}

/// The sliders of the first screen alone, for an embed, and what stands in the place of a sixth.
pub fn sliders(state: &State, emit: &Callback<Action>, last: Html) -> Html {
    let context = ControlContext { scenario: &state.scenario, drafts: state.drafts(), preset: &state.preset, emit };
    let rows = ["size", "seq", "gpus", "mem", "link"].into_iter().filter_map(params::find);
    html! {
        <section class="sliders" aria-label="Controls">{ for rows.map(|param| control(param, context, false)) }{ last }</section>
    }
}
