//! Memory against traced training steps (`tests/measured/traced_steps.csv`): torchtitan's Llama and
//! models of Hugging Face on fake tensors, with bytes reserved by a simulation of PyTorch's
//! allocator.

use ::score::traced::score::{self, Compared};
use ::score::traced::{self, Traced};
use analysis::published::MemoryKind;
use engine::model::choices::Choices;
use engine::model::lengths::{Batching, Lengths};
use engine::model::memory;
use engine::model::setup::Setup;
use engine::model::software::Segments;
use engine::model::stages::stages;
use engine::scenario::Scenario;
use engine::scenario::data::TextList;
use engine::units::Bytes;

const ROWS: &str = include_str!("../../../../tests/measured/traced_steps.csv");

/// Maximum errors of the allocated bytes.
const MEDIAN: f64 = 0.01;
const WORST: f64 = 0.04;
/// Maximum errors of the reserved bytes, for both kinds of segments.
const RESERVED_MEDIAN: f64 = 0.03;
const RESERVED_WORST: f64 = 0.12;
/// Minimum share of the steps with the right moment and operator of the peak.
const MOMENTS: f64 = 0.95;

/// Returns steps in which every weight trains.
fn rows() -> Vec<Traced> {
    let steps: Vec<Traced> = all().into_iter().filter(|row| row.scenario.trained.is_all()).collect();
    assert_eq!(steps.len(), 249, "every row but those of low-rank adapters and frozen weights");
    steps
}

/// Returns steps that only train low-rank adapters or norms.
fn rows_with_frozen_weights() -> Vec<Traced> {
    let steps: Vec<Traced> = all().into_iter().filter(|row| !row.scenario.trained.is_all()).collect();
    assert_eq!(steps.len(), 48, "every row but those of which every weight trains");
    steps
}

fn all() -> Vec<Traced> {
    crate::rows(ROWS, traced::read_traced_step).into_iter().flatten().collect()
}

fn steps() -> Vec<Compared> {
    rows().iter().map(Compared::compare).collect()
}

/// Maximum errors of allocated bytes for steps with frozen weights.
const FROZEN_MEDIAN: f64 = 0.02;
const FROZEN_WORST: f64 = 0.06;

#[test]
fn allocated_bytes_beside_frozen_weights_are_the_traced_ones() {
    let steps: Vec<Compared> = rows_with_frozen_weights().iter().map(Compared::compare).collect();
    let median = score::score(&steps).allocated.errors.median;
    assert!(median < FROZEN_MEDIAN, "median {median}");
    let off = beyond(&steps, FROZEN_WORST, |step| step.allocated);
    assert!(off.is_empty(), "{} of {}: {off:?}", off.len(), steps.len());
    let elsewhere: Vec<&str> = steps.iter().filter(|step| !step.agrees).map(|step| step.id.as_str()).collect();
    assert!(elsewhere.is_empty(), "another moment or operator: {elsewhere:?}");
}

/// Maximum errors of the closed form, which the page shows while a slider moves, for dense models.
const CLOSED_MEDIAN: f64 = 0.03;
const CLOSED_WORST: f64 = 0.30;

#[test]
fn the_closed_form_keeps_to_the_traced_bytes() {
    let dense = rows().into_iter().filter(|row| !row.scenario.model.architecture().has_experts());
    let error = |row: &Traced| row.scenario.report().memory.allocated.get() / row.measured.allocated - 1.0;
    let mut errors: Vec<(f64, String)> = dense.map(|row| (error(&row).abs(), row.id)).collect();
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median, worst) = (errors[errors.len() / 2].0, errors.last().unwrap());
    assert!(median < CLOSED_MEDIAN, "median {median}");
    assert!(worst.0 < CLOSED_WORST, "worst {worst:?}");
}

/// Minimum number of layers for the allocator's share of unused memory; shallow models have few,
/// large blocks.
const DEEP: u32 = 10;
/// Maximum errors of the closed form of reserved bytes on deep models: median of the signed error,
/// and median of the absolute error.
const RESERVED_SIGNED: f64 = 0.02;
const RESERVED_SIZE: f64 = 0.08;

#[test]
fn the_closed_form_keeps_to_the_reserved_bytes() {
    let rows: Vec<Traced> =
        rows().into_iter().filter(|row| row.scenario.model.architecture().num_hidden_layers >= DEEP).collect();
    assert_eq!(rows.len(), 52);
    for (segments, place) in [(Segments::Fixed, 0), (Segments::Expandable, 1)] {
        let error = |row: &Traced| {
            let mut scenario = Scenario { choices: Choices { segments, ..row.scenario.choices }, ..row.scenario };
            // Very large GPU memory, so that the allocator releases nothing.
            scenario.accelerator.values.memory = Bytes::from_gib(1e4);
            MemoryKind::Reserved.predicted(&scenario.report().memory).get() / row.measured.reserved[place] - 1.0
        };
        let median = |mut errors: Vec<f64>| {
            errors.sort_by(f64::total_cmp);
            errors[errors.len() / 2]
        };
        let (signed, size) =
            (median(rows.iter().map(error).collect()), median(rows.iter().map(|row| error(row).abs()).collect()));
        assert!(signed.abs() < RESERVED_SIGNED && size < RESERVED_SIZE, "{segments:?}: {signed}, {size}");
    }
}

/// Maximum error of the closed form with texts of varied lengths, and minimum error if lengths are
/// ignored.
const VARIED_SIGNED: f64 = 0.06;

#[test]
fn the_closed_form_knows_what_longer_texts_outgrow() {
    let varied = |row: &Traced| {
        let texts = TextList {
            batching: Batching::Padded,
            mean_length: f64::from(row.scenario.seq_len) / 2.0,
            ..row.scenario.texts
        };
        let mut scenario =
            Scenario { texts, choices: Choices { segments: Segments::Fixed, ..row.scenario.choices }, ..row.scenario };
        scenario.accelerator.values.memory = Bytes::from_gib(1e4);
        scenario.setup()
    };
    let setups: Vec<Setup> =
        all().iter().map(varied).filter(|setup| setup.architecture.num_hidden_layers >= DEEP).collect();
    assert!(setups.len() > 50, "{}", setups.len());
    let (mut errors, mut unaware) = (Vec::new(), Vec::new());
    for setup in &setups {
        let first = stages(setup).first;
        let Some(simulated) = trace::simulated(setup, &first) else { continue };
        let simulated = MemoryKind::Reserved.predicted(&simulated).get();
        let reserved = |setup: &Setup| MemoryKind::Reserved.predicted(&memory::stage_memory(setup, &first)).get();
        let longest = setup.at_longest();
        errors.push(reserved(&longest) / simulated - 1.0);
        unaware.push(reserved(&Setup { lengths: Lengths::Equal, ..longest }) / simulated - 1.0);
    }
    let median = |errors: &mut Vec<f64>| {
        errors.sort_by(f64::total_cmp);
        errors[errors.len() / 2]
    };
    let (signed, unaware) = (median(&mut errors), median(&mut unaware));
    println!("{signed} {unaware} {}", errors.len());
    assert!(signed.abs() < VARIED_SIGNED && unaware < -VARIED_SIGNED, "{signed}, unaware {unaware}");
}

/// Returns the steps with an error above `worst`, each with its error.
fn beyond(steps: &[Compared], worst: f64, error: impl Fn(&Compared) -> f64) -> Vec<String> {
    let off = steps.iter().filter(|step| error(step).abs() > worst);
    off.map(|step| format!("{} {:+.1} %", step.id, 1e2 * error(step))).collect()
}

#[test]
fn allocated_bytes_are_the_traced_ones() {
    let steps = steps();
    let median = score::score(&steps).allocated.errors.median;
    assert!(median < MEDIAN, "median {median}");
    let off = beyond(&steps, WORST, |step| step.allocated);
    assert!(off.is_empty(), "{} of {}: {off:?}", off.len(), steps.len());
}

#[test]
fn reserved_bytes_are_the_simulated_ones() {
    let steps = steps();
    let score = score::score(&steps);
    let medians = [score.reserved.errors.median, score.expandable.errors.median];
    assert!(medians.iter().all(|median| *median < RESERVED_MEDIAN), "medians {medians:?}");
    let fixed = beyond(&steps, RESERVED_WORST, |step| step.reserved[0]);
    let expandable = beyond(&steps, RESERVED_WORST, |step| step.reserved[1]);
    assert!(fixed.is_empty(), "fixed segments, {} of {}: {fixed:?}", fixed.len(), steps.len());
    assert!(expandable.is_empty(), "expandable segments, {} of {}: {expandable:?}", expandable.len(), steps.len());
}

#[test]
fn the_peak_is_where_the_trace_has_it() {
    let steps = steps();
    let elsewhere: Vec<&str> = steps.iter().filter(|step| !step.agrees).map(|step| step.id.as_str()).collect();
    let share = score::score(&steps).agree;
    assert!(share >= MOMENTS, "{share}: {elsewhere:?}");
}
