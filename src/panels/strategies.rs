//! Every strategy on this cluster, side by side: what each reaches and how far it goes.

use yew::prelude::*;

use crate::components::ask::ask;
use crate::state::Action;
use crate::text::{self, strategies as words};
use charts::names;
use engine::analysis::limits::{Reach, by_strategy};
use engine::explain::REACHES;
use engine::params::ParamId;
use engine::scenario::Scenario;

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The choices, as they were when they last stood still.
    pub scenario: Scenario,
    /// The card that is open.
    pub why: &'static str,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// A table, one row a strategy; a row's button chooses it. It is below the first screen, and so follows a short pause.
#[component]
pub fn Strategies(props: &Props) -> Html {
    let Props { scenario, why, emit } = props;
    let first = words::HEADER.len() - REACHES.len();
    let head = words::HEADER.into_iter().enumerate().map(|(place, name)| {
        let key = place.checked_sub(first).and_then(|place| REACHES.get(place));
        html! { <th scope="col">{ name }{ for key.map(|key| ask(key, name, why, emit)) }</th> }
    });
    let reaches = use_memo(*scenario, by_strategy);
    html! {
        <div id="strategies" class="figure wide">
            <div class="figure-head"><h2 id="strategies-title">{ words::TITLE }</h2></div>
            <p class="caption">{ words::caption(&*reaches) }</p>
            <p class="scroll-hint" aria-hidden="true">{ text::SCROLL }</p>
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
            { for words::cells(reach, all).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
        </tr>
    }
}
