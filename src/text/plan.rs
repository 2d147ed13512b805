//! The texts of planning backwards.

pub mod money;

use crate::view::{Asked, PlanView};
use charts::names;
use engine::analysis::plan::{Found, Hardware, Kind, Plan, Progress, Question, break_even};
use engine::catalog::REVISION;
use engine::format;
use engine::params::Unit;

/// The heading.
pub const TITLE: &str = "Plan backwards";
/// The accessible name of the select.
pub const ASK: &str = "What is asked";
/// The questions, in the order of [`Asked::ALL`].
pub const QUESTIONS: [&str; Asked::ALL.len()] = [
    "fewest GPUs that hold it",
    "cheapest by a deadline",
    "fastest within a budget",
    "longest context on these GPUs",
    "largest model on these GPUs",
    "largest batch on these GPUs",
];
/// On the button that ends a search.
pub const STOP: &str = "Stop";
/// On the button that begins it again.
pub const SEARCH: &str = "Search";
/// Where a search was ended.
pub const STOPPED: &str = "The search was stopped.";
/// Before the search.
pub const WAITING: &str = "The search begins when the scenario stands still …";
/// Where what is typed is no number.
pub const NO_NUMBER: &str = "Enter a number above 0, such as 30, 2.5 or 100k.";
/// Under the table of a question about the GPUs at hand.
const ON_THESE: &str = "Same data, precision and GPUs; strategies, degrees, micro-batches and recomputation vary, and the fastest layout that fits \
     stands here. Choose a row to take it as the scenario.";

/// Under the table of a question about clusters.
fn over_clusters() -> String {
    format!(
        "Same model, data, precision and tokens a step on every cluster of the catalog and on your own hardware, on powers of two \
     of GPUs and of nodes up to 131,072; strategies, degrees, micro-batches and recomputation vary, and of each cluster the \
     best stands here. Your hardware has your price, others the list price of their GPU (catalog revision {REVISION}) wherever they \
     are rented; what no list has, and machines of laboratories and companies, are left out where money counts. Days count \
     checkpoints and the failures of the scenario. Ranges are those of measured steps: 80 % of runs lie within. Whether so \
     many GPUs are for rent is not known here."
    )
}

/// The note under the table.
pub fn note(question: Question) -> String {
    let of = match question {
        Question::LongestContext => " The tokens of a step stay: longer sequences, fewer of them.",
        Question::LargestModel => {
            " The published sizes of the model’s family; of a model without one its size doubled and halved."
        }
        Question::LargestBatch => " The batch that GPUs take in one pass: with gradient accumulation any batch fits.",
        _ => return over_clusters(),
    };
    [ON_THESE, of].concat()
}

/// The label of the number of a question: name and unit.
pub fn label(asked: Asked) -> Option<(&'static str, &'static str)> {
    match asked {
        Asked::Cheapest => Some(("Deadline", "days")),
        Asked::Fastest => Some(("Budget", "$")),
        _ => None,
    }
}

/// How far a search is: `Searching: 45 % of 2,505,240 combinations.`
pub fn progress(progress: Progress) -> String {
    let share = progress.visited as f64 / progress.of.max(1) as f64;
    format!("Searching: {} of {} combinations.", format::percent(share), format::count(progress.of as f64))
}

/// The heading of each column.
pub fn header(kind: Kind) -> Vec<&'static str> {
    let first: &[&str] = match kind {
        Kind::Runs => &["Cluster", "GPUs"],
        Kind::Contexts => &["Sequence"],
        Kind::Models => &["Model"],
        Kind::Batches => &["Batch"],
    };
    let last: &[&str] = if kind == Kind::Runs { &["$ a GPU-hour", "Costs as the first at"] } else { &[] };
    first.iter().chain(&["Layout", "MFU", "Odds to fit", "Time to train", "Cost"]).chain(last).copied().collect()
}

/// A row: its cells, and the values by which they are sorted.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The cells; the first leads to the scenario.
    pub cells: Vec<String>,
    /// The value of each cell; of a text none.
    pub values: Vec<Option<f64>>,
}

/// The row of an answer; `first` is the best one.
pub fn row(plan: &Plan, found: &Found, first: &Found) -> Row {
    let scenario = &found.scenario;
    let count = |value: u32| (format::count(f64::from(value)), Some(f64::from(value)));
    let mut cells: Vec<(String, Option<f64>)> = match plan.kind() {
        Kind::Runs => {
            let of = plan.hardware().get(found.hardware);
            vec![(of.map_or(String::new(), Hardware::name), None), count(scenario.gpus)]
        }
        Kind::Contexts => {
            let tokens = f64::from(scenario.seq_len);
            vec![(format::value(Unit::Tokens, tokens), Some(tokens))]
        }
        Kind::Models => {
            let size = scenario.model.architecture().params() as f64;
            vec![(super::model_name(&scenario.model), Some(size))]
        }
        Kind::Batches => {
            let (sequences, tokens) = (found.sequences(), found.report.tokens_per_step);
            let text = format!("{} sequences, {} tokens", format::count(f64::from(sequences)), format::params(tokens));
            vec![(text, Some(f64::from(sequences)))]
        }
    };
    let recompute = names::recompute(scenario);
    let (size, steps) = (scenario.micro_batch_size, scenario.grad_accum_steps);
    let layout = format!("{}, {size} × {steps}, {}", names::layout(scenario), names::in_sentence(recompute));
    cells.push((layout, None));
    cells.push((format::percent(found.report.mfu), Some(found.report.mfu)));
    cells.push((format::percent(found.odds), Some(found.odds)));
    let [time, cost] = ranges(plan, found);
    cells.push((time, Some(found.days())));
    cells.push((cost, Some(found.dollars())));
    if plan.kind() == Kind::Runs {
        let has_price = plan.has_price(found);
        let price = scenario.run.price_per_gpu_hour;
        let own = if has_price { money::price(price) } else { "not listed".to_owned() };
        cells.push((own, Some(price).filter(|_| has_price)));
        let even = break_even(first, found).filter(|_| plan.has_price(first));
        let is_first = found.hardware == first.hardware;
        cells.push((even.filter(|_| !is_first).map_or("–".to_owned(), money::price), even));
    }
    let (cells, values) = cells.into_iter().unzip();
    Row { cells, values }
}

/// Time and cost with their ranges: `21.7 days (16.9–34.1 days)`.
pub fn ranges(plan: &Plan, found: &Found) -> [String; 2] {
    if !found.run.finishes() {
        return ["never".into(), "–".into()];
    }
    let time = |factor: f64| format::duration(factor * found.run.time);
    let cost = |factor: f64| format::dollars(factor * found.dollars());
    let with = |text: &dyn Fn(f64) -> String| {
        format!("{} ({})", text(1.0), format::range(&text(found.band.low), &text(found.band.high)))
    };
    [with(&time), if plan.has_price(found) { with(&cost) } else { "–".into() }]
}

/// The finding.
pub fn caption(plan: &Plan, view: PlanView) -> String {
    let question = view.question();
    let answers = plan.answers(question);
    let Some(best) = answers.first() else { return missed(plan, question) };
    let scenario = &best.scenario;
    let (time, cost) = (format::duration(best.run.time), format::dollars(best.dollars()));
    let gpus = format::count(f64::from(scenario.gpus));
    let on = plan.hardware().get(best.hardware).map_or(String::new(), Hardware::name);
    let odds = if best.odds < 0.9 {
        format!(" It is tight: {} of 10 such runs fit.", (10.0 * best.odds).round())
    } else {
        String::new()
    };
    let found = match question {
        Question::FewestGpus => {
            let many = if scenario.gpus == 1 { "One GPU holds".to_owned() } else { format!("{gpus} GPUs hold") };
            format!("{many} it: {on}, {}.", names::layout(scenario))
        }
        Question::Cheapest { days } => {
            format!("Within {} days the cheapest is {on} with {gpus} GPUs: {cost} in {time}.", format::count(days))
        }
        Question::Fastest { dollars } => {
            format!("For {} the fastest is {on} with {gpus} GPUs: {time} for {cost}.", format::dollars(dollars))
        }
        Question::LongestContext => {
            let seq = format::value(Unit::Tokens, f64::from(scenario.seq_len));
            let end = if best.sequences() == 1 { " The batch holds no longer sequence." } else { "" };
            format!("Sequences of {seq} fit on these {gpus} GPUs: {}.{end}", names::layout(scenario))
        }
        Question::LargestModel => {
            format!(
                "{} fits on these {gpus} GPUs: {}, {time}.",
                super::model_name(&scenario.model),
                names::layout(scenario)
            )
        }
        Question::LargestBatch => {
            let tokens = format::params(best.report.tokens_per_step);
            let sequences = format::count(f64::from(best.sequences()));
            format!(
                "{sequences} sequences, {tokens} tokens, fit on these {gpus} GPUs in one pass: {}.",
                names::layout(scenario)
            )
        }
    };
    format!("{found}{odds} {}", searched(plan))
}

/// What was searched: `Of 2,610,000 combinations 546,000 had to be evaluated, 303,000 of them fit.`
fn searched(plan: &Plan) -> String {
    let Progress { visited, evaluated, fitting, .. } = plan.progress();
    let [visited, evaluated, fitting] = [visited, evaluated, fitting].map(|number| format::count(number as f64));
    let refused = plan.hardware().iter().filter(|of| of.refused.is_some()).count();
    let refused = match refused {
        0 => String::new(),
        1 => " One cluster cannot run this precision or software.".to_owned(),
        many => format!(" {many} clusters cannot run this precision or software."),
    };
    format!("Of {visited} combinations {evaluated} had to be evaluated, {fitting} of them fit.{refused}")
}

/// The finding where nothing answers.
fn missed(plan: &Plan, question: Question) -> String {
    let nearest = plan.nearest_miss(question).map(|found| {
        let on = plan.hardware().get(found.hardware).map_or(String::new(), Hardware::name);
        let (time, cost) = (format::duration(found.run.time), format::dollars(found.dollars()));
        format!("{on} with {} GPUs: {time}, {cost}", format::count(f64::from(found.scenario.gpus)))
    });
    let said = match (question, nearest) {
        (Question::Cheapest { days }, Some(nearest)) => {
            format!("No run ends within {} days. The fastest is {nearest}.", format::count(days))
        }
        (Question::Fastest { dollars }, Some(nearest)) => {
            format!("No run costs {} or less. The cheapest is {nearest}.", format::dollars(dollars))
        }
        _ => "Nothing that was searched fits.".to_owned(),
    };
    format!("{said} {}", searched(plan))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::catalog;
    use engine::share::decode;

    fn planned(view: PlanView) -> Plan {
        let own = decode("v=1&rev=7&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=1T").scenario;
        let other = Hardware::cluster(&own, catalog::cluster("dgx-h200").unwrap()).unwrap();
        let mut plan = Plan::over(&own, view.question().kind(), vec![Hardware::own(&own), other]);
        plan.advance(usize::MAX);
        plan
    }

    #[test]
    fn every_question_has_a_finding_and_rows_as_wide_as_their_header() {
        for asked in Asked::ALL {
            let view = PlanView { asked, dollars: 1e6, ..PlanView::default() };
            let plan = planned(view);
            let answers = plan.answers(view.question());
            assert!(!answers.is_empty(), "{asked:?}");
            for found in &answers {
                let row = row(&plan, found, answers[0]);
                assert_eq!((row.cells.len(), row.values.len()), (header(plan.kind()).len(), row.cells.len()));
                assert!(row.cells.iter().all(|cell| !cell.is_empty() && !cell.contains("NaN")), "{row:?}");
            }
            let caption = caption(&plan, view);
            assert!(caption.ends_with('.') && caption.contains(" combinations "), "{caption}");
            assert!(note(view.question()).ends_with('.'));
        }
    }

    #[test]
    fn what_nothing_reaches_names_the_nearest() {
        let view = PlanView { asked: Asked::Cheapest, days: 0.1, ..PlanView::default() };
        let said = caption(&planned(view), view);
        assert!(said.starts_with("No run ends within 0.100 days. The fastest is "), "{said}");
        let view = PlanView { asked: Asked::Fastest, dollars: 10.0, ..view };
        let said = caption(&planned(view), view);
        assert!(said.starts_with("No run costs $10.0 or less. The cheapest is "), "{said}");
    }
}
