//! Advice: the best layout, and single changes of the scenario, each with its effect.

pub mod change;

use std::rc::Rc;

use yew::prelude::*;

use self::change::{besides, change, faster, laid_out, not_in, of_change};
use crate::calculator::Advised;
use crate::state::Action;
use crate::words::opening;
use analysis::advice::{Advice, is_sure};
use analysis::change::{Change, Price};
use analysis::layouts::{LEAST_GAIN, LayoutSearch};
use analysis::search::Layout;
use catalog::accuracy;
use engine::format;
use engine::model::report::Report;
use engine::names;
use engine::scenario::Scenario;

/// What would help, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Single changes, with the scenario that they are of.
    pub advised: Rc<Advised>,
    /// The search of that scenario, or of an earlier one.
    pub layouts: Option<Rc<LayoutSearch>>,
    /// Whether the scenario has moved on since.
    pub moving: bool,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// What to do next: what costs nothing, the best layout first, and what is to be bought.
#[component]
pub fn Recommended(props: &Props) -> Html {
    let Props { layouts, emit, .. } = props;
    let Advised { scenario, report: now, changes: found } = &*props.advised;
    let here = layouts.as_deref().filter(|search| search.scenario() == scenario);
    let keeps = |advice: &&Advice| here.is_none_or(|search| search.keeps(advice, now));
    let (bought, free): (Vec<_>, Vec<_>) =
        found.iter().filter(keeps).enumerate().partition(|(_, advice)| advice.price == Price::Bought);
    let group = |title: &'static str, help: Option<String>, first: Option<Html>, rest: Vec<(usize, &Advice)>| {
        html! {
            <div class="levers-of" role="group" aria-label={title}>
                <span class="levers-name" title={help}>{ title }</span>
                <div>
                    { for first }
                    { for rest.into_iter().map(|(place, advice)| advised(place, advice, now, emit)) }
                </div>
            </div>
        }
    };
    let varied = [VARIED, names::OF_LAYOUTS, "."].concat();
    html! {
        <div id="advice" class={classes!("advice", props.moving.then_some("stale"))} aria-busy={props.moving.to_string()}>
            { group(FREE, Some(varied), Some(best(here, (scenario, now), emit)), free) }
            if !bought.is_empty() { { group(BOUGHT, None, None, bought) } }
        </div>
    }
}

/// Over what costs no money.
const FREE: &str = "Next, free";
/// Over what does.
const BOUGHT: &str = "Next, bought";

/// The best layout, and where it is tight the best that is sure: their place is kept while they are
/// searched.
fn best(search: Option<&LayoutSearch>, (scenario, now): (&Scenario, &Report), emit: &Callback<Action>) -> Html {
    let said = |what: &str, more: String| {
        html! { <div key="best" class="advised best"><strong>{ what }</strong><span>{ more }</span></div> }
    };
    let Some(search) = search else { return said(SEARCHING, String::new()) };
    let offered = |key: &'static str, name: String, layout: &Layout, rest: &str| {
        let taken = layout.scenario;
        let take = emit.reform(move |_: MouseEvent| Action::Take(Box::new(taken)));
        html! {
            <button {key} type="button" class="advised best" onclick={take}>
                <strong title={name.clone()}>{ opening(&name) }</strong><span>{ effect(now, &layout.report) }{ rest }</span>
                if layout.lack.is_some() {
                    <span>{ not_in(taken.framework) }</span>
                }
            </button>
        }
    };
    let ranking = search.ranking();
    let [fitting, all] = [ranking.fitting(), ranking.len()].map(|count| format::count(count as f64));
    let layouts = search.offered(now);
    if let Some((first, rest)) = layouts.split_first() {
        let named = |layout: &Layout| laid_out(scenario, &layout.scenario);
        return html! {
            <>
                { offered("best", format!("{BEST}: {}", named(first)), first, &format!(", best of {fitting}")) }
                { for rest.iter().map(|sure| offered("sure", format!("{SURE}: {}", named(sure)), sure, SAME_BATCH)) }
            </>
        };
    }
    if let Some(fastest) = search.best() {
        let none = if gain(now, &fastest.report) < LEAST_GAIN { NONE_FASTER } else { NONE_SAFER };
        return said(YOURS, format!("{fitting} of {all} layouts are valid and fit; {none}"));
    }
    let Some((change, layout)) = search.also() else { return said(NOTHING_FITS, OR_WITH.to_owned()) };
    let with = of_change(change, &layout.scenario);
    let rest = match change {
        Change::Lora | Change::QLora => ", same batch, only adapters train",
        _ => SAME_BATCH,
    };
    offered("best", format!("Fits with {with}: {}", laid_out(scenario, &layout.scenario)), layout, rest)
}

/// What the first place is about.
const BEST: &str = "Best layout";
/// Before the best layout that is not tight.
const SURE: &str = "Safer";
/// Before what the search of the best layout varies.
const VARIED: &str = "Layouts vary ";
/// Where no layout is worth a change.
const YOURS: &str = "Your layout is the best";
/// Why, where none is faster.
const NONE_FASTER: &str = "none is more than 1\u{2009}% faster than yours";
/// Why, where some are.
const NONE_SAFER: &str = "those that are faster are less sure to fit";
/// Before the search is over.
const SEARCHING: &str = "Searching for the best layout …";
/// What stays.
const SAME_BATCH: &str = ", same batch";
/// Where nothing fits.
const NOTHING_FITS: &str = "Nothing fits on these GPUs";
/// With what it was tried.
const OR_WITH: &str = "even with 8-bit Adam, CPU offload or LoRA";

/// How many more tokens a second, as a share.
fn gain(now: &Report, then: &Report) -> f64 {
    then.whole().tokens_per_s_per_gpu / now.whole().tokens_per_s_per_gpu - 1.0
}

/// A button that makes the change, with the effect. The key keeps each button at its place while
/// others come and go.
fn advised(place: usize, advice: &Advice, now: &Report, emit: &Callback<Action>) -> Html {
    let scenario = advice.scenario;
    let apply = emit.reform(move |_: MouseEvent| Action::Take(Box::new(scenario)));
    html! {
        <button key={place} type="button" class="advised" onclick={apply}>
            <strong title={change(advice)}>{ opening(&change(advice)) }</strong><span>{ effect(now, &advice.report) }</span>
            if advice.lack.is_some() {
                <span>{ not_in(scenario.framework) }</span>
            }
            if let Some(besides) = besides(now, advice) {
                <span>{ besides }</span>
            }
        </button>
    }
}

/// The effect of a change, with the odds of the run that it leads to. A run that does not fit, or
/// not surely, gains no speed by one that does.
fn effect(now: &Report, then: &Report) -> String {
    let (mfu, odds) = (format::percent(then.whole().mfu), format!("{} fit", format::odds(accuracy::fit_odds(then))));
    if now.fits() && (is_sure(now) || !is_sure(then)) {
        format!("{}, {odds}", faster(gain(now, then)))
    } else {
        format!("{mfu} MFU, {odds}")
    }
}
