//! The values that formulas refer to: the scenario and the engine's results.

use engine::model::bounds::Bounds;
use engine::model::memory::PeakTerms;
use engine::model::report::Report;
use engine::model::run::{self, RunReport};
use engine::model::setup::Setup;
use engine::model::stage_plan::StagePlan;
use engine::model::step::playback::Playback;
use engine::scenario::{Scenario, Strategy};

/// A scenario with every result that a formula refers to, computed only while a card is open.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The choices of the user.
    pub scenario: Scenario,
    /// The resolved numbers that the engine evaluates.
    pub setup: Setup,
    /// The report of the step.
    pub report: Report,
    /// The report of the whole run.
    pub run: RunReport,
    /// The factors of the parts of memory.
    pub peak: PeakTerms,
    /// Computation and communication of the slowest pipeline stage.
    pub plan: StagePlan,
    /// The closed-form bounds under full sharding.
    pub bounds: Bounds,
}

impl Context {
    /// Evaluates everything for a scenario.
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let setup = scenario.setup();
        Self {
            scenario: *scenario,
            setup,
            report: *report,
            run: run::evaluate(&setup, report, &scenario.run_choices()),
            peak: PeakTerms::new(&setup),
            plan: *Playback::new(&setup).plan(),
            bounds: Bounds::from_setup(&scenario.with_strategy(Strategy::FullShard).setup()),
        }
    }
}
