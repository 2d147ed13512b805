//! The best layouts on this cluster, ranked; one click takes one.

use std::rc::Rc;

use yew::prelude::*;

use crate::effects;
use crate::state::Action;
use crate::text::{self, ranking as words};
use charts::names;
use engine::analysis::search::{Ranking as Search, Way};
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::units::Seconds;

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The choices, as they were when they last stood still.
    pub scenario: Scenario,
    /// Their report.
    pub report: Report,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// A table, one row a layout; a row's button takes it. The search begins where the table is about to be seen, and the last
/// one stands until the next is over.
#[component]
pub fn Ranking(props: &Props) -> Html {
    let Props { scenario, report, emit } = props;
    let place = use_node_ref();
    let seen = effects::use_seen(&place);
    let rested = effects::use_rested(scenario);
    let search = effects::use_ranking(scenario, seen && rested);
    let kept = use_mut_ref(|| None::<(Scenario, Report, Rc<Search>)>);
    let is_over = search.as_ref().is_some_and(|search| search.tried() == search.len());
    if is_over {
        *kept.borrow_mut() = search.clone().map(|search| (*scenario, *report, search));
    }
    let kept = kept.borrow();
    let caption = match (&*kept, &search) {
        (Some((of, now, found)), _) if of == scenario => words::caption(now, found),
        (_, Some(search)) => words::trying(search),
        _ => words::WAITING.to_owned(),
    };
    let head = words::HEADER.map(|name| html! { <th scope="col">{ name }</th> });
    let rows = kept.iter().flat_map(|(_, now, found)| {
        // Of what does not fit there is no speed: the best is the measure then.
        let best = found.best().first().map(|best| best.report.time.step);
        let now = best.filter(|_| !now.fits()).unwrap_or(now.time.step);
        found.best().iter().map(move |way| row(way, now, scenario, emit))
    });
    html! {
        <div id="ranking" class="figure wide" ref={place}>
            <div class="figure-head"><h2 id="ranking-title">{ words::TITLE }</h2></div>
            <p class="caption" aria-live="off">{ caption }</p>
            <p class="scroll-hint" aria-hidden="true">{ text::SCROLL }</p>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="ranking-title" aria-busy={(!is_over).to_string()}>
                <table class="strategies ranking">
                    <thead><tr>{ for head }</tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
            <p class="note">{ words::NOTE }</p>
        </div>
    }
}

fn row(way: &Way, now: Seconds, scenario: &Scenario, emit: &Callback<Action>) -> Html {
    let chosen = way.scenario == *scenario;
    let taken = way.scenario;
    let take = emit.reform(move |_: MouseEvent| Action::Take(Box::new(taken)));
    let place = taken.strategy.place();
    html! {
        <tr class={chosen.then_some("chosen")}>
            <th scope="row">
                <button type="button" class={format!("strategy-{place}")} aria-pressed={chosen.to_string()} onclick={take}>
                    { names::layout(&taken) }
                </button>
            </th>
            { for words::cells(way, now).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
        </tr>
    }
}
