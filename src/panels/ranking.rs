//! The best layouts on this cluster, ranked; one click takes one.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser;
use crate::state::Action;
use crate::text;
use charts::names;
use engine::analysis::search::{Layout, Ranking as Search};
use engine::format;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::units::Seconds;

/// The heading.
const TITLE: &str = "Best layouts on this cluster";
/// The heading of each column.
const HEADER: [&str; 7] = ["Layout", "Micro-batch", "Recompute", "MFU", "Step time", "Peak memory", "Speed"];
/// Before the search.
const WAITING: &str = "The search begins once the scenario stands still.";
/// Under the table.
const NOTE: &str = "Same model, sequence length, precision, GPUs and tokens a step; strategies, degrees, micro-batches and recomputation vary, one \
     row a kind. Rows within a few percent of each other are within the error of the engine: try the simpler one.";

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
    let seen = browser::use_seen(&place);
    let rested = browser::use_rested(scenario);
    let search = browser::use_ranking(scenario, seen && rested);
    let kept = use_mut_ref(|| None::<(Scenario, Report, Rc<Search>)>);
    let is_over = search.as_ref().is_some_and(|search| search.tried() == search.len());
    if is_over {
        *kept.borrow_mut() = search.clone().map(|search| (*scenario, *report, search));
    }
    let kept = kept.borrow();
    let caption = match (&*kept, &search) {
        (Some((of, now, found)), _) if of == scenario => caption(now, found),
        (_, Some(search)) => trying(search),
        _ => WAITING.to_owned(),
    };
    let head = HEADER.map(|name| html! { <th scope="col">{ name }</th> });
    let rows = kept.iter().flat_map(|(_, now, found)| {
        // Of what does not fit there is no speed: the best is the measure then.
        let best = found.best().first().map(|best| best.report.time.step);
        let now = best.filter(|_| !now.fits()).unwrap_or(now.time.step);
        found.best().iter().map(move |layout| row(layout, now, scenario, emit))
    });
    html! {
        <div id="ranking" class="figure wide" ref={place}>
            <div class="figure-head"><h2 id="ranking-title">{ TITLE }</h2></div>
            <p class="caption" aria-live="off">{ caption }</p>
            <p class="scroll-hint" aria-hidden="true">{ text::SCROLL }</p>
            <div class="scroll" tabindex="0" role="region" aria-labelledby="ranking-title" aria-busy={(!is_over).to_string()}>
                <table class="strategies ranking">
                    <thead><tr>{ for head }</tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
            <p class="note">{ NOTE }</p>
        </div>
    }
}

fn row(layout: &Layout, now: Seconds, scenario: &Scenario, emit: &Callback<Action>) -> Html {
    let chosen = layout.scenario == *scenario;
    let taken = layout.scenario;
    let take = emit.reform(move |_: MouseEvent| Action::Take(Box::new(taken)));
    let place = taken.strategy.place();
    html! {
        <tr class={chosen.then_some("chosen")}>
            <th scope="row">
                <button type="button" class={format!("strategy-{place}")} aria-pressed={chosen.to_string()} onclick={take}>
                    { names::layout(&taken) }
                </button>
            </th>
            { for cells(layout, now).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
        </tr>
    }
}

/// What is being done: `Trying 12,000 of 20,160 combinations …`.
fn trying(search: &Search) -> String {
    let [tried, all] = [search.tried(), search.len()].map(|count| format::count(count as f64));
    format!("Trying {tried} of {all} combinations …")
}

/// The finding; `now` is the report of the scenario on screen.
fn caption(now: &Report, search: &Search) -> String {
    let all = format::count(search.len() as f64);
    let Some(best) = search.best().first() else {
        return format!("None of {all} combinations fits: the step needs more memory, more GPUs, or less to do.");
    };
    let fitting = format::count(search.fitting() as f64);
    let of = format!("Of {all} combinations {fitting} come out even and fit");
    let gain = speed(now.time.step, best.report.time.step);
    if !now.fits() {
        let mfu = format::percent(best.report.mfu);
        format!("{of}; the fastest reaches {mfu} MFU: {}.", names::layout(&best.scenario))
    } else if gain.as_str() == EVEN {
        format!("{of}; none is faster than the scenario on screen by a hundredth.")
    } else {
        format!(
            "{of}; the fastest takes a step {gain} as fast as the scenario on screen: {}.",
            names::layout(&best.scenario)
        )
    }
}

/// The cells of one row after its name.
fn cells(layout: &Layout, now: Seconds) -> [String; 6] {
    let Layout { scenario, report } = layout;
    let steps = format::count(f64::from(scenario.grad_accum_steps));
    [
        format!("{} × {steps}", scenario.micro_batch_size),
        names::recompute(scenario).to_owned(),
        format::percent(report.mfu),
        format::seconds(report.time.step),
        format::bytes(report.memory.peak),
        speed(now, report.time.step),
    ]
}

/// As fast as now.
const EVEN: &str = "1.00×";

/// How many times as fast.
fn speed(now: Seconds, then: Seconds) -> String {
    format!("{:.2}", now / then) + "×"
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::scenario::Scenario;
    use engine::share::decode;

    fn ranked(scenario: &Scenario) -> Search {
        let mut ranking = Search::new(scenario);
        ranking.advance(usize::MAX);
        ranking
    }

    #[test]
    fn the_finding_names_the_best_and_how_much_faster_it_is() {
        let best = decode("").scenario;
        let words = caption(&best.report(), &ranked(&best));
        assert!(words.ends_with("none is faster than the scenario on screen by a hundredth."), "{words}");

        let slow = decode("recompute=full").scenario;
        let words = caption(&slow.report(), &ranked(&slow));
        assert!(words.contains("× as fast as the scenario on screen: FSDP FULL_SHARD."), "{words}");

        let large = decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&seq=8k&accum=4").scenario;
        let words = caption(&large.report(), &ranked(&large));
        assert!(words.contains("MFU: FSDP FULL_SHARD, tp 2."), "{words}");

        let hopeless = decode("model=llama-3.1-405b&gpus=4&seq=8k").scenario;
        assert!(caption(&hopeless.report(), &ranked(&hopeless)).starts_with("None of "));
    }

    #[test]
    fn a_row_has_a_cell_for_each_column() {
        let scenario = decode("").scenario;
        let ranking = ranked(&scenario);
        let row = cells(&ranking.best()[0], scenario.report().time.step);
        assert_eq!(row.len() + 1, HEADER.len());
        assert_eq!(row[5], EVEN);
    }
}
