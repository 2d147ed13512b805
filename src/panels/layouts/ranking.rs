//! The best layouts on this cluster, ranked; or only those that change the strategy.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::headline::odds;
use crate::components::data_table::{column, wide_table};
use crate::components::how::how;
use crate::context::use_page;
use crate::panels::advice::change::{gained, laid_out, not_in};
use crate::state::Action;
use crate::view::Panel;
use analysis::answer::Answer;
use analysis::layouts::{LEAST_GAIN, LayoutSearch};
use analysis::ranking::{Layout, every_strategy};
use analysis::settings::settings_beside;
use catalog::accuracy::Fit;
use charts::names;
use engine::format::{self, THIN_SPACE};
use engine::scenario::Scenario;
use engine::units::Seconds;

/// Heading of the panel.
const TITLE: &str = "Best layouts on this cluster";
/// Heading of the panel with only the strategies.
const STRATEGIES: &str = "Every strategy on this cluster";
/// Label of the filter.
const FILTER: &str = "Only the strategy changes";
/// Headings of the columns.
const HEADER: [&str; 10] = [
    "Layout",
    "Micro-batch × steps × dp",
    "Recompute",
    "MFU",
    "Step time",
    "Memory needed",
    "Odds to fit",
    "Speed",
    "Time to train",
    "Cost",
];
/// Caption before the search is over.
const WAITING: &str = "Searching for the best layout …";
/// Note under the table.
const NOTE: &str = "Same model, sequence length, precision, GPUs and tokens per step. One row a kind, the fastest first, which on the same GPUs is the cheapest \
     too; what the framework cannot run comes last. Choose a row to take its layout. A step takes the micro-batch times the gradient accumulation \
     steps times the data-parallel GPUs (dp), in sequences. Rows within a few percent of each other are within the error of the engine: try the \
     simpler one.";

/// Values to show.
#[derive(PartialEq, Properties)]
pub struct RankingProps {
    /// The settled scenario.
    pub scenario: Scenario,
    /// The last finished search.
    pub layouts: Option<Rc<LayoutSearch>>,
    /// Whether only the strategy changes.
    pub only_strategies: bool,
}

/// A table with one row for each layout, whose button applies the layout. The last ranking is shown
/// until the next search is over; the strategies need no search.
#[component]
pub fn Ranking(props: &RankingProps) -> Html {
    let RankingProps { scenario, layouts, only_strategies } = props;
    let page = use_page();
    let emit = &page.emit;
    let strategies =
        use_memo(
            (*scenario, *only_strategies),
            |&(scenario, shown)| {
                if shown { every_strategy(&scenario) } else { Vec::new() }
            },
        );
    let (panel, title) = if *only_strategies { (Panel::Strategies, STRATEGIES) } else { (Panel::Ranking, TITLE) };
    let is_over = *only_strategies || layouts.as_ref().is_some_and(|search| search.scenario() == scenario);
    let listed = if *only_strategies {
        Some(Listed::strategies(scenario, &strategies))
    } else {
        layouts.as_ref().map(|search| Listed::searched(search))
    };
    let caption = listed.as_ref().filter(|_| is_over).map_or_else(|| WAITING.to_owned(), caption);
    let rows = listed.iter().flat_map(|listed| {
        let now = listed.base.report();
        // A scenario that does not fit has no speed: the best layout is then the reference.
        let best = listed.best.map(|best| best.report.whole().time);
        let now = best.filter(|_| !now.fits()).unwrap_or(now.whole().time);
        listed.layouts.iter().map(move |layout| row(layout, now, scenario, emit))
    });
    let view = page.view;
    let other = if *only_strategies { Panel::Ranking } else { Panel::Strategies };
    let toggle = emit.reform(move |_: MouseEvent| Action::ChangeView(view.showing(other)));
    let title_id = [panel.key(), "-title"].concat();
    html! {
        <div id={panel.key()} class="figure wide">
            <div class="figure-head"><h2 id={title_id.clone()}>{ title }</h2></div>
            // The panels of an embed are those of its link.
            if !view.embed {
                <span class="check-line"><label class="check">
                    <input type="checkbox" id="only-strategies" checked={*only_strategies} onclick={toggle} />{ FILTER }
                </label></span>
            }
            <p class="caption" aria-live="off">{ caption }</p>
            { wide_table("strategies ranking", &title_id, !is_over, HEADER.map(column), rows) }
            { how(NOTE) }
        </div>
    }
}

/// The layouts of the table, and the numbers of its finding.
struct Listed<'a> {
    /// The scenario that the layouts change.
    base: &'a Scenario,
    /// The layouts.
    layouts: &'a [Layout],
    /// The fastest layout that fits.
    best: Option<&'a Layout>,
    /// Number of layouts that are valid and fit, and of all.
    counts: [usize; 2],
    /// Name of the layouts, the choices in which they differ, and what the counted ones do.
    kinds: [&'static str; 3],
}

impl<'a> Listed<'a> {
    /// Lists the result of a search.
    fn searched(search: &'a LayoutSearch) -> Self {
        let (layouts, progress) = (search.ranking().best(), search.ranking().progress());
        let (counts, kinds) =
            ([progress.fitting, progress.of], ["layouts", engine::names::OF_LAYOUTS, "are valid and fit"]);
        Self { base: search.scenario(), layouts, best: search.best(), counts, kinds }
    }

    /// Lists the scenario under every strategy.
    fn strategies(base: &'a Scenario, layouts: &'a [Layout]) -> Self {
        let counts = [layouts.iter().filter(|layout| fits(layout)).count(), layouts.len()];
        let best = layouts.iter().find(|layout| fits(layout));
        Self { base, layouts, best, counts, kinds: ["strategies", "all else stays", "fit"] }
    }
}

/// Whether a layout fits its GPUs and its hosts.
fn fits(layout: &Layout) -> bool {
    Fit::check(&layout.scenario, &layout.report).fits
}

fn row(layout: &Layout, now: Seconds, scenario: &Scenario, emit: &Callback<Action>) -> Html {
    let chosen = layout.scenario == *scenario;
    let taken = layout.scenario;
    let take = emit.reform(move |_: MouseEvent| Action::ReplaceScenario(Box::new(taken)));
    let place = taken.strategy.place();
    let class = classes!(chosen.then_some("chosen"), (!fits(layout)).then_some("moot"));
    html! {
        <tr {class} onclick={take}>
            <th scope="row">
                <button type="button" class={format!("strategy-{place}")} aria-pressed={chosen.to_string()}>
                    { named(scenario, &taken, layout.lack.is_some()) }
                </button>
            </th>
            { for cells(layout, now).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
        </tr>
    }
}

/// Returns a layout's name with the settings that differ from the scenario's, marked if the
/// framework cannot run the layout.
fn named(now: &Scenario, layout: &Scenario, lacks: bool) -> String {
    let settings = settings_beside(now, layout);
    let name = core::iter::once(names::layout(layout)).chain(settings).collect::<Vec<_>>().join(", ");
    if lacks { format!("{name} ({})", not_in(layout.framework)) } else { name }
}

/// Returns the finding.
fn caption(listed: &Listed) -> String {
    let now = listed.base.report();
    let ([fitting, all], [kind, varied, fit]) = (listed.counts.map(|count| format::count(count as f64)), listed.kinds);
    let Some(best) = listed.best else {
        return format!("None of {all} {kind} fits: the step needs more memory, more GPUs, or less to do.");
    };
    let of = format!("{fitting} of {all} {kind} ({varied}) {fit}");
    let name = laid_out(listed.base, &best.scenario);
    let odds = odds(&best.report);
    let gain = best.report.whole().tokens_per_s_per_gpu / now.whole().tokens_per_s_per_gpu - 1.0;
    if !now.fits() {
        format!("{of}; the fastest reaches {} MFU ({odds}): {name}.", format::percent(best.report.whole().mfu))
    } else if gain < LEAST_GAIN {
        format!("{of}; none is more than 1{THIN_SPACE}% faster than yours.")
    } else {
        format!("{of}; the fastest is {} faster than yours ({odds}): {name}.", gained(gain))
    }
}

/// Returns the cells of one row after its name.
fn cells(layout: &Layout, now: Seconds) -> [String; 9] {
    let Layout { scenario, report, odds, .. } = layout;
    let answer = Answer::new(scenario, report);
    let Answer { step, needed, .. } = answer;
    let [steps, dp] = [scenario.grad_accum_steps, scenario.degrees().dp].map(|count| format::count(f64::from(count)));
    [
        format!("{} × {steps} × {dp}", scenario.micro_batch_size),
        names::recompute(scenario).to_owned(),
        format::percent(step.mfu),
        format::seconds(step.time),
        format::bytes(needed),
        format::odds(*odds),
        speed(now, step.time),
        answer.time(),
        answer.cost(),
    ]
}

/// Returns how many times as fast a layout is.
fn speed(now: Seconds, then: Seconds) -> String {
    format!("{:.2}", now / then) + "×"
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::scenario::Strategy;
    use links::decode;

    fn searched(scenario: &Scenario) -> LayoutSearch {
        let mut search = LayoutSearch::new(scenario);
        while !search.advance(usize::MAX) {}
        search
    }

    #[test]
    fn the_finding_names_the_best_and_how_much_faster_it_is() {
        let said = |scenario: &Scenario| caption(&Listed::searched(&searched(scenario)));
        let best = *searched(&decode("").scenario).best().unwrap();
        let words = said(&best.scenario);
        assert!(words.ends_with("none is more than 1\u{2009}% faster than yours."), "{words}");

        let words = said(&decode("recompute=full").scenario);
        assert!(words.contains(" faster than yours (") && words.contains(" of such runs fit): "), "{words}");

        let large = decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&seq=8k&accum=4").scenario;
        let words = said(&large);
        assert!(words.contains("MFU (") && words.contains("FlashAttention-3, torch.compile"), "{words}");

        let hopeless = decode("model=llama-3.1-405b&gpus=4&seq=8k").scenario;
        assert!(said(&hopeless).starts_with("None of "));
    }

    #[test]
    fn every_strategy_is_listed_once_and_those_that_do_not_fit_come_last() {
        let scenario = decode("").scenario;
        let strategies = every_strategy(&scenario);
        let fits: Vec<bool> = strategies.iter().map(|layout| layout.report.fits()).collect();
        assert!(fits.is_sorted_by_key(|fits| !fits) && fits.contains(&true) && fits.contains(&false), "{fits:?}");
        for strategy in Strategy::ALL {
            let layouts = strategies.iter().filter(|layout| layout.scenario == scenario.with_strategy(strategy));
            assert_eq!(layouts.count(), 1, "{strategy:?}");
        }
        let count = fits.iter().filter(|fits| **fits).count();
        let words = caption(&Listed::strategies(&scenario, &strategies));
        assert!(words.starts_with(&format!("{count} of {} strategies (all else stays) fit;", fits.len())), "{words}");
    }

    #[test]
    fn a_row_has_a_cell_for_each_column() {
        let scenario = decode("").scenario;
        let best = *searched(&scenario).best().unwrap();
        let row = cells(&best, best.report.whole().time);
        assert_eq!(row.len() + 1, HEADER.len());
        let Scenario { micro_batch_size, grad_accum_steps, .. } = best.scenario;
        assert_eq!(row[0], format!("{micro_batch_size} × {grad_accum_steps} × {}", best.scenario.degrees().dp));
        assert_eq!(row[4], format::bytes(best.report.memory.needed));
        assert_eq!(row[6], "1.00×");
        let run = best.scenario.run_report();
        assert_eq!(row[7..], [format::duration(run.time), format::dollars(run.cost.get())]);
    }

    /// Bitsandbytes has no tensor parallelism, and FSDP1 no pipeline.
    #[test]
    fn what_the_framework_cannot_run_is_marked_and_comes_last() {
        let link = "gpu=l40s&model=llama-3.1-70b&gpus=8&seq=1k&train=lora&base=nf4dq&framework=fsdp1";
        let search = searched(&decode(link).scenario);
        let best = search.ranking().best();
        assert!(best.is_sorted_by_key(|layout| layout.lack.is_some()));
        let last = best.last().unwrap();
        assert!(last.lack.is_some() && named(search.scenario(), &last.scenario, true).ends_with(" (not in FSDP1)"));
        let offered = search.offered(&search.scenario().report());
        assert!(offered.is_some_and(|layout| layout.lack.is_none()), "{offered:?}");
    }
}
