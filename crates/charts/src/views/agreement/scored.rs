//! Published rows with the engine's predictions.

use core::fmt::Write as _;

use super::Measure;
use crate::names;
use analysis::published::Published;
use analysis::similar_runs::{Traits, nearest};
use engine::format;
use engine::params::Unit;
use engine::scenario::Scenario;

/// A list of rows with their predictions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredRows {
    /// The rows.
    pub rows: Vec<Scored>,
    /// The publishers, in the order of their first rows.
    pub sources: Vec<String>,
}

impl ScoredRows {
    /// Evaluates a row and adds it.
    pub fn push(&mut self, row: Published) {
        let known = self.sources.iter().rposition(|source| *source == row.source);
        let source = known.unwrap_or(self.sources.len());
        if known.is_none() {
            self.sources.push(row.source.clone());
        }
        self.rows.push(Scored::evaluate(row, source));
    }

    /// Returns the row most similar to a scenario, and its distance in steps
    /// ([`analysis::similar_runs`]).
    pub fn nearest(&self, scenario: &Scenario) -> Option<(&Scored, f64)> {
        let found = nearest(&Traits::from_scenario(scenario), self.rows.iter().map(|scored| &scored.traits), 1);
        found.first().and_then(|(place, steps)| Some((self.rows.get(*place)?, *steps)))
    }

    /// Returns the rows most similar to a scenario in the traits that decide its speed, the nearest
    /// first.
    pub fn like(&self, scenario: &Scenario, most: usize) -> Vec<&Scored> {
        let found = nearest(&Traits::from_scenario(scenario), self.rows.iter().map(|scored| &scored.traits), most);
        found.into_iter().filter_map(|(place, _)| self.rows.get(place)).collect()
    }
}

/// A row with its predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The row.
    pub row: Published,
    /// The publisher, by index in [`ScoredRows::sources`].
    pub source: usize,
    /// The model, hardware, layout and publisher in one line.
    pub name: String,
    /// Traits that decide the speed.
    pub traits: Traits,
    /// Predicted time of a step, in seconds.
    pub step_s: f64,
    /// Predicted peak memory in GiB, if it was measured.
    pub peak_gib: Option<f64>,
}

impl Scored {
    /// Evaluates a row of this source.
    fn evaluate(row: Published, source: usize) -> Self {
        let scenario = row.scenario();
        Self {
            source,
            traits: Traits::from_scenario(&scenario),
            name: name(&row, &scenario),
            step_s: row.predicted_step(&scenario),
            peak_gib: row.peak.map(|peak| peak.predicted(&scenario)),
            row,
        }
    }

    /// Returns the measured and the predicted value, in seconds or GiB.
    pub fn pair(&self, measure: Measure) -> Option<(f64, f64)> {
        match measure {
            Measure::StepTime => Some((self.row.step_s?, self.step_s)),
            Measure::PeakMemory => Some((self.row.peak?.gib, self.peak_gib?)),
        }
    }
}

/// Names a row: `Llama 2 7B on 64 A100 80 GB, FULL_SHARD, tp 2, pp 4, 4,096 tokens, 1 × 8
/// sequences; torchtitan`.
fn name(row: &Published, scenario: &Scenario) -> String {
    let gpu = catalog::accelerator(scenario.accelerator.id).map_or("GPUs", |entry| entry.name);
    let mut name = format!("{} on {} {gpu}, {}", row.model, scenario.gpus, names::layout(scenario));
    let tokens = format::value(Unit::Tokens, f64::from(scenario.seq_len));
    let _ = write!(name, ", {tokens}, {} × {} sequences", scenario.micro_batch_size, scenario.grad_accum_steps);
    let fit = if row.fitted { "; constants fitted to it" } else { "" };
    name + "; " + &row.source + fit
}
