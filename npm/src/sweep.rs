//! Sweeps a scenario along one or two axes, into columns of numbers.

use engine::catalog::accuracy::fit_odds;
use engine::model::report::{Limiter, Report};
use engine::names;
use engine::scenario::Scenario;
use engine::share;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::axis::Axis;

/// Number of columns of every sweep; `js/api.js` names them in this order.
const OF_THE_STEP: usize = 11;
/// Number of further columns for the whole run.
const OF_THE_RUN: usize = 8;

/// Returns the names of the limiters in the report, one per line, in the order of the numbers in
/// the column `limiter`.
#[wasm_bindgen]
pub fn limiters() -> String {
    Limiter::ALL.map(|limiter| names::limiter(limiter).key).join("\n")
}

/// Evaluates the scenario at every pair of values and returns column after column; within a column
/// the second axis varies fastest. Without a second axis, `inner` is empty and `inner_values` is
/// one number.
#[wasm_bindgen]
pub fn sweep(
    scenario: &str,
    outer: &str,
    outer_values: &[f64],
    inner: &str,
    inner_values: &[f64],
    run: bool,
) -> Vec<f64> {
    let axes = Axes::new(outer, inner);
    let base = share::decode(scenario).scenario;
    let columns = if run { OF_THE_STEP + OF_THE_RUN } else { OF_THE_STEP };
    let rows = outer_values.len() * inner_values.len();
    let mut table = vec![0.0; columns * rows];
    let mut row = 0;
    for &outer in outer_values {
        for &inner in inner_values {
            let moved = axes.moved(&base, outer, inner);
            let step = of_the_step(&moved.report());
            // A column has `rows` numbers.
            let cells = table.iter_mut().skip(row).step_by(rows.max(1));
            if run {
                fill(cells, step.into_iter().chain(of_the_run(&moved)));
            } else {
                fill(cells, step.into_iter());
            }
            row += 1;
        }
    }
    table
}

fn fill<'a>(cells: impl Iterator<Item = &'a mut f64>, numbers: impl Iterator<Item = f64>) {
    for (cell, number) in cells.zip(numbers) {
        *cell = number;
    }
}

/// Returns the fragment of the link of one point of a sweep, without `#`.
#[wasm_bindgen]
pub fn point(scenario: &str, outer: &str, outer_value: f64, inner: &str, inner_value: f64) -> String {
    let base = share::decode(scenario).scenario;
    share::encode(&Axes::new(outer, inner).moved(&base, outer_value, inner_value))
}

/// The axes of a sweep, in the order in which a link's pairs are read.
struct Axes {
    first: Option<Axis>,
    second: Option<Axis>,
    /// Whether the inner axis is the first one.
    swapped: bool,
}

impl Axes {
    fn new(outer: &str, inner: &str) -> Self {
        let (outer, inner) = (Axis::find(outer), Axis::find(inner));
        let rank = |axis: Option<Axis>| axis.map_or(usize::MAX, Axis::rank);
        let swapped = rank(inner) < rank(outer);
        let (first, second) = if swapped { (inner, outer) } else { (outer, inner) };
        Self { first, second, swapped }
    }

    /// Returns the scenario at a pair of values.
    fn moved(&self, base: &Scenario, outer: f64, inner: f64) -> Scenario {
        let mut moved = *base;
        let (first, second) = if self.swapped { (inner, outer) } else { (outer, inner) };
        if let Some(axis) = self.first {
            axis.set(&mut moved, first);
        }
        if let Some(axis) = self.second {
            axis.set(&mut moved, second);
        }
        moved
    }
}

fn of_the_step(report: &Report) -> [f64; OF_THE_STEP] {
    let limiter = Limiter::ALL.iter().position(|limiter| *limiter == report.limiter).unwrap_or(Limiter::ALL.len());
    [
        report.mfu,
        report.hfu,
        report.tokens_per_s_per_gpu,
        report.tokens_per_step,
        report.model_flops_per_gpu.tflops(),
        report.time.step.get(),
        report.memory.peak.get(),
        report.memory.free().get(),
        fit_odds(report),
        f64::from(u8::from(report.fits())),
        limiter as f64,
    ]
}

fn of_the_run(scenario: &Scenario) -> [f64; OF_THE_RUN] {
    let run = scenario.run_report();
    [
        run.steps,
        run.batch_efficiency,
        run.time.get(),
        run.gpu_time.hours(),
        run.cost.get(),
        run.energy.kwh(),
        run.emissions.get(),
        run.goodput,
    ]
}
