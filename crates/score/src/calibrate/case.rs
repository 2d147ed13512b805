//! Measured steps, prepared for repeated evaluation.

#![allow(clippy::indexing_slicing, reason = "places come from the lists that they point into")]

use super::constants::Action;
use crate::by_accelerator;
use crate::summary::Entry;
use engine::fitted::Fitted;
use engine::model::setup::Setup;
use engine::model::step::evaluate;
use engine::scenario::Scenario;

/// A measured run prepared for repeated evaluation.
pub struct Case {
    /// Publication of the row.
    pub source: String,
    /// Scenario of the run.
    pub scenario: Scenario,
    /// Setup that the scenario resolves to.
    pub setup: Setup,
    /// Measured step time in seconds, scaled to the tokens of the scenario's step.
    pub step: f64,
    /// Measured MFU; 0 if unknown.
    pub mfu: f64,
    /// Number of the source.
    pub of: usize,
    /// Constants that affect the row, with their indices.
    pub constants: Vec<(usize, &'static Action)>,
}

impl Case {
    /// Prepares a row; `None` if the row has no measured step time, if the row's author warns about
    /// its accuracy, or if the step generates its training data: the constants are those of
    /// training.
    pub fn prepare(entry: &Entry, constants: &[(&Fitted, &'static Action)]) -> Option<Self> {
        let prediction = entry.outcome.as_ref().ok()?;
        let measured = prediction.measured.step_time_s?;
        let scenario = prediction.scenario;
        if scenario.objective.task.generates()
            || by_accelerator::is_apart(entry.source(), scenario.accelerator.values.generation)
        {
            return None;
        }
        let scale = prediction.report.update.time.step.get() / prediction.step_time_s;
        let applying = constants.iter().enumerate().filter(|(_, (_, action))| (action.applies)(&scenario));
        Some(Self {
            source: entry.source().to_owned(),
            of: 0,
            scenario,
            setup: scenario.setup(),
            step: measured * scale,
            mfu: prediction.measured.mfu.unwrap_or(0.0),
            constants: applying.map(|(at, (_, action))| (at, *action)).collect(),
        })
    }

    /// Returns the logarithm of predicted over measured step time, with each of the engine's
    /// constants multiplied by its factor.
    pub fn error(&self, factors: &[f64]) -> f64 {
        let mut setup = self.setup;
        for (at, action) in &self.constants {
            if factors[*at] != 1.0 {
                (action.scale)(&mut setup, factors[*at]);
            }
        }
        (evaluate(&setup).update.time.step.get() / self.step).ln()
    }
}

/// Numbers the sources of the cases in order of appearance, and returns their names.
pub fn numbered(cases: &mut [Case]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for case in cases {
        case.of = names.iter().position(|name| *name == case.source).unwrap_or_else(|| {
            names.push(case.source.clone());
            names.len() - 1
        });
    }
    names
}
