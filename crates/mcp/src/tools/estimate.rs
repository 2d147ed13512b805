//! `estimate`: does the run fit, how fast is it, what limits it.

use api::{Open, Refusal};
use serde_json::{Value, json};

use super::{Access, Tool, run, schema_of};
use crate::arguments::{Arguments, invalid};

pub(super) const TOOL: Tool = Tool {
    name: "estimate",
    title: "Does a training run fit, and how fast is it?",
    about: "Verdict and odds to fit, memory needed of the memory usable, MFU, step time, tokens/s/GPU with their \
            ranges, the limiter, cost, assumptions, the grade of the evidence, and a link. Needs model, GPU, number of \
            GPUs, sequence length and micro-batch; what is missing and decides is asked for. For better settings call \
            `rank`, for hardware `plan`.",
    arguments: &[],
    run: true,
    schema: |access| schema_of(&TOOL, access, &[]),
    answer,
};

fn answer(arguments: Arguments, _: Access) -> Result<Value, Refusal> {
    let run = run::read(arguments, &Open::ALL)?;
    if let Some((question, asks)) = run.asks.as_ref().and_then(|asks| Some((asks.question?, asks))) {
        let message = format!(
            "The text asks for a plan ({}): call `plan` with the same `text`, question \"{}\".",
            asks.words(),
            question.key()
        );
        return Err(invalid(message));
    }
    let mut summary = run::summary(&run.read, &run.assumed);
    // Memory that is missing is the first thing to mend.
    let fits = summary.get("fits") == Some(&json!(true));
    if let Some(object) = summary.as_object_mut().filter(|_| !fits) {
        let next = "It does not fit: `rank` finds layouts on the same GPUs that do, `plan` other hardware.";
        object.insert("next".to_owned(), next.into());
    }
    Ok(summary)
}
