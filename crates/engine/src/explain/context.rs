//! Everything that stands in a formula: the scenario and what the engine makes of it.

use crate::model::bounds::Bounds;
use crate::model::memory::PeakTerms;
use crate::model::report::Report;
use crate::model::run::{self, RunReport};
use crate::model::setup::Setup;
use crate::model::stage_plan::StagePlan;
use crate::model::step::playback::Playback;
use crate::scenario::{Scenario, Strategy};

/// A scenario, evaluated with everything that a formula names. Made only while a card is open.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The choices.
    pub scenario: Scenario,
    /// The numbers that are evaluated.
    pub setup: Setup,
    /// The step.
    pub report: Report,
    /// The whole run.
    pub run: RunReport,
    /// The factors of the memory's parts.
    pub peak: PeakTerms,
    /// What the stage that sets the pace computes and communicates.
    pub plan: StagePlan,
    /// The closed-form bounds, of full sharding.
    pub bounds: Bounds,
}

impl Context {
    /// Of a scenario.
    pub fn of(scenario: &Scenario, report: &Report) -> Self {
        let setup = scenario.setup();
        Self {
            scenario: *scenario,
            setup,
            report: *report,
            run: run::evaluate(&setup, report, &scenario.run),
            peak: PeakTerms::of(&setup),
            plan: *Playback::of(&setup).plan(),
            bounds: Bounds::of(&scenario.with_strategy(Strategy::FullShard).setup()),
        }
    }
}
