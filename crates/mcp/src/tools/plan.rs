//! `plan`: from a deadline, a budget or the GPUs at hand to hardware and layout.

use analysis::plan::Question;
use api::given::Code;
use api::plan::{PlanRequest, answers, search};
use api::{Open, Refusal};
use serde_json::{Map, Value, json};

use super::{Access, MOST, Tool, amount, picked, run, schema_of, top, words};
use crate::arguments::{Arguments, invalid};

pub(super) const TOOL: Tool = Tool {
    name: "plan",
    title: "Hardware and layout for a deadline, a budget or the GPUs at hand",
    about: "fewest: the fewest GPUs that fit, on each cluster; cheapest: by a deadline of `days`; fastest: within \
            `budget` dollars; context, model, batch: the longest sequences, largest model or batch on the run's own GPUs. \
            Takes seconds. Each answer has GPUs, layout, odds, time, cost and link.",
    arguments: &[
        ("question", question, "The question; that of `text` if missing."),
        ("days", amount, "Deadline of `cheapest`, 30 if missing."),
        ("budget", amount, "Budget of `fastest` in US dollars, 100,000 if missing."),
        ("batch", amount, "Tokens per step, as in \"4M\"."),
        ("sure", sure, "Least odds, 0 to 1, that an answer fits and holds its limit; 0.8 if missing."),
        ("clusters", words, "Clusters of the catalog to search, or \"own\"; all of them if missing."),
        ("hold", words, "Keys that every layout keeps as the run has them."),
        ("top", top, "How many answers, 3 if missing."),
    ],
    run: true,
    schema: |access| schema_of(&TOOL, access, &[]),
    answer,
};

fn question() -> Value {
    json!({ "type": "string", "enum": Question::ALL.map(Question::key) })
}

fn sure() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1 })
}

/// Fields of a row in an answer.
const FIGURES: [&str; 20] = [
    "cluster",
    "model",
    "gpus",
    "seq",
    "layout",
    "settings",
    "micro_batch_size",
    "grad_accum_steps",
    "mfu",
    "step_time_s",
    "fit_odds",
    "limit_odds",
    "time_s",
    "time_low_s",
    "time_high_s",
    "cost_usd",
    "cost_low_usd",
    "cost_high_usd",
    "price_source",
    "link",
];

fn answer(arguments: Arguments, _: Access) -> Result<Value, Refusal> {
    let most = arguments.count("top", 3, MOST)?;
    let (days, budget) = (arguments.number("days")?, arguments.number("budget")?);
    let sure = match arguments.value("sure").map(|value| (value, value.as_f64())) {
        None => None,
        Some((_, Some(odds))) if (0.0..=1.0).contains(&odds) => Some(odds),
        Some((value, _)) => return Err(invalid(format!("`sure` must be a number from 0 to 1, not {value}."))),
    };
    let run = run::read(arguments, &Open::OF_PLAN)?;
    let asks = run.asks.as_ref();
    let own = asks.and_then(|asks| asks.question);
    let Some(question) = arguments.text("question")?.or(own.map(Question::key)) else {
        let names = Question::ALL.map(Question::key).join(", ");
        return Err(Refusal::new(Code::Missing, format!("Which question? Give `question`: {names}.")));
    };
    if let Some(own) = own.filter(|own| own.key() != question) {
        return Err(invalid(format!(
            "The text asks for “{}”, and `question` is “{question}”: leave `question` out, or ask without the limit in the text.",
            own.key()
        )));
    }
    let said = own.filter(|own| own.key() == question).and_then(|own| match own {
        Question::Cheapest { days: limit } | Question::Fastest { dollars: limit } => Some(limit),
        _ => None,
    });
    let limit = match (question, days, budget) {
        ("cheapest", _, None) => days,
        ("fastest", None, _) => budget,
        (_, None, None) => None,
        _ => {
            return Err(invalid(format!(
                "Give `days` only to cheapest and `budget` only to fastest, not to {question}."
            )));
        }
    };
    let mut clusters = arguments.words("clusters")?;
    if clusters.is_empty() {
        clusters = asks.map(|asks| asks.clusters.iter().map(|id| (*id).to_owned()).collect()).unwrap_or_default();
    }
    let hold: Vec<String> = arguments.words("hold")?.into_iter().chain(run.held.iter().cloned()).collect();
    let asked = PlanRequest {
        question,
        limit: limit.or(said),
        batch: arguments.number("batch")?.or(asks.and_then(|asks| asks.batch)),
        sure,
        clusters: &clusters,
        hold: &hold,
        most,
    };
    let planned = search(&run.read.scenario, &asked).map_err(|message| Refusal::new(Code::InvalidValue, message))?;
    let whole: Value = serde_json::from_str(&answers(&planned, most, &run.read.issues)).unwrap_or_default();
    let rows: Vec<Value> = whole
        .get("answers")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|row| json!(picked(row, &FIGURES)))
        .collect();
    let mut answer = picked(&whole, &["question", "limit", "batch_tokens", "sure", "evaluated", "fit", "unchecked"]);
    answer.insert("answers".to_owned(), rows.into());
    let nearest = whole.get("nearest").filter(|nearest| nearest.is_object());
    answer.extend(nearest.map(|nearest| ("nearest".to_owned(), json!(picked(nearest, &FIGURES)))));
    answer.insert("assumed".to_owned(), run.assumed.into());
    answer.insert("notes".to_owned(), super::notes(&run.read.issues));
    Ok(Map::into(answer))
}
