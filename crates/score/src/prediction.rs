//! The prediction of a row: its scenario evaluated, beside the measurements.

use super::linked::{Linked, Measured};
use super::{Notes, unsure};
use analysis::published::MemoryKind;
use catalog::accuracy::{self, Band};
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::units::BytesPerSecond;

/// The engine's prediction for a row, with the measured values.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Scenario of the row.
    pub scenario: Scenario,
    /// Report of the scenario.
    pub report: Report,
    /// Whether the run is possible: it fits in memory, and every pipeline stage has a layer.
    pub fits: bool,
    /// Odds that the run fits; 0 if the run is impossible.
    pub fit_odds: f64,
    /// Notes on completed values.
    pub notes: Notes,
    /// Predicted time of a step with the row's own batch, in seconds; with its rollout, if the step
    /// generates its training data.
    pub step_time_s: f64,
    /// Ratio of the tokens of the row's batch to the tokens of the scenario's full micro-batches.
    pub batch_share: f64,
    /// Accuracy band of the step time.
    pub step_band: Band,
    /// Slowest network that is consistent with the row, if it widens the band.
    pub slowest: Option<BytesPerSecond>,
    /// Predicted peak memory in GiB, of the kind that the row measured.
    pub peak_mem_gib: f64,
    /// Predicted bytes allocated to tensors at the peak of the measured pipeline stage, in GiB.
    pub allocated_gib: f64,
    /// Predicted bytes reserved by the caching allocator at that peak, in GiB.
    pub reserved_gib: f64,
    /// Accuracy band of the peak memory.
    pub memory_band: Band,
    /// Measured values that are comparable with the scenario.
    pub measured: Measured,
}

impl Prediction {
    /// Returns the relative error of the step time: predicted over measured, less one.
    pub fn step_error(&self) -> Option<f64> {
        self.measured.step_time_s.map(|measured| self.step_time_s / measured - 1.0)
    }

    /// Returns the relative error of peak memory: predicted over measured, less one.
    pub fn memory_error(&self) -> Option<f64> {
        self.measured.peak_gib.map(|measured| self.peak_mem_gib / measured - 1.0)
    }
}

/// Evaluates the scenario of a row and pairs the prediction with the measurements.
pub(crate) fn evaluated(linked: &Linked, scenario: Scenario) -> Prediction {
    let &Linked { measured, batch_share, slowest, .. } = linked;
    let mut notes = linked.completed.clone();
    let report = scenario.report();
    let memory = measured.stage.memory(&scenario.setup());
    let whole = report.whole();
    let predicted_step = whole.time.get();
    let step_time_s = predicted_step * batch_share;
    let possible = scenario.pp <= scenario.model.architecture().num_hidden_layers;
    let (step_band, slowest) = unsure::range(&scenario, slowest, predicted_step, &mut notes);
    let derived_mfu = || measured.step_time_s.map(|measured| whole.mfu * step_time_s / measured);
    Prediction {
        fits: report.fits() && possible,
        fit_odds: if possible { report.odds() } else { 0.0 },
        step_band,
        slowest,
        memory_band: accuracy::peak_memory(&report),
        step_time_s,
        batch_share,
        peak_mem_gib: measured.kind.predicted(&memory).gib(),
        allocated_gib: MemoryKind::Allocated.predicted(&memory).gib(),
        reserved_gib: MemoryKind::Reserved.predicted(&memory).gib(),
        measured: Measured { mfu: measured.mfu.or_else(derived_mfu), ..measured },
        scenario,
        report,
        notes,
    }
}
