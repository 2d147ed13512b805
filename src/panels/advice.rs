//! Advice: the best layout, and single changes of the scenario, each with its effect.

pub mod change;

use std::rc::Rc;

use yew::prelude::*;

use self::change::{besides, change, faster, laid_out, name_change, not_in};
use crate::browser;
use crate::calculator::Advised;
use crate::components::action_button::ActionButton;
use crate::state::Action;
use crate::words::opening;
use analysis::advice::Advice;
use analysis::change::{Change, Price};
use analysis::layouts::{LEAST_GAIN, LayoutSearch};
use analysis::ranking::Layout;
use engine::format;
use engine::model::report::Report;
use engine::names;
use engine::scenario::Scenario;

/// Changes that would help.
#[derive(PartialEq, Properties)]
pub struct RecommendedProps {
    /// Single changes, with the scenario that they apply to.
    pub advised: Rc<Advised>,
    /// Search around that scenario, or around an earlier one.
    pub layouts: Option<Rc<LayoutSearch>>,
    /// Whether the scenario has changed since.
    pub moving: bool,
}

/// The next steps: the best layout and one more lever in a line, and all of them in a fold: free
/// changes, with the best layout first, and hardware to buy.
#[component]
pub fn Recommended(props: &RecommendedProps) -> Html {
    let Advised { scenario, report: now, changes: found } = &*props.advised;
    let here = props.layouts.as_deref().filter(|search| search.scenario() == scenario);
    let keeps = |advice: &&Advice| here.is_none_or(|search| search.keeps(advice, now));
    let (bought, free): (Vec<_>, Vec<_>) =
        found.iter().filter(keeps).enumerate().partition(|(_, advice)| advice.price == Price::Bought);
    let first = || best(here, (scenario, now));
    let second = bought.first().map(|lever| (BOUGHT, lever)).or_else(|| free.first().map(|lever| (FREE, lever)));
    let group = |title: &'static str, help: Option<String>, first: Option<Html>, rest: &[(usize, &Advice)]| {
        html! {
            <div class="levers-of" role="group" aria-label={title}>
                <span class="levers-name" title={help}>{ title }</span>
                <div>
                    { for first }
                    { for rest.iter().map(|&(place, advice)| advised(place, advice, now)) }
                </div>
            </div>
        }
    };
    let varied = [VARIED, names::OF_LAYOUTS, "."].concat();
    let all = || {
        html! {
            <>
                { group(FREE, Some(varied.clone()), Some(first()), &free) }
                if !bought.is_empty() { { group(BOUGHT, None, None, &bought) } }
            </>
        }
    };
    html! {
        <div id="advice" class={classes!("advice", props.moving.then_some("stale"))} aria-busy={props.moving.to_string()}>
            <div class="lever"><span class="levers-name">{ FREE }</span>{ first() }</div>
            if let Some((title, &(place, advice))) = second {
                <div class="lever"><span class="levers-name">{ title }</span>{ advised(place, advice, now) }</div>
            }
            <details class="levers-all" onkeydown={Callback::from(|event: KeyboardEvent| browser::fold_on_escape(&event))}><summary>{ format!("All {}", found.len() + 1) }</summary><div>{ all() }</div></details>
        </div>
    }
}

/// Heading of changes that cost no money.
const FREE: &str = "Free";
/// Heading of changes that cost money.
const BOUGHT: &str = "Bought";

/// Renders the best layout: the fastest of those that fit surely, else of those that fit. Its place
/// is kept during the search.
fn best(search: Option<&LayoutSearch>, (scenario, now): (&Scenario, &Report)) -> Html {
    let said = |what: &str, more: String| {
        html! { <div key="best" class="advised best"><strong>{ what }</strong><span>{ more }</span></div> }
    };
    let Some(search) = search else { return said(SEARCHING, String::new()) };
    let offered = |key: &'static str, name: String, layout: &Layout, rest: &str| {
        html! {
            <ActionButton {key} action={Action::ReplaceScenario(Box::new(layout.scenario))} class="advised best">
                <strong title={name.clone()}>{ opening(&name) }</strong><span>{ effect(now, &layout.report) }{ rest }</span>
                if layout.lack.is_some() {
                    <span>{ not_in(layout.scenario.framework) }</span>
                }
            </ActionButton>
        }
    };
    let progress = search.ranking().progress();
    let [fitting, all] = [progress.fitting, progress.of].map(|count| format::count(count as f64));
    if let Some(layout) = search.offered(now) {
        let what = if layout.is_sure() && !now.is_sure() { SAFER } else { BEST };
        let name = format!("{what}: {}", laid_out(scenario, &layout.scenario));
        let place = if layout.is_sure() { FASTEST_SURE } else { FASTEST };
        return offered("best", name, &layout, &format!(", {place} of {fitting}"));
    }
    if let Some(fastest) = search.best() {
        let none = if gain(now, &fastest.report) < LEAST_GAIN { NONE_FASTER } else { NONE_SAFER };
        return said(YOURS, format!("{fitting} of {all} layouts are valid and fit; {none}"));
    }
    let Some((change, layout)) = search.also() else { return said(NOTHING_FITS, OR_WITH.to_owned()) };
    let with = name_change(change, &layout.scenario);
    let rest = match change {
        Change::Lora => ", same batch, only adapters train",
        _ => SAME_BATCH,
    };
    offered("best", format!("Fits with {with}: {}", laid_out(scenario, &layout.scenario)), layout, rest)
}

/// Label of the best layout.
const BEST: &str = "Best layout";
/// Label of the best layout if it fits surely and the scenario does not.
const SAFER: &str = "Safer";
/// Place of the best layout among those that fit.
const FASTEST_SURE: &str = "the fastest sure one";
/// Place of the best layout if none fits surely.
const FASTEST: &str = "none is sure, the fastest";
/// Text before the list of what the search of the best layout varies.
const VARIED: &str = "Layouts vary ";
/// Label if no layout is worth a change.
const YOURS: &str = "Your layout is the best";
/// Reason if no layout is faster.
const NONE_FASTER: &str = "none is more than 1\u{2009}% faster than yours";
/// Reason if some layouts are faster.
const NONE_SAFER: &str = "those that are faster are less sure to fit";
/// Label before the search is over.
const SEARCHING: &str = "Searching for the best layout …";
/// Note that the batch stays.
const SAME_BATCH: &str = ", same batch";
/// Label if nothing fits.
const NOTHING_FITS: &str = "Nothing fits on these GPUs";
/// Changes that were tried if nothing fits.
const OR_WITH: &str = "even with 8-bit Adam, CPU offload or LoRA";

/// Returns the gain in tokens per second, as a share.
fn gain(now: &Report, then: &Report) -> f64 {
    then.whole().tokens_per_s_per_gpu / now.whole().tokens_per_s_per_gpu - 1.0
}

/// Renders a button that makes the change, with the effect. The key keeps each button at its place
/// while others come and go.
fn advised(place: usize, advice: &Advice, now: &Report) -> Html {
    html! {
        <ActionButton key={place} action={Action::ReplaceScenario(Box::new(advice.scenario))} class="advised">
            <strong title={change(advice)}>{ opening(&change(advice)) }</strong><span>{ effect(now, &advice.report) }</span>
            if advice.lack.is_some() {
                <span>{ not_in(advice.scenario.framework) }</span>
            }
            if let Some(besides) = besides(now, advice) {
                <span>{ besides }</span>
            }
        </ActionButton>
    }
}

/// Returns the effect of a change, with the odds of the changed run. The effect is the gain in
/// speed, or the MFU if the present run does not fit, or if only the changed run is sure to fit.
fn effect(now: &Report, then: &Report) -> String {
    let (mfu, odds) = (format::percent(then.whole().mfu), format!("{} fit", format::odds(then.odds())));
    if now.fits() && (now.is_sure() || !then.is_sure()) {
        format!("{}, {odds}", faster(gain(now, then)))
    } else {
        format!("{mfu} MFU, {odds}")
    }
}
