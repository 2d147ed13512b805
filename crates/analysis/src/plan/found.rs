//! A result of a plan: the fastest layout of one case, with its run, range and odds.

use super::{Question, days, own_batch};
use crate::layout_space::sequences;
use catalog::accuracy::{self, Band};
use engine::model::report::Report;
use engine::model::run::RunReport;
use engine::scenario::Scenario;

/// The fastest layout of one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FastestLayout {
    /// Index of the hardware in [`super::Plan::hardware`].
    pub hardware: usize,
    /// The scenario in this layout.
    pub scenario: Scenario,
    /// The report of a step.
    pub report: Report,
    /// The report of the run.
    pub run: RunReport,
    /// The range of time and price, as factors: 80 % of measured runs of this kind are within it.
    pub band: Band,
    /// The odds that the run fits in memory, 0 to 1.
    pub odds: f64,
}

impl FastestLayout {
    pub(super) fn new(hardware: usize, scenario: &Scenario) -> Self {
        let report = scenario.report();
        let run = scenario.run_of(&report);
        let (band, odds) = (accuracy::step_time(scenario), report.odds());
        Self { hardware, scenario: *scenario, report, run, band, odds }
    }

    /// Returns the expected days from start to end, with checkpoints and failures. Infinite if
    /// failures come faster than progress.
    pub fn days(&self) -> f64 {
        days(self.run.time)
    }

    /// Returns the expected US dollars of all GPU-hours.
    pub fn dollars(&self) -> f64 {
        self.run.cost.get()
    }

    /// Returns the odds, 0 to 1, that the run fits and ends within `days`.
    pub fn odds_in_time(&self, days: f64) -> f64 {
        self.odds * accuracy::odds_within(self.band, days / self.days())
    }

    /// Returns the odds, 0 to 1, that the run fits and costs at most `dollars`.
    pub fn odds_in_budget(&self, dollars: f64) -> f64 {
        self.odds * accuracy::odds_within(self.band, dollars / self.dollars())
    }

    /// Returns the odds, 0 to 1, that the run fits and meets the question's deadline or budget;
    /// `None` if the question has neither.
    pub fn limit_odds(&self, question: Question) -> Option<f64> {
        match question {
            Question::Cheapest { days } => Some(self.odds_in_time(days)),
            Question::Fastest { dollars } => Some(self.odds_in_budget(dollars)),
            _ => None,
        }
    }

    /// Returns the tokens of a step, padding included.
    pub fn batch(&self) -> f64 {
        own_batch(&self.scenario)
    }

    /// Returns the sequences of a step.
    pub fn sequences(&self) -> u32 {
        sequences(&self.scenario)
    }
}
