//! The timed work, shared by the native and the browser benchmark; the caller provides the clock.

use engine::model::software::Segments;
use engine::model::stages::stages;
use engine::model::step;
use engine::scenario::Scenario;
use std::hint::black_box;
use trace::{STEPS, Trace};

/// Evaluations in one timed run.
const RUNS: u32 = 200_000;
/// Steps of a model in one timed run.
const STEP_RUNS: u32 = 200;
/// Timed runs. The fastest counts, as other processes share the machine.
const ROUNDS: u32 = 5;

/// Times each kind of work with `now`, a clock in seconds, and returns (name, value, unit).
pub(crate) fn measure(now: impl Fn() -> f64) -> Vec<(&'static str, f64, &'static str)> {
    let scenario = catalog::default_scenario();
    let setup = scenario.setup();
    let evaluate = fastest(&now, |_| {
        black_box(step::evaluate(black_box(&setup)));
    });
    // A sweep resolves and evaluates a new scenario in each run, with varying sequence length.
    let sweep = fastest(&now, |run| {
        let moved = Scenario { seq_len: 128 + run % 100_000, ..scenario };
        black_box(black_box(&moved).report());
    });
    let mixture = mixture();
    let moe = mixture.setup();
    let evaluate_moe = fastest(&now, |_| {
        black_box(step::evaluate(black_box(&moe)));
    });
    let sweep_moe = fastest(&now, |run| {
        let moved = Scenario { seq_len: 128 + run % 100_000, ..mixture };
        black_box(black_box(&moved).report());
    });
    // One step of 80 layers, tensor by tensor: writing the trace, and simulating PyTorch's
    // allocator on it over the three steps that determine reserved memory.
    let layers = eighty_layers().setup();
    let stage = stages(&layers).first;
    let write = fastest_of(STEP_RUNS, &now, |_| {
        black_box(Trace::record(black_box(&layers), &stage));
    });
    let trace = Trace::record(&layers, &stage);
    let simulate = fastest_of(STEP_RUNS, &now, |_| {
        black_box(black_box(&trace).reserved(Segments::Fixed));
    });
    vec![
        ("write_step_of_80_layers", write * 1e3, "ms"),
        ("simulate_step_of_80_layers", simulate / f64::from(STEPS) * 1e3, "ms"),
        ("evaluate_dense", evaluate * 1e9, "ns"),
        ("evaluations_dense", 1.0 / evaluate, "evaluations/s"),
        ("sweep_dense", 1.0 / sweep, "configurations/s"),
        ("evaluate_moe", evaluate_moe * 1e9, "ns"),
        ("sweep_moe", 1.0 / sweep_moe, "configurations/s"),
    ]
}

/// Returns DeepSeek V3 on 256 GPUs: a pipeline with unequal stages, experts over 32 groups of GPUs,
/// latent attention. More expensive than most scenarios.
fn mixture() -> Scenario {
    let default = catalog::default_scenario();
    let model = catalog::model("deepseek-v3").map_or(default.model, catalog::ModelEntry::pick);
    Scenario { model, gpus: 256, pp: 8, ep: 32, grad_accum_steps: 64, ..default }
}

/// Returns Llama 3.1 70B with FSDP.
fn eighty_layers() -> Scenario {
    let default = catalog::default_scenario();
    let model = catalog::model("llama-3.1-70b").map_or(default.model, catalog::ModelEntry::pick);
    Scenario { model, gpus: 64, ..default }
}

fn fastest(now: &impl Fn() -> f64, work: impl FnMut(u32)) -> f64 {
    fastest_of(RUNS, now, work)
}

fn fastest_of(runs: u32, now: &impl Fn() -> f64, mut work: impl FnMut(u32)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = now();
        for run in 0..runs {
            work(run);
        }
        best = best.min((now() - start) / f64::from(runs));
    }
    best
}
