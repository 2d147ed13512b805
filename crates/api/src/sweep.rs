//! Sweeps a scenario along one or two axes, into columns of numbers.

use analysis::answer::Answer;
use engine::model::report::{Limiter, Report};
use engine::model::run::RunReport;
use engine::names;
use engine::scenario::Scenario;

use crate::axis::Axis;
use crate::{Given, Refusal};

/// Columns of every sweep.
pub const STEP_COLUMNS: [&str; 13] = [
    "mfu",
    "hfu",
    "tokens_per_s_per_gpu",
    "tokens_per_step",
    "tflops_per_gpu",
    "step_time_s",
    "needed_memory_bytes",
    "cache_memory_bytes",
    "free_memory_bytes",
    "headroom_memory_bytes",
    "fit_odds",
    "fits",
    "limiter",
];
/// Further columns for the whole run.
pub const RUN_COLUMNS: [&str; 8] =
    ["steps", "batch_efficiency", "time_s", "gpu_hours", "cost_usd", "energy_kwh", "emissions_gco2", "goodput"];

/// Returns the names of the limiters in the report, one per line, in the order of the numbers in
/// the column `limiter`.
pub fn limiters() -> String {
    Limiter::ALL.map(|limiter| names::limiter(limiter).key).join("\n")
}

/// Evaluates the scenario at every pair of values and returns column after column; within a column
/// the second axis varies fastest. Without a second axis, `inner` is empty and `inner_values` is
/// one number.
///
/// # Errors
///
/// Returns a refusal for invalid input.
pub fn sweep(
    given: &Given,
    outer: &str,
    outer_values: &[f64],
    inner: &str,
    inner_values: &[f64],
    run: bool,
) -> Result<Vec<f64>, Refusal> {
    let axes = Axes::new(outer, inner);
    let base = given.read_scenario()?.scenario;
    let columns = if run { STEP_COLUMNS.len() + RUN_COLUMNS.len() } else { STEP_COLUMNS.len() };
    let rows = outer_values.len() * inner_values.len();
    let mut table = vec![0.0; columns * rows];
    let mut row = 0;
    for &outer in outer_values {
        for &inner in inner_values {
            let moved = axes.moved(&base, outer, inner);
            let report = moved.report();
            let answer = Answer::new(&moved, &report);
            let (of_run, step) = (run.then_some(&answer.run), step_columns(&report, &answer));
            // A column has `rows` numbers.
            let cells = table.iter_mut().skip(row).step_by(rows.max(1));
            fill(cells, step.into_iter().chain(of_run.into_iter().flat_map(run_columns)));
            row += 1;
        }
    }
    Ok(table)
}

fn fill<'a>(cells: impl Iterator<Item = &'a mut f64>, numbers: impl Iterator<Item = f64>) {
    for (cell, number) in cells.zip(numbers) {
        *cell = number;
    }
}

/// Returns the fragment of the link of one point of a sweep, without `#`.
///
/// # Errors
///
/// Returns a refusal for invalid input.
pub fn point(given: &Given, outer: &str, outer_value: f64, inner: &str, inner_value: f64) -> Result<String, Refusal> {
    let base = given.read_scenario()?.scenario;
    Ok(links::encode(&Axes::new(outer, inner).moved(&base, outer_value, inner_value)))
}

/// Axes of a sweep, in the order in which the pairs of a link are read.
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

fn step_columns(report: &Report, answer: &Answer) -> [f64; STEP_COLUMNS.len()] {
    let limiter = Limiter::ALL.iter().position(|limiter| *limiter == answer.limiter).unwrap_or(Limiter::ALL.len());
    [
        answer.step.mfu,
        answer.step.hfu,
        answer.step.tokens_per_s_per_gpu,
        report.tokens_per_step,
        answer.step.model_flops_per_gpu.tflops(),
        answer.step.time.get(),
        answer.needed.get(),
        answer.cache.get(),
        answer.free.get(),
        report.memory.headroom().get(),
        answer.fit.odds,
        f64::from(u8::from(answer.fit.fits)),
        limiter as f64,
    ]
}

fn run_columns(run: &RunReport) -> [f64; RUN_COLUMNS.len()] {
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

/// Returns the names of the columns, one per line: those of every sweep, an empty line, those of
/// the whole run.
pub fn columns() -> String {
    [STEP_COLUMNS.join("\n"), RUN_COLUMNS.join("\n")].join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point of a sweep is the report of its link, with the whole step of a run that generates.
    #[test]
    fn a_point_of_a_sweep_is_its_report() {
        for link in [
            "v=1&cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo",
            "v=1&cluster=dgx-h100&model=llama-2-70b&gpus=8&recompute=full&train=lora&deferred=no",
            "v=1&seq=128k&recompute=none",
        ] {
            let scenario = links::decode(link).scenario;
            let report = export::report_json::report_json(&scenario, &scenario.report(), &[]);
            let given = Given::from(link);
            let seq = f64::from(scenario.seq_len);
            let table = sweep(&given, "seq", &[seq], "", &[0.0], true).unwrap();
            for (name, value) in STEP_COLUMNS.iter().zip(&table) {
                match *name {
                    "limiter" => {
                        assert_eq!(limiters().lines().nth(*value as usize), report[name].as_str(), "{link}");
                    }
                    "fits" => assert_eq!(report[name], *value == 1.0, "{link}"),
                    _ => assert_eq!(report[name].as_f64(), Some(*value), "{link}: {name}"),
                }
            }
            let time = table[STEP_COLUMNS.len() + 2];
            assert_eq!(report["run"]["time_s"].as_f64(), Some(time), "{link}");
        }
    }
}
