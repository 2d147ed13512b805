//! Computes the error of predictions after one run is measured: `cargo run --release -p
//! score --example anchored -- tests/measured/*.csv tests/measured/*/*.csv`.
//!
//! Rows of one source on one accelerator and framework, either dense or mixtures, form a group.
//! Each row of a group anchors every other row: the residual is the row's ratio of measured to
//! predicted value over the anchor's ratio. The 10th and the 90th percentile of the residuals are
//! printed, with sources weighted by the square root of their rows. [`catalog::accuracy`]
//! contains the results.
//!
//! A second table has the error after a correction by the nearest run of *another* source with
//! equal GPU, framework, format, and kind of model and training ([`analysis::similar_runs`]).

#[path = "score/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the score example, which uses all of it")]
mod table;

use std::collections::BTreeMap;
use std::process::ExitCode;

use analysis::similar_runs::Traits;
use catalog::accuracy::StepKind;
use engine::scenario::Scenario;
use score::prediction::Prediction;
use score::quantile::quantile;
use score::summary::Entry;

/// Ratios of measured to predicted values, by group.
type Groups = BTreeMap<String, Vec<f64>>;

/// Minimum number of rows in a group.
const FEWEST: usize = 3;

fn main() -> ExitCode {
    let mut tables = table::Tables::default();
    for file in std::env::args().skip(1) {
        if let Err(message) = tables.read_file(&file) {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    }
    println!("| of | near is | groups | rows | before | after one is measured |\n|---|---|---|---|---|---|");
    for (near, with_model) in [("the same source, GPU and framework", false), ("the same model too", true)] {
        let mut times: BTreeMap<StepKind, Groups> = BTreeMap::new();
        let mut peaks = Groups::new();
        for entry in &tables.training {
            let Ok(prediction) = &entry.outcome else { continue };
            let key = key(entry.source(), prediction, with_model);
            if let Some(error) = prediction.step_error() {
                let groups = times.entry(StepKind::classify(&prediction.scenario)).or_default();
                groups.entry(key.clone()).or_default().push(1.0 / (1.0 + error));
            }
            if let Some(error) = prediction.memory_error() {
                peaks.entry(key).or_default().push(1.0 / (1.0 + error));
            }
        }
        for (kind, groups) in times {
            print(kind.name(), near, groups);
        }
        print("peak memory", near, peaks);
    }
    print_by_others(&tables);
    ExitCode::SUCCESS
}

/// A run with its source, its traits, and its measured over predicted step time.
struct Run<'a> {
    source: &'a str,
    scenario: Scenario,
    traits: Traits,
    ratio: f64,
}

/// Distances in steps within which a run of another source corrects.
const WITHIN: [f64; 3] = [1.0, 2.0, 4.0];

/// Prints the errors of runs before and after a correction by the nearest run of another source.
fn print_by_others<'a>(tables: &'a table::Tables) {
    let run = |entry: &'a Entry| {
        let prediction = entry.outcome.as_ref().ok()?;
        let scenario = prediction.scenario;
        let ratio = 1.0 / (1.0 + prediction.step_error()?);
        Some(Run { source: entry.source(), scenario, traits: Traits::from_scenario(&scenario), ratio })
    };
    let runs: Vec<Run> = tables.training.iter().filter_map(run).collect();
    println!("\n| within steps | rows | median error | after | 80th percentile | after |\n|---|---|---|---|---|---|");
    for within in WITHIN {
        let errors = runs.iter().filter_map(|own| {
            let alike =
                runs.iter().filter(|other| other.source != own.source && is_alike(&own.scenario, &other.scenario));
            let far = alike.map(|other| (own.traits.distance(&other.traits), other.ratio));
            let (_, ratio) = far.filter(|(steps, _)| *steps <= within).min_by(|one, two| one.0.total_cmp(&two.0))?;
            Some([own.ratio, own.ratio / ratio].map(|ratio| (ratio.ln().abs(), 1.0)))
        });
        let (before, after): (Vec<_>, Vec<_>) = errors.map(|[before, after]| (before, after)).unzip();
        let at = |errors: &[(f64, f64)], share| quantile(errors, share).unwrap_or(f64::NAN);
        println!(
            "| {within} | {} | {:.3} | {:.3} | {:.3} | {:.3} |",
            before.len(),
            at(&before, 0.5),
            at(&after, 0.5),
            at(&before, 0.8),
            at(&after, 0.8)
        );
    }
}

/// Whether one run may correct another.
fn is_alike(own: &Scenario, other: &Scenario) -> bool {
    let traits = |of: &Scenario| {
        (of.accelerator.id, of.framework, of.compute_format, of.model.architecture().has_experts(), of.trained.is_all())
    };
    traits(own) == traits(other)
}

fn print(name: &str, near: &str, groups: Groups) {
    let groups: Vec<Vec<f64>> = groups.into_values().filter(|rows| rows.len() >= FEWEST).collect();
    let rows: usize = groups.iter().map(Vec::len).sum();
    let range = |weighted: &[(f64, f64)]| {
        let at = |share| quantile(weighted, share).unwrap_or(f64::NAN);
        format!("{:.3} to {:.3}", at(0.1), at(0.9))
    };
    let before: Vec<(f64, f64)> = groups.iter().flat_map(|rows| rows.iter().map(|row| (*row, weight(rows)))).collect();
    let after: Vec<(f64, f64)> = groups.iter().flat_map(|rows| pairs(rows)).collect();
    println!("| {name} | {near} | {} | {rows} | {} | {} |", groups.len(), range(&before), range(&after));
}

/// Returns the key of a row's group.
fn key(source: &str, prediction: &Prediction, with_model: bool) -> String {
    let scenario = &prediction.scenario;
    let experts = scenario.model.architecture().has_experts();
    let model = if with_model { scenario.model.size().to_string() } else { experts.to_string() };
    format!("{source}|{}|{:?}|{model}", scenario.accelerator.id, scenario.framework)
}

/// Returns the weight of a row.
fn weight(rows: &[f64]) -> f64 {
    1.0 / (rows.len() as f64).sqrt()
}

/// Returns the ratio of each row to each other row; the weights of a row's pairs add up to the
/// row's weight.
fn pairs(rows: &[f64]) -> Vec<(f64, f64)> {
    let share = weight(rows) / (rows.len() - 1) as f64;
    let over = |(place, row): (usize, &f64)| {
        let row = *row;
        let others = rows.iter().enumerate().filter(move |(other, _)| *other != place);
        others.map(move |(_, anchor)| (row / anchor, share))
    };
    rows.iter().enumerate().flat_map(over).collect()
}
