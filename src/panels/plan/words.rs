//! Texts of the plan.

use crate::view::{PlanQuestion, PlanView, SURE};
use crate::words::model_name;
use analysis::plan::{Hardware, Plan, Progress, Question, SearchKind};
use charts::names;
use engine::format;
use engine::params::Unit;

/// Heading of the panel.
pub const TITLE: &str = "Plan backwards";
/// Accessible name of the select.
pub const ASK: &str = "What is asked";
/// Names of the questions, in the order of [`PlanQuestion::ALL`].
pub const QUESTIONS: [&str; PlanQuestion::ALL.len()] = [
    "fewest GPUs that fit",
    "cheapest by a deadline",
    "fastest within a budget",
    "longest context on these GPUs",
    "largest model on these GPUs",
    "largest batch on these GPUs",
];
/// Label of the button that stops a search.
pub const STOP: &str = "Stop";
/// Label of the button that starts the search again.
pub const SEARCH: &str = "Search";
/// Status of a search that was stopped.
pub const STOPPED: &str = "The search was stopped.";
/// Status before the search.
pub const WAITING: &str = "Searching for plans …";
/// Label of the batch, and its unit.
pub const BATCH: (&str, &str) = ("Global batch", "tokens per step");
/// Label of the odds that an answer must reach.
pub const HOW_SURE: &str = "How sure";
/// Label of the choice of the GPU whose answers are shown.
pub const ON: &str = "On";
/// Option for the answers on every GPU.
pub const ANY_GPU: &str = "Every GPU";

/// Returns the odds that an answer may have to reach, in the order of [`SURE`].
pub fn sure() -> [String; SURE.len()] {
    SURE.map(|sure| format!("{sure} %"))
}
/// Error for typed text that is no number.
pub const NO_NUMBER: &str = "Enter a number above 0, such as 30, 2.5 or 100k.";
/// Note under the table of a question about the GPUs at hand.
const ON_THESE: &str = "Data and GPUs are fixed; the layout varies as in the search of layouts. Each row is the fastest layout that \
     fits with these odds. Choose a row to take it as the scenario.";

/// Returns the note under the table of a question about clusters.
fn over_clusters() -> String {
    format!(
        "Same model, data, precision and global batch on every cluster of the catalog and on your own hardware, on powers of two \
     of GPUs and on 1 to 8, 10, 12, 14, 16, 24, 32, 48 … nodes up to 131,072 GPUs; where the GPUs do not divide the batch it is up to a quarter \
     smaller. Layouts vary {}, and each row is the best of one cluster. Your hardware \
     has your price, a cloud’s product that cloud’s list price, other hardware the list price of its GPU; a product whose cloud’s \
     price is not known is listed as its GPUs and links. Hardware without a list price, and machines of laboratories and \
     companies, are left out where money counts. Days include checkpoints and the scenario’s failures. Ranges are those of \
     measured steps: 80 % of runs lie within; the odds in time and in budget follow from the ranges and the odds to fit.",
        engine::names::OF_LAYOUTS
    )
}

/// Returns the note under the table.
pub fn note(question: Question) -> String {
    let of = match question {
        Question::LongestContext => {
            " The global batch stays while it holds the sequences, and then grows, up to one sequence on every GPU: such rows say so."
        }
        Question::LargestModel => {
            " The published sizes of the model’s family; of a model without one its size doubled and halved."
        }
        Question::LargestBatch => " The batch that GPUs take in one pass: with gradient accumulation any batch fits.",
        _ => "",
    };
    let base = if question.kind() == SearchKind::Runs { over_clusters() } else { ON_THESE.to_owned() };
    let unchecked = question.unchecked().map(|unchecked| format!(" {unchecked}")).unwrap_or_default();
    base + of + &unchecked
}

/// Returns the label of the number of a question: name and unit; `None` for a question without a
/// number.
pub fn label(asked: PlanQuestion) -> Option<(&'static str, &'static str)> {
    match asked {
        PlanQuestion::Cheapest => Some(("Deadline", "days from now")),
        PlanQuestion::Fastest => Some(("Budget", "$")),
        _ => None,
    }
}

/// Returns the progress of a search: `Searching: 45 % of 2,505,240 combinations.`
pub fn progress(progress: Progress) -> String {
    let share = progress.visited as f64 / progress.of.max(1) as f64;
    format!("Searching: {} of {} combinations.", format::percent(share), format::count(progress.of as f64))
}

/// Returns the finding.
pub fn caption(plan: &Plan, larger: Option<&Plan>, view: PlanView) -> String {
    let question = view.question();
    let answers = view.answers(plan);
    let limited = larger.map_or(String::new(), |larger| limited(plan, larger, question));
    let Some(best) = answers.first() else { return missed(plan, question, &limited) };
    let scenario = &best.scenario;
    let (time, cost) = (format::duration(best.run.time), format::dollars(best.dollars()));
    let gpus = format::gpus(scenario.gpus);
    let on = plan.hardware().get(best.hardware).map_or(String::new(), Hardware::name);
    let batch = format!("{} tokens per step", format::tokens(best.batch()));
    let odds = match best.limit_odds(question) {
        Some(odds) => format!("odds to fit and hold that {}", format::percent(odds)),
        None => format!("{} of such runs fit", format::percent(best.odds)),
    };
    let found = match question {
        Question::FewestGpus => {
            format!("It fits on {gpus}: {on}, {}, with {batch}; {odds}.", names::layout(scenario))
        }
        Question::Cheapest { days } => {
            let days = format::count(days);
            format!("Within {days} days the cheapest is {on} with {gpus}: {cost} in {time}, with {batch}; {odds}.")
        }
        Question::Fastest { dollars } => {
            let budget = format::dollars(dollars);
            format!("For {budget} the fastest is {on} with {gpus}: {time} for {cost}, with {batch}; {odds}.")
        }
        Question::LongestContext => {
            let seq = format::value(Unit::Tokens, f64::from(scenario.seq_len));
            format!("Sequences of {seq} fit on {gpus}: {}, with {batch}; {odds}.", names::layout(scenario))
        }
        Question::LargestModel => {
            format!(
                "{} fits on {gpus}: {}, {time}, with {batch}; {odds}.",
                model_name(&scenario.model),
                names::layout(scenario)
            )
        }
        Question::LargestBatch => {
            let tokens = format::params(best.report.tokens_per_step);
            let sequences = format::count(f64::from(best.sequences()));
            format!(
                "{sequences} sequences, {tokens} tokens, fit on {gpus} in one pass: {}; {odds}.",
                names::layout(scenario)
            )
        }
    };
    format!("{found}{limited} {}", searched(plan))
}

/// Returns the result of a larger batch, if the smaller batch is the limit: ` Limited by the
/// 262k-token batch: with 4.19M tokens $190,000.`
fn limited(plan: &Plan, larger: &Plan, question: Question) -> String {
    let Some(found) = plan.answer_in_a_larger_batch(larger, question) else { return String::new() };
    let then = match question {
        Question::Cheapest { .. } => format::dollars(found.dollars()),
        Question::Fastest { .. } => format::duration(found.run.time),
        _ => format::gpus(found.scenario.gpus),
    };
    let [now, with] = [plan.terms().batch, larger.terms().batch].map(format::tokens);
    format!(" Limited by the {now}-token batch: with {with} tokens {then}.")
}

/// Returns the extent of the search: `546,000 of 2,610,000 combinations were evaluated, 303,000
/// fit.`
fn searched(plan: &Plan) -> String {
    let Progress { visited, evaluated, fitting, .. } = plan.progress();
    let [visited, evaluated, fitting] = [visited, evaluated, fitting].map(|number| format::count(number as f64));
    let refused = plan.hardware().iter().filter(|of| of.refused.is_some()).count();
    let refused = match refused {
        0 => String::new(),
        1 => " One cluster cannot run this precision or software.".to_owned(),
        many => format!(" {many} clusters cannot run this precision or software."),
    };
    format!("{evaluated} of {visited} combinations were evaluated, {fitting} fit.{refused}")
}

/// Returns the finding if there is no answer.
fn missed(plan: &Plan, question: Question, limited: &str) -> String {
    let nearest = plan.nearest_miss(question).map(|found| {
        let on = plan.hardware().get(found.hardware).map_or(String::new(), Hardware::name);
        let (time, cost) = (format::duration(found.run.time), format::dollars(found.dollars()));
        let odds = format::percent(found.limit_odds(question).unwrap_or_default());
        format!("{on} with {}: {time}, {cost}, odds {odds}", format::gpus(found.scenario.gpus))
    });
    let sure = format::percent(plan.terms().sure);
    let said = match (question, nearest) {
        (Question::Cheapest { days }, Some(nearest)) => {
            let days = format::count(days);
            format!("No run ends within {days} days with odds of {sure}. The fastest is {nearest}.{limited}")
        }
        (Question::Fastest { dollars }, Some(nearest)) => {
            let budget = format::dollars(dollars);
            format!("No run costs {budget} or less with odds of {sure}. The cheapest is {nearest}.{limited}")
        }
        _ => format!("Nothing that was searched fits with odds of {sure}."),
    };
    format!("{said} {}", searched(plan))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::plan::rows::{header, row};
    use links::decode;

    fn planned(view: PlanView) -> Plan {
        let own = decode("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=1T").scenario;
        let other = Hardware::cluster(&own, catalog::cluster("dgx-h200").unwrap()).unwrap();
        let mut plan = Plan::over(&own, view.question().kind(), view.terms(&own), vec![Hardware::own(&own), other]);
        plan.advance(usize::MAX);
        plan
    }

    #[test]
    fn every_question_has_a_finding_and_rows_as_wide_as_their_header() {
        for asked in PlanQuestion::ALL {
            let view = PlanView { asked, dollars: 1e6, ..PlanView::default() };
            let plan = planned(view);
            let answers = plan.answers(view.question());
            assert!(!answers.is_empty(), "{asked:?}");
            for found in &answers {
                let row = row(&plan, view.question(), found, answers[0]);
                assert_eq!((row.cells.len(), row.values.len()), (header(view.question()).len(), row.cells.len()));
                assert!(row.cells.iter().all(|cell| !cell.is_empty() && !cell.contains("NaN")), "{row:?}");
            }
            let caption = caption(&plan, None, view);
            assert!(caption.ends_with('.') && caption.contains(" combinations "), "{caption}");
            assert!(note(view.question()).ends_with('.'));
        }
    }

    #[test]
    fn what_nothing_reaches_names_the_nearest() {
        let view = PlanView { asked: PlanQuestion::Cheapest, days: 0.1, ..PlanView::default() };
        let said = caption(&planned(view), None, view);
        assert!(
            said.starts_with("No run ends within 0.100 days with odds of ") && said.contains(" The fastest is "),
            "{said}"
        );
        let view = PlanView { asked: PlanQuestion::Fastest, dollars: 10.0, ..view };
        let said = caption(&planned(view), None, view);
        assert!(
            said.starts_with("No run costs $10.0 or less with odds of ") && said.contains(" The cheapest is "),
            "{said}"
        );
    }
}
