//! What a plan finds: the fastest layout of one case, with its run and how sure that is.

use super::days;
use crate::analysis::layout_space::sequences;
use crate::catalog::accuracy::{self, Band};
use crate::model::report::Report;
use crate::model::run::RunReport;
use crate::scenario::Scenario;

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

    /// Days from start to end: expected, with checkpoints and failures. Infinite where failures come faster than progress.
    pub fn days(&self) -> f64 {
        days(self.run.time)
    }

    /// US dollars of all GPU-hours: expected.
    pub fn dollars(&self) -> f64 {
        self.run.cost.get()
    }

    /// Sequences of a step.
    pub fn sequences(&self) -> u32 {
        sequences(&self.scenario)
    }
}
