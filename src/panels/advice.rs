//! Advice: the best layout, and single changes of the scenario, each with its effect.

use std::rc::Rc;

use yew::prelude::*;

use crate::derived::Advised;
use crate::state::Action;
use crate::text;
use charts::names;
use engine::analysis::advice::{Advice, is_sure};
use engine::analysis::change::Change;
use engine::analysis::layouts::LayoutSearch;
use engine::analysis::search::Layout;
use engine::format;
use engine::model::report::Report;
use engine::scenario::Scenario;

/// Single changes beside the best layout.
const MOST: usize = 2;
/// Gain below which the scenario is as good as the best layout.
const LEAST_GAIN: f64 = 0.01;

/// What would help, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Single changes, with the scenario that they are of.
    pub advised: Rc<Advised>,
    /// The search of that scenario, or of an earlier one.
    pub layouts: Option<Rc<LayoutSearch>>,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// The best layout, and beside it what else would help.
#[component]
pub fn Recommended(props: &Props) -> Html {
    let Props { layouts, emit, .. } = props;
    let Advised { scenario, report: now, changes: found } = &*props.advised;
    let here = layouts.as_deref().filter(|search| search.scenario() == scenario);
    let keeps = |advice: &&Advice| here.is_none_or(|search| search.keeps(advice, now.fits()));
    let changes = found.iter().filter(keeps).take(MOST).enumerate();
    html! {
        <div id="advice" class="advice">
            { best(here, (scenario, now), emit) }
            { for changes.map(|(place, advice)| advised(place, advice, now, emit)) }
        </div>
    }
}

/// The best layout: its place is kept while it is searched.
fn best(search: Option<&LayoutSearch>, (scenario, now): (&Scenario, &Report), emit: &Callback<Action>) -> Html {
    let said = |what: &'static str, more: String| {
        html! { <div key="best" class="advised best"><strong>{ what }</strong><span>{ more }</span></div> }
    };
    let Some(search) = search else {
        return said(BEST, "searched when the scenario stands still".to_owned());
    };
    let offered = |name: String, layout: &Layout, rest: &'static str| {
        let taken = layout.scenario;
        let take = emit.reform(move |_: MouseEvent| Action::Take(Box::new(taken)));
        html! {
            <button key="best" type="button" class="advised best" onclick={take}>
                <strong>{ name }</strong><span>{ effect(now, &layout.report) }{ rest }</span>
            </button>
        }
    };
    let fitting = format::count(search.ranking().fitting() as f64);
    match (search.best(), search.also()) {
        (Some(layout), _) if is_as_good(scenario, now, layout) => {
            said("This is the best layout", format!("of {fitting} that fit this batch on these GPUs"))
        }
        (Some(layout), _) => {
            offered(format!("{BEST}: {}", laid_out(scenario, &layout.scenario)), layout, ", same batch")
        }
        (None, Some((change, layout))) => {
            let with = text::change(&Advice { change, scenario: layout.scenario, report: layout.report, gain: 0.0 });
            let rest = match change {
                Change::Lora | Change::QLora => ", same batch; only adapters train",
                _ => ", same batch",
            };
            offered(format!("Possible with {with}: {}", laid_out(scenario, &layout.scenario)), layout, rest)
        }
        (None, None) => said("No layout fits", "nor with 8-bit moments, states in host memory or adapters".to_owned()),
    }
}

/// What the first place is about.
const BEST: &str = "Best layout";

/// Whether a scenario is as good as the best layout, within what is worth a word.
fn is_as_good(scenario: &Scenario, now: &Report, best: &Layout) -> bool {
    best.scenario == *scenario || now.fits() && gain(now, &best.report) < LEAST_GAIN
}

/// How many more tokens a second, as a share.
fn gain(now: &Report, then: &Report) -> f64 {
    then.tokens_per_s_per_gpu / now.tokens_per_s_per_gpu - 1.0
}

/// A layout in a line: strategy, degrees, and recomputation where it is another.
fn laid_out(now: &Scenario, then: &Scenario) -> String {
    let layout = names::layout(then);
    if now.recompute == then.recompute { layout } else { format!("{layout}, {}", text::recompute(then.recompute)) }
}

/// A button that makes the change, with the effect. The key keeps each button at its place while
/// others come and go.
fn advised(place: usize, advice: &Advice, now: &Report, emit: &Callback<Action>) -> Html {
    let scenario = advice.scenario;
    let apply = emit.reform(move |_: MouseEvent| Action::Take(Box::new(scenario)));
    html! {
        <button key={place} type="button" class="advised" onclick={apply}>
            <strong>{ text::change(advice) }</strong><span>{ effect(now, &advice.report) }</span>
            if let Some(besides) = text::besides(now, advice) {
                <span>{ besides }</span>
            }
        </button>
    }
}

/// The effect of a change: that the run then fits where it does not, or not surely; else more throughput.
fn effect(now: &Report, then: &Report) -> String {
    let mfu = format::percent(then.mfu);
    if now.fits() && (is_sure(now) || !is_sure(then)) {
        format!("{} more tokens/s, {mfu} MFU", text::gained(gain(now, then)))
    } else {
        format!("fits with {} to spare, {mfu} MFU", format::bytes(then.memory.headroom()))
    }
}
