//! Rows of answers: the text of each column, and the value that the column is sorted by.

use super::money;
use crate::words::model_name;
use analysis::plan::{FastestLayout, Hardware, Plan, Question, SearchKind, break_even};
use analysis::settings::settings_beside;
use charts::names;
use engine::format;
use engine::params::Unit;

/// Returns the headings of the columns.
pub(super) fn header(question: Question) -> Vec<&'static str> {
    let kind = question.kind();
    let first: &[&str] = match kind {
        SearchKind::Runs => &["Cluster", "GPUs"],
        SearchKind::Contexts => &["Sequence"],
        SearchKind::Models => &["Model"],
        SearchKind::Batches => &["Batch"],
    };
    let last: &[&str] = if kind == SearchKind::Runs { &["$/GPU-hour", "Break-even $/GPU-h"] } else { &[] };
    let odds: &[&str] = match question {
        Question::Cheapest { .. } => &["Odds in time"],
        Question::Fastest { .. } => &["Odds in budget"],
        _ => &[],
    };
    let middle = ["Layout", "MFU", "Odds to fit"];
    first.iter().chain(&middle).chain(odds).chain(&["Time to train", "Cost"]).chain(last).copied().collect()
}

/// A row: its cells, and the values that they are sorted by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// The cells; the first loads the scenario.
    pub cells: Vec<String>,
    /// The value of each cell; `None` for a text.
    pub values: Vec<Option<f64>>,
}

/// Returns the row of an answer; `first` is the best answer.
pub(super) fn row(plan: &Plan, question: Question, found: &FastestLayout, first: &FastestLayout) -> Row {
    let scenario = &found.scenario;
    let count = |value: u32| (format::count(f64::from(value)), Some(f64::from(value)));
    let mut cells: Vec<(String, Option<f64>)> = match plan.kind() {
        SearchKind::Runs => {
            let of = plan.hardware().get(found.hardware);
            vec![(of.map_or(String::new(), Hardware::name), None), count(scenario.gpus)]
        }
        SearchKind::Contexts => {
            let tokens = f64::from(scenario.seq_len);
            let grown = if found.batch() > plan.terms().batch * GROWN {
                format!(", batch grows to {}", format::tokens(found.batch()))
            } else {
                String::new()
            };
            vec![(format::value(Unit::Tokens, tokens) + &grown, Some(tokens))]
        }
        SearchKind::Models => {
            let size = scenario.model.architecture().params() as f64;
            vec![(model_name(&scenario.model), Some(size))]
        }
        SearchKind::Batches => {
            let (sequences, tokens) = (found.sequences(), found.report.tokens_per_step);
            let text = format!("{} sequences, {} tokens", format::count(f64::from(sequences)), format::params(tokens));
            vec![(text, Some(f64::from(sequences)))]
        }
    };
    let recompute = names::recompute(scenario);
    let (size, steps) = (scenario.micro_batch_size, scenario.grad_accum_steps);
    let layout = format!("{}, {size} × {steps}, {}", names::layout(scenario), names::in_sentence(recompute));
    let settings = settings_beside(plan.scenario(), scenario);
    let layout = core::iter::once(layout).chain(settings).collect::<Vec<_>>().join(", ");
    cells.push((layout, None));
    cells.push((format::percent(found.report.whole().mfu), Some(found.report.whole().mfu)));
    cells.push((format::odds(found.odds), Some(found.odds)));
    cells.extend(found.limit_odds(question).map(|odds| (format::percent(odds), Some(odds))));
    let [time, cost] = ranges(plan, found);
    cells.push((time, Some(found.days())));
    cells.push((cost, Some(found.dollars())));
    if plan.kind() == SearchKind::Runs {
        let has_price = plan.has_price(found);
        let price = scenario.run.price_per_gpu_hour;
        let listed = plan.hardware().get(found.hardware).and_then(|of| of.listed);
        let own = match listed {
            _ if !has_price => "unknown".to_owned(),
            Some(listed) => format!("{} {}", money::price(price), listed.provider()),
            None => money::price(price),
        };
        cells.push((own, Some(price).filter(|_| has_price)));
        let is_other = found.hardware != first.hardware && plan.has_price(first);
        let even = break_even(first, found).filter(|_| is_other);
        cells.push((even.map_or("–".to_owned(), money::price), even));
    }
    let (cells, values) = cells.into_iter().unzip();
    Row { cells, values }
}

/// Multiple of the requested batch above which a batch has grown, rather than been rounded.
const GROWN: f64 = 1.05;

/// Returns time and cost with their ranges: `21.7 days (16.9–34.1)`, `$265k ($208k–$417k)`.
pub(super) fn ranges(plan: &Plan, found: &FastestLayout) -> [String; 2] {
    if !found.run.finishes() {
        return ["never".into(), "–".into()];
    }
    let time = |factor: f64| format::duration(factor * found.run.time);
    let cost = |factor: f64| format::short_dollars(factor * found.dollars());
    let with = |text: &dyn Fn(f64) -> String| {
        let whole = text(1.0);
        let range = format::range(&text(found.band.low), &text(found.band.high));
        let unit = whole.split_once('\u{2009}').map_or("", |(_, unit)| unit);
        let short = range.strip_suffix(unit).map_or(range.as_str(), str::trim_end);
        format!("{whole} ({short})")
    };
    [with(&time), if plan.has_price(found) { with(&cost) } else { "–".into() }]
}
