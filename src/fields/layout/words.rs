//! The words of the strip of degrees and of the product that is the batch.

use analysis::neighbour_layouts;
use engine::format;
use engine::model::report::Report;
use engine::params::ParamId;
use engine::scenario::Scenario;

/// Identifiers of the buttons that raise a count: words of the scenario's sentence link to them.
const STEPS: [(ParamId, &str); 6] = [
    (ParamId::Tp, "tp-more"),
    (ParamId::Cp, "cp-more"),
    (ParamId::Pp, "pp-more"),
    (ParamId::Ep, "ep-more"),
    (ParamId::MicroBatchSize, "mbs-more"),
    (ParamId::GradAccumSteps, "accum-more"),
];

/// Returns the identifier of the button that raises a count, if there is one.
pub fn step_id(id: ParamId) -> Option<&'static str> {
    STEPS.iter().find(|step| step.0 == id).map(|step| step.1)
}

/// Returns the factors after the micro-batches in the product that is the batch:
/// `× dp 8 × 8,192 = 524k tokens per step`. Padding, and examples with two answers, are a factor of
/// their own, so that the product is always right.
pub fn product(scenario: &Scenario, report: &Report) -> String {
    let sequences = neighbour_layouts::sequences(scenario);
    let dp = format::count(f64::from(scenario.degrees().dp));
    let length = format::count(f64::from(scenario.seq_len));
    let product = sequences * f64::from(scenario.seq_len);
    let share = report.tokens_per_step / product;
    let rest = if share == 1.0 {
        String::new()
    } else if share < 1.0 {
        format!(" × {} text", format::percent(share))
    } else {
        format!(" × {} answers", format::count(share))
    };
    format!("× dp {dp} × {length}{rest} = {} tokens per step", format::tokens(report.tokens_per_step))
}

/// Returns the accessible name of a button that changes a count: the count, its new value, and the
/// effect on the batch.
pub(super) fn step(label: &str, value: u32, batch: &str) -> String {
    format!("{label}: {}, {batch}", format::count(f64::from(value)))
}

/// Returns the effect of a change on the tokens per step, in words.
pub(super) fn batch(now: f64, then: f64) -> String {
    write_batch_change(now, then).unwrap_or_else(|| "same tokens per step".to_owned())
}

/// Returns the tokens of a step after a change; `None` if they do not change.
pub fn write_batch_change(now: f64, then: f64) -> Option<String> {
    let [now, then] = [now, then].map(format::tokens);
    (now != then).then(|| format!("{then} tokens per step instead of {now}"))
}
