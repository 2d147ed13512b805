//! A result of a plan: the fastest layout of one case, with its run, range and odds.

use super::{Question, days, own_batch};
use crate::layout_space::sequences;
use catalog::accuracy::{self, Band};
use engine::model::report::Report;
use engine::model::run::RunReport;
use engine::scenario::Scenario;

/// The fastest layout of one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The place of its hardware in [`super::Plan::hardware`].
    pub hardware: usize,
    /// The scenario in this layout.
    pub scenario: Scenario,
    /// Its step.
    pub report: Report,
    /// Its run.
    pub run: RunReport,
    /// The range of its time and price, as factors: 80 % of measured runs of its kind lie within.
    pub band: Band,
    /// The odds that it fits in memory, 0 to 1.
    pub odds: f64,
}

impl Found {
    pub(super) fn new(hardware: usize, scenario: &Scenario, run: &RunReport) -> Self {
        let report = scenario.report();
        let (band, odds) = (accuracy::step_time(scenario), accuracy::fit_odds(&report));
        Self { hardware, scenario: *scenario, report, run: *run, band, odds }
    }

    /// Days from start to end: expected, with checkpoints and failures. Infinite where failures
    /// come faster than progress.
    pub fn days(&self) -> f64 {
        days(self.run.time)
    }

    /// US dollars of all GPU-hours: expected.
    pub fn dollars(&self) -> f64 {
        self.run.cost.get()
    }

    /// The odds, 0 to 1, that it fits and ends within so many days.
    pub fn odds_in_time(&self, days: f64) -> f64 {
        self.odds * accuracy::odds_within(self.band, days / self.days())
    }

    /// The odds, 0 to 1, that it fits and costs no more than so many US dollars.
    pub fn odds_in_budget(&self, dollars: f64) -> f64 {
        self.odds * accuracy::odds_within(self.band, dollars / self.dollars())
    }

    /// The odds, 0 to 1, that it fits and holds the deadline or the budget of a question, where
    /// that has one.
    pub fn limit_odds(&self, question: Question) -> Option<f64> {
        match question {
            Question::Cheapest { days } => Some(self.odds_in_time(days)),
            Question::Fastest { dollars } => Some(self.odds_in_budget(dollars)),
            _ => None,
        }
    }

    /// Tokens of a step, padding included.
    pub fn batch(&self) -> f64 {
        own_batch(&self.scenario)
    }

    /// Sequences of a step.
    pub fn sequences(&self) -> u32 {
        sequences(&self.scenario)
    }
}
