//! The best layouts on this cluster, ranked.

use std::rc::Rc;

use yew::prelude::*;

use crate::state::Action;
use crate::text;
use crate::text::cost::of_run;
use charts::names;
use engine::analysis::layouts::LayoutSearch;
use engine::analysis::search::Layout;
use engine::format;
use engine::scenario::Scenario;
use engine::units::Seconds;

/// The heading.
const TITLE: &str = "Best layouts on this cluster";
/// The heading of each column.
const HEADER: [&str; 9] = [
    "Layout",
    "Micro-batch × steps × dp",
    "Recompute",
    "MFU",
    "Step time",
    "Peak memory",
    "Speed",
    "Time to train",
    "Cost",
];
/// Before the search.
const WAITING: &str = "The search begins when the scenario stands still …";
/// Under the table.
const NOTE: &str = "Same model, sequence length, precision, GPUs and tokens a step; strategies, degrees, micro-batches and recomputation vary, one \
     row a kind, the fastest first: on the same GPUs it is the cheapest too. Choose a row to take its layout. A step takes the micro-batch times the \
     gradient accumulation steps times the data-parallel GPUs (dp), in sequences. Rows within a few percent of each other are within the error of the \
     engine: try the simpler one.";

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The settled scenario.
    pub scenario: Scenario,
    /// The last search that came to its end.
    pub layouts: Option<Rc<LayoutSearch>>,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// A table with one row for each layout, whose button takes the layout. The last ranking stands until the next search is over.
#[component]
pub fn Ranking(props: &Props) -> Html {
    let Props { scenario, layouts, emit } = props;
    let is_over = layouts.as_ref().is_some_and(|search| search.scenario() == scenario);
    let caption = match layouts {
        Some(search) if is_over => caption(search),
        _ => WAITING.to_owned(),
    };
    let head = HEADER.map(|name| html! { <th scope="col">{ name }</th> });
    let rows = layouts.iter().flat_map(|search| {
        let now = search.scenario().report();
        // Of what does not fit there is no speed: the best is the measure then.
        let best = search.best().map(|best| best.report.time.step);
        let now = best.filter(|_| !now.fits()).unwrap_or(now.time.step);
        search.ranking().best().iter().map(move |layout| row(layout, now, scenario, emit))
    });
    html! {
        <div id="ranking" class="figure wide">
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
        <tr class={chosen.then_some("chosen")} onclick={take}>
            <th scope="row">
                <button type="button" class={format!("strategy-{place}")} aria-pressed={chosen.to_string()}>
                    { names::layout(&taken) }
                </button>
            </th>
            { for cells(layout, now).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
        </tr>
    }
}

/// The finding.
fn caption(search: &LayoutSearch) -> String {
    let (now, ranking) = (search.scenario().report(), search.ranking());
    let all = format::count(ranking.len() as f64);
    let Some(best) = search.best() else {
        return format!("None of {all} combinations fits: the step needs more memory, more GPUs, or less to do.");
    };
    let fitting = format::count(ranking.fitting() as f64);
    let of = format!("Of {all} combinations {fitting} divide evenly and fit");
    let gain = speed(now.time.step, best.report.time.step);
    if !now.fits() {
        let mfu = format::percent(best.report.mfu);
        format!("{of}; the fastest reaches {mfu} MFU: {}.", names::layout(&best.scenario))
    } else if gain.as_str() == EVEN {
        format!("{of}; none is 1 % faster than the scenario on screen.")
    } else {
        format!(
            "{of}; the fastest takes a step {gain} as fast as the scenario on screen: {}.",
            names::layout(&best.scenario)
        )
    }
}

/// The cells of one row after its name.
fn cells(layout: &Layout, now: Seconds) -> [String; 8] {
    let Layout { scenario, report } = layout;
    let [time, cost] = of_run(&scenario.run_of(report));
    let [steps, dp] = [scenario.grad_accum_steps, scenario.degrees().dp].map(|count| format::count(f64::from(count)));
    [
        format!("{} × {steps} × {dp}", scenario.micro_batch_size),
        names::recompute(scenario).to_owned(),
        format::percent(report.mfu),
        format::seconds(report.time.step),
        format::bytes(report.memory.peak),
        speed(now, report.time.step),
        time,
        cost,
    ]
}

/// The speed of a layout that is as fast as the scenario on screen.
const EVEN: &str = "1.00×";

/// How many times as fast a layout is.
fn speed(now: Seconds, then: Seconds) -> String {
    format!("{:.2}", now / then) + "×"
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::scenario::Scenario;
    use engine::share::decode;

    fn searched(scenario: &Scenario) -> LayoutSearch {
        let mut search = LayoutSearch::new(scenario);
        while !search.advance(usize::MAX) {}
        search
    }

    #[test]
    fn the_finding_names_the_best_and_how_much_faster_it_is() {
        let best = decode("").scenario;
        let words = caption(&searched(&best));
        assert!(words.ends_with("none is 1 % faster than the scenario on screen."), "{words}");

        let slow = decode("recompute=full").scenario;
        let words = caption(&searched(&slow));
        assert!(words.contains("× as fast as the scenario on screen: FSDP FULL_SHARD."), "{words}");

        let large = decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&seq=8k&accum=4").scenario;
        let words = caption(&searched(&large));
        assert!(words.contains("MFU: FSDP FULL_SHARD, tp 2."), "{words}");

        let hopeless = decode("model=llama-3.1-405b&gpus=4&seq=8k").scenario;
        assert!(caption(&searched(&hopeless)).starts_with("None of "));
    }

    #[test]
    fn a_row_has_a_cell_for_each_column() {
        let scenario = decode("").scenario;
        let search = searched(&scenario);
        let row = cells(search.best().unwrap(), scenario.report().time.step);
        assert_eq!(row.len() + 1, HEADER.len());
        assert_eq!(row[0], "1 × 1 × 64");
        assert_eq!(row[5], EVEN);
        let run = search.best().unwrap().scenario.run_report();
        assert_eq!(row[6..], [format::duration(run.time), format::dollars(run.cost.get())]);
    }
}
