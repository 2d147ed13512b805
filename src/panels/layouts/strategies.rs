//! Every strategy on this cluster: MFU, step time, memory needed, largest model and longest
//! sequence.

use yew::prelude::*;

use crate::components::data_table::SCROLL;
use crate::components::explain_button::explain_button;
use crate::state::Action;
use analysis::limits::{Reach, by_strategy};
use charts::names;
use engine::format;
use engine::params::ParamId;
use engine::rounding;
use engine::scenario::{Scenario, Strategy};
use explain::REACHES;

/// Heading of the table.
const TITLE: &str = "Every strategy on this cluster";
/// Headings of the columns.
const HEADER: [&str; 7] =
    ["Strategy", "MFU", "Step time", "Memory needed", "Largest GPT-style model", "Relative to DDP", "Longest sequence"];
/// Cell text if nothing that was searched fits.
const NOTHING: &str = "none";

/// Values to show, and the callback for actions.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The settled scenario.
    pub scenario: Scenario,
    /// Key of the open explanation.
    pub why: &'static str,
    /// Applies actions.
    pub emit: Callback<Action>,
}

/// A table with one row for each strategy, whose button chooses the strategy.
#[component]
pub fn Strategies(props: &Props) -> Html {
    let Props { scenario, why, emit } = props;
    let first = HEADER.len() - REACHES.len();
    let head = HEADER.into_iter().enumerate().map(|(place, name)| {
        let key = place.checked_sub(first).and_then(|place| REACHES.get(place));
        html! { <th scope="col">{ name }{ for key.map(|key| explain_button(key, name, why, emit)) }</th> }
    });
    let reaches = use_memo(*scenario, by_strategy);
    html! {
        <div id="strategies" class="figure wide">
            <div class="figure-head"><h2 id="strategies-title">{ TITLE }</h2></div>
            <p class="caption">{ caption(&*reaches) }</p>
            <p class="scroll-hint" aria-hidden="true">{ SCROLL }</p>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="strategies-title">
                <table class="strategies">
                    <thead><tr>{ for head }</tr></thead>
                    <tbody>
                        { for reaches.iter().map(|reach| row(scenario, reach, &*reaches, emit)) }
                    </tbody>
                </table>
            </div>
        </div>
    }
}

fn row(scenario: &Scenario, reach: &Reach, all: &[Reach], emit: &Callback<Action>) -> Html {
    let chosen = scenario.strategy == reach.strategy;
    let place = reach.strategy.place();
    let choose = emit.reform(move |_: MouseEvent| Action::Choose { key: ParamId::Strategy, index: place });
    let class = classes!(chosen.then_some("chosen"), (!reach.report.fits()).then_some("moot"));
    html! {
        <tr {class}>
            <th scope="row">
                <button type="button" class={format!("strategy-{place}")} aria-pressed={chosen.to_string()} onclick={choose}>
                    { names::strategy(place) }
                </button>
            </th>
            { for cells(reach, all).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
        </tr>
    }
}

/// Returns the finding: how far full sharding goes beyond DDP.
fn caption(reaches: &[Reach]) -> String {
    let of = |strategy| reaches.iter().find(|reach| reach.strategy == strategy);
    let largest = |strategy| of(strategy).and_then(|reach| reach.largest_model);
    let any = |strategy| of(strategy).is_some_and(|reach| reach.any_model);
    match (largest(Strategy::Ddp), largest(Strategy::FullShard)) {
        (Some(ddp), Some(_)) if any(Strategy::Ddp) => {
            format!("With this sequence length and batch even DDP holds the largest GPT-style model, {}.", params(ddp))
        }
        (Some(ddp), Some(full)) => {
            let least = if any(Strategy::FullShard) { "at least " } else { "" };
            format!(
                "With this sequence length and batch DDP holds GPT-style models up to {}, FULL_SHARD up to {}: {least}{} as large.",
                params(ddp),
                params(full),
                times(full / ddp)
            )
        }
        (None, Some(full)) => format!(
            "With this sequence length and batch DDP does not hold the smallest GPT-style model, 1.3B; FULL_SHARD \
             holds up to {}.",
            params(full)
        ),
        (_, None) => {
            "With this sequence length and batch no strategy holds the smallest GPT-style model, 1.3B.".to_owned()
        }
    }
}

/// Returns the cells of one row after its name.
fn cells(reach: &Reach, all: &[Reach]) -> [String; 6] {
    let report = &reach.report;
    let ddp = all.iter().find(|other| other.strategy == Strategy::Ddp && !other.any_model);
    let ddp = ddp.and_then(|other| other.largest_model);
    let or_more = |text: String, any: bool| if any { format!("{text} or more") } else { text };
    [
        if report.fits() { format::percent(report.mfu) } else { "does not fit".to_owned() },
        format::seconds(report.time.step),
        format::bytes(report.memory.needed),
        reach.largest_model.map_or(NOTHING.to_owned(), |size| or_more(params(size), reach.any_model)),
        ddp.zip(reach.largest_model).map_or("–".to_owned(), |(ddp, size)| {
            let least = if reach.any_model { "≥ " } else { "" };
            format!("{least}{}", times(size / ddp))
        }),
        reach.longest_sequence.map_or(NOTHING.to_owned(), |tokens| {
            or_more(format::count(rounding::said_down(f64::from(tokens))), reach.any_sequence)
        }),
    ]
}

/// Returns a size that fits as text, rounded down so that the rounded size fits too.
fn params(size: f64) -> String {
    format::params(rounding::down(size))
}

fn times(ratio: f64) -> String {
    format!("{ratio:.1}") + "×"
}
