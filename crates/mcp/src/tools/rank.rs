//! `rank`: the fastest layouts on the same GPUs.

use api::given::Code;
use api::rank::{RankRequest, answers, search};
use api::{Open, Refusal};
use engine::units::Bytes;
use serde_json::{Map, Value, json};

use super::{Access, MOST, Tool, amount, picked, run, schema_of, shorter, top, words};
use crate::arguments::Arguments;

pub(super) const TOOL: Tool = Tool {
    name: "rank",
    title: "The fastest layouts on the same GPUs",
    about: "Searches parallelism, sharding, micro-batch, recomputation and kernels for the same model, length, GPUs and \
            batch. Returns the best layouts with odds, MFU, step time, memory and link; none if nothing fits.",
    arguments: &[
        ("batch", amount, "Tokens per step, as in \"4M\"; the run's own if missing."),
        ("hold", words, "Keys that every layout keeps as the run has them: [\"tp\", \"recompute\"]."),
        ("top", top, "How many layouts, 3 if missing."),
    ],
    run: true,
    schema: |access| schema_of(&TOOL, access, &[]),
    answer,
};

/// Fields of a layout's report in an answer.
const FIGURES: [&str; 5] = ["verdict", "fit_odds", "mfu", "step_time_s", "tokens_per_s_per_gpu"];

fn answer(arguments: Arguments, _: Access) -> Result<Value, Refusal> {
    let most = arguments.count("top", 3, MOST)?;
    let (batch, hold) = (arguments.number("batch")?, arguments.words("hold")?);
    let asked = [Open::Model, Open::Gpus, Open::Length, Open::Hardware, Open::Node];
    let run = run::read(arguments, &asked)?;
    let request = RankRequest { batch, hold: &hold, most };
    let searched = search(&run.read.scenario, &request).map_err(|message| Refusal::new(Code::InvalidValue, message))?;
    let text = answers(&searched, most, &run.read.issues);
    let whole: Value = serde_json::from_str(&text).unwrap_or_default();
    let layouts: Vec<Value> =
        whole.get("layouts").and_then(Value::as_array).into_iter().flatten().map(layout).collect();
    let mut answer = Map::new();
    answer.insert("fits".to_owned(), (!layouts.is_empty()).into());
    answer.extend(picked(&whole, &["tried", "fit"]));
    answer.insert("layouts".to_owned(), layouts.into());
    answer.insert("assumed".to_owned(), run.assumed.into());
    answer.insert("notes".to_owned(), super::notes(&run.read.issues));
    Ok(answer.into())
}

fn layout(of: &Value) -> Value {
    let mut layout = picked(of, &["name", "settings", "runs"]);
    layout.extend(of.get("report").map(|report| picked(report, &FIGURES)).unwrap_or_default());
    let needed = of.pointer("/report/needed_memory_bytes").and_then(Value::as_f64).map(|bytes| Bytes::new(bytes).gib());
    layout.insert("needed_memory_gib".to_owned(), shorter(&json!(needed)));
    layout.extend(picked(of, &["link"]));
    json!(layout)
}
