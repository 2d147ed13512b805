//! Memory over one step, tensor by tensor, and the memory that loading and saving take.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser;
use crate::calculator::SettledProps;
use crate::components::figure::Figure;
use crate::components::how::how;
use crate::components::latest::use_due;
use crate::components::select::{Item, Select};
use crate::snapshot::Snapshot;
use crate::state::SelectTarget;
use charts::spec::ChartSpec;
use charts::views::{self, by_formulas, load_and_save};

/// Names of the steps that can be shown.
pub const STEPS: [&str; 2] = ["First step", "Every later step"];
/// Accessible name of the select of steps.
const WHICH: &str = "Which step";
/// Label of the memory that loading takes.
pub const LOADING: &str = "Loading";
/// Label of the memory that saving takes.
pub const SAVING: &str = "Saving";
/// Note on how the figure is made.
const HOW: &str = "Every tensor that PyTorch allocates and frees in one step, as its memory viewer draws them, drawn where its peak is within \
     2 % of the memory sum. The reserved memory is the sum’s. Of gradient accumulation the first two micro-batches are shown; all later ones are as \
     the second.";

/// Values to show.
#[derive(Clone, PartialEq, Properties)]
pub struct StepMemoryProps {
    /// Values of the settled scenario, and callbacks.
    pub settled: SettledProps,
    /// Whether the scenario has changed since it settled.
    pub moving: bool,
    /// Whether the figure is replayed at once, as in an embed.
    #[prop_or_default]
    pub at_once: bool,
}

/// The figure with its select: replayed once it is in sight and the scenario is idle, pale while
/// the scenario changes.
#[component]
pub fn StepMemory(props: &StepMemoryProps) -> Html {
    let snapshot = &props.settled.snapshot;
    let place = use_node_ref();
    let seen = browser::use_seen(&place);
    let rested = props.settled.rested;
    let spec = use_step_memory(snapshot, props.at_once || (seen && rested));
    let around = use_memo(snapshot.scenario, |scenario| (load_and_save(scenario), by_formulas(scenario)));
    let (beside, formulas) = &*around;
    let foot = html! {
        <>
            <dl class="around">
                <div><dt>{ LOADING }</dt><dd>{ &beside.loading }</dd></div>
                <div><dt>{ SAVING }</dt><dd>{ &beside.saving }</dd></div>
            </dl>
            { how([HOW, " ", formulas].concat()) }
        </>
    };
    let steps = Item::named(STEPS);
    let figure = if spec.lines.is_empty() {
        not_drawn(&spec, foot)
    } else {
        html! {
            <Figure id="step-memory" {spec} snapshot={snapshot.clone()} {foot}>
                <Select id="step-of" name={WHICH} items={steps} chosen={snapshot.view.step as usize} target={SelectTarget::RunStep} />
            </Figure>
        }
    };
    html! {
        <div class={classes!("figure", "wide", "step-memory", props.moving.then_some("stale"))} ref={place}>
            { figure }
        </div>
    }
}

/// Returns the reason why the simulated step is not drawn, in the place of the figure.
fn not_drawn(spec: &ChartSpec, foot: Html) -> Html {
    html! {
        <figure class="figure">
            <div class="figure-head"><h2>{ &spec.title }</h2></div>
            <figcaption class="caption">{ &spec.caption }</figcaption>
            { foot }
        </figure>
    }
}

/// Returns memory over a step of the settled scenario, replayed anew once `due`; until then the
/// last figure, and at first an empty frame.
#[hook]
pub fn use_step_memory(settled: &Snapshot, due: bool) -> Rc<ChartSpec> {
    let wanted = (settled.scenario, settled.view.step);
    let made = use_due(wanted, due, |(scenario, step)| views::memory_step(scenario, *step));
    made.unwrap_or_else(|| Rc::new(views::memory_step_coming()))
}
