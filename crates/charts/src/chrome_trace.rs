//! A step as a trace in Chrome's format, like those of PyTorch's profiler: Perfetto
//! (ui.perfetto.dev) and chrome://tracing open the trace, also next to a trace of the real run.

use engine::model::cost::Amount;
use engine::model::report::{Lane, Span, Work};
use engine::model::step::playback::Playback;
use engine::scenario::Scenario;
use engine::units::Seconds;
use serde_json::{Map, Value, json};
use trace::{Category, Curve, Phase, Place, Point, RunStep, step_memory};

use crate::names;
use crate::spec::StackContent;

/// Most spans of a trace: of more micro-batches only the first, the second and the last are
/// written.
const MOST_SPANS: usize = 100_000;
/// Points of the memory curve.
const POINTS: usize = 4_000;
/// The process of every event: one GPU.
const GPU: u32 = 0;

/// Writes the step of a scenario: each lane is a thread of the GPU, the bytes alive by content are
/// a counter, and the link is included.
///
/// Times are in microseconds. Memory is that of the stage that needs most, or `otherData` has the
/// reason why it is not simulated; its allocations are
/// spread evenly over the part of the step in which they happen. Of more than a few equal
/// micro-batches only some are traced; during the others the counter keeps its last height.
pub fn chrome_trace(scenario: &Scenario, link: &str) -> String {
    let setup = scenario.setup();
    let playback = Playback::new(&setup);
    let (spans, is_whole) = played(&playback);
    let mut events = vec![named("process_name", 0, "One GPU")];
    let shown = Lane::ALL.into_iter().filter(|lane| spans.iter().any(|span| span.lane == *lane));
    events.extend(shown.map(|lane| named("thread_name", thread(lane), names::lane(lane))));
    events.extend(spans.iter().map(event));
    let mut about = Map::new();
    match step_memory(&setup, RunStep::default(), POINTS) {
        Ok(memory) => events.extend(counters(&memory.curve, &spans)),
        Err(reason) => drop(about.insert("memory".into(), reason.to_string().into())),
    }
    about.insert("scenario".into(), link.into());
    if !is_whole {
        let of = format!(
            "the first, second and last of {} micro-batches; those between repeat the second",
            playback.micro_batches()
        );
        about.insert("micro_batches".into(), of.into());
    }
    json!({ "displayTimeUnit": "ms", "otherData": about, "traceEvents": events }).to_string()
}

/// Returns the spans of the step, and whether all are included.
fn played(playback: &Playback) -> (Vec<Span>, bool) {
    let mut spans = Vec::new();
    let count = playback.micro_batches();
    for micro_batch in 0..count {
        playback.micro_batch(micro_batch, &mut |span| spans.push(span));
        if spans.len() > MOST_SPANS && micro_batch + 1 < count {
            spans.retain(|span| span.micro_batch < 2);
            playback.micro_batch(count - 1, &mut |span| spans.push(span));
            return (spans, false);
        }
    }
    (spans, true)
}

fn named(what: &str, thread: usize, name: &str) -> Value {
    json!({ "ph": "M", "name": what, "pid": GPU, "tid": thread, "args": { "name": name } })
}

/// Returns the thread of a lane.
fn thread(lane: Lane) -> usize {
    lane as usize
}

fn us(time: Seconds) -> f64 {
    time.get() * 1e6
}

fn event(span: &Span) -> Value {
    let mut args = Map::new();
    args.insert("micro_batch".into(), span.micro_batch.into());
    if let Some(layer) = span.layer {
        args.insert("layer".into(), layer.into());
    }
    match span.amount {
        Some(Amount::Operations(of)) => drop(args.insert("flops".into(), of.flops.get().into())),
        Some(Amount::Traffic(of)) => drop(args.insert("bytes".into(), of.size.get().into())),
        None => {}
    }
    json!({
        "ph": "X", "cat": names::lane(span.lane), "name": names::work(span.work), "pid": GPU, "tid": thread(span.lane),
        "ts": us(span.start), "dur": us(span.end - span.start), "args": args,
    })
}

/// Returns the bytes alive over time: one counter with a series for each kind of content.
fn counters(curve: &Curve, spans: &[Span]) -> Vec<Value> {
    let mut micro_batch = 0;
    let mut last = Phase::Rest;
    let mut now = Seconds::ZERO;
    let mut counters = Vec::with_capacity(curve.points.len());
    for alike in curve.points.chunk_by(|one, next| one.moment == next.moment) {
        let Some(moment) = alike.first().map(|point| point.moment) else { continue };
        // A forward pass after another part begins the next micro-batch.
        if moment.phase == Phase::Forward && matches!(last, Phase::Backward | Phase::Loss) {
            micro_batch += 1;
        }
        last = moment.phase;
        let at = spans.iter().find(|span| span.micro_batch == micro_batch && is_at(span, moment.phase, moment.place));
        let (start, end) = at.map_or((now, now), |span| (span.start.max(now), span.end.max(now)));
        for (place, point) in alike.iter().enumerate() {
            let share = place as f64 / alike.len() as f64;
            counters.push(counter(point, start + share * (end - start)));
        }
        now = end;
    }
    counters
}

/// Whether a span computes this part of the step.
fn is_at(span: &Span, phase: Phase, place: Place) -> bool {
    let work = match (phase, place) {
        (Phase::Rest, _) => return false,
        (Phase::Optimizer, _) => Work::OptimizerStep,
        (Phase::Forward, Place::Layer(_)) => Work::LayerForward,
        (Phase::Forward, Place::Embedding) => Work::EmbeddingForward,
        (Phase::Backward, Place::Layer(_)) => Work::LayerBackward,
        (Phase::Backward, Place::Embedding) => Work::EmbeddingBackward,
        (Phase::Loss | Phase::Forward | Phase::Backward, _) => Work::Head,
    };
    let is_layer = match place {
        Place::Layer(layer) if matches!(work, Work::LayerForward | Work::LayerBackward) => span.layer == Some(layer),
        _ => true,
    };
    span.work == work && is_layer
}

fn counter(point: &Point, time: Seconds) -> Value {
    let bytes = |held: StackContent| -> u64 {
        Category::ALL
            .into_iter()
            .filter(|category| StackContent::from_category(*category) == held)
            .map(|category| point.by[category])
            .sum()
    };
    let series: Map<String, Value> =
        StackContent::ALL.into_iter().map(|held| (held.name().to_owned(), bytes(held).into())).collect();
    json!({ "ph": "C", "name": "Memory (bytes)", "pid": GPU, "ts": us(time), "args": series })
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;

    fn events(scenario: &Scenario) -> (Value, Vec<Value>) {
        let trace: Value = serde_json::from_str(&chrome_trace(scenario, "#v=1")).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().clone();
        (trace, events)
    }

    /// The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
    #[test]
    fn every_span_of_the_step_is_an_event_and_ends_with_it() {
        let scenario = Scenario { grad_accum_steps: 2, ..default_scenario() };
        let (trace, events) = events(&scenario);
        assert_eq!(trace["otherData"]["scenario"], "#v=1");
        let spans: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
        let mut all = 0;
        engine::model::step::playback::spans(&scenario.setup(), &mut |_| all += 1);
        assert_eq!(spans.len(), all);
        let end = spans.iter().map(|span| span["ts"].as_f64().unwrap() + span["dur"].as_f64().unwrap());
        let step = us(scenario.report().update.time.step);
        assert!((end.fold(0.0, f64::max) - step).abs() < 1e-6 * step);
        assert!(spans.iter().all(|span| span["dur"].as_f64().unwrap() >= 0.0));
    }

    #[test]
    fn memory_is_a_counter_that_goes_forward_and_reaches_its_peak() {
        let scenario = default_scenario();
        let (_, events) = events(&scenario);
        let counters: Vec<&Value> = events.iter().filter(|event| event["ph"] == "C").collect();
        let times: Vec<f64> = counters.iter().map(|counter| counter["ts"].as_f64().unwrap()).collect();
        assert!(times.len() > 100 && times.is_sorted(), "{}", times.len());
        assert!(times.last().unwrap() > &(0.9 * us(scenario.report().update.time.step)));
        let total = |counter: &Value| -> u64 {
            counter["args"].as_object().unwrap().values().map(|bytes| bytes.as_u64().unwrap()).sum()
        };
        let setup = scenario.setup();
        let memory = step_memory(&setup, RunStep::default(), POINTS).unwrap();
        assert_eq!(counters.into_iter().map(total).max(), Some(memory.curve.peak.allocated));
    }

    #[test]
    fn memory_that_is_not_drawn_is_a_reason_and_no_counter() {
        let mut scenario = default_scenario();
        scenario.choices.offload.activations = true;
        let (trace, events) = events(&scenario);
        assert!(events.iter().all(|event| event["ph"] != "C"));
        assert!(trace["otherData"]["memory"].as_str().unwrap().starts_with("Not drawn"));
    }

    #[test]
    fn of_very_many_micro_batches_three_are_written() {
        let scenario = Scenario { grad_accum_steps: 2048, ..default_scenario() };
        let (trace, events) = events(&scenario);
        assert!(events.len() < 2 * MOST_SPANS);
        assert!(trace["otherData"]["micro_batches"].as_str().unwrap().contains("of 2048 micro-batches"));
    }
}
