//! The moments of a step at which memory can peak, and what is alive at each.

mod cache;
mod checkpointed;
mod context;
mod in_backward;
mod ledger;
mod logits;
mod nanotron;
mod point;
mod stage_3;
mod terms;
mod waiting;
mod workspaces;
mod xla;

use super::states::paged;
use crate::model::lengths::Lengths;
use crate::model::report::{MemoryPart, MemoryParts, MemoryReport, PeakMoment};
use crate::model::rollout::engine::engine_beside_training;
use crate::model::setup::Setup;
use crate::model::software::Cache;
use crate::model::stages::{ByStage, Stage};
use crate::units::Bytes;
use cache::within;
pub use cache::{Alive, Held, OUTGROWN};
use context::communicators;
pub use context::{SWITCH_BUFFERS, context, switch_communicators};
pub use in_backward::InBackward;
use ledger::Ledger;
pub use logits::{bytes_per_logit, logits};
use point::Peak;
pub use terms::{PeakTerms, Working};
pub use waiting::{Gathered, Unreduced};
pub use workspaces::{dequantized, workspaces};

/// The memory of one GPU at the peak of a step, on the stage that needs most.
///
/// Counts every point at which the peak can lie: the loss, the middle and the end of the backward
/// pass of the last layer, of the one before it, of the second and of the first (between them
/// memory is linear in the layer), the root unit's reduction, and the optimizer's update.
pub fn peak(setup: &Setup, stages: &ByStage<Stage>) -> MemoryReport {
    at_longest(setup, |setup| most_needy(setup, stages).report(setup))
}

/// What has no room on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// Weights and optimizer state alone, whatever the micro-batch and the recomputation.
    States,
    /// All that is alive at some point.
    Peak,
}

/// [`peak`] where it fits. Where it does not, this ends at the first point that shows it, as most
/// do that a search asks about.
///
/// # Errors
///
/// What has no room.
pub fn peak_that_fits(setup: &Setup, stages: &ByStage<Stage>) -> Result<MemoryReport, NoRoom> {
    at_longest(setup, |setup| peak_up_to_capacity(setup, stages))
}

fn peak_up_to_capacity(setup: &Setup, stages: &ByStage<Stage>) -> Result<MemoryReport, NoRoom> {
    /// What is needed is added up in another order than the limit is subtracted.
    const ROUNDING: f64 = 1e-12;
    let capacity = setup.accelerator.usable_memory() / setup.measured_memory;
    let limit = (capacity - context(setup) - engine_beside_training(setup)) * (1.0 + ROUNDING);
    let mut most: Option<OfStage> = None;
    for stage in stages.iter() {
        let of_stage = OfStage::up_to(setup, stage, limit);
        if of_stage.peak.allocated > limit {
            let states = of_stage.ledger.states.weights + of_stage.ledger.states.optimizer;
            return Err(if states > capacity { NoRoom::States } else { NoRoom::Peak });
        }
        if most.as_ref().is_none_or(|most| of_stage.peak.allocated > most.peak.allocated) {
            most = Some(of_stage);
        }
    }
    most.map(|most| most.report(setup)).filter(MemoryReport::fits).ok_or(NoRoom::Peak)
}

/// What holds of the longest micro-batch, where their lengths differ.
fn at_longest<T>(setup: &Setup, of: impl FnOnce(&Setup) -> T) -> T {
    match setup.lengths {
        Lengths::Equal | Lengths::LongestOf { .. } => of(setup),
        Lengths::OfTexts { .. } => of(&setup.at_longest()),
    }
}

/// A stage with what is alive on one GPU of it.
struct OfStage<'a> {
    stage: &'a Stage,
    ledger: Ledger,
    peak: Peak,
}

impl<'a> OfStage<'a> {
    fn new(setup: &Setup, stage: &'a Stage) -> Self {
        Self::up_to(setup, stage, Bytes::new(f64::INFINITY))
    }

    /// Ends at the first point that needs more than a limit.
    fn up_to(setup: &Setup, stage: &'a Stage, limit: Bytes) -> Self {
        let ledger = Ledger::new(setup, stage, &stage.params);
        let peak = ledger.peak_up_to(limit);
        Self { stage, ledger, peak }
    }

    fn report(&self, setup: &Setup) -> MemoryReport {
        with_pages(self.beside_pages(setup), paged(setup, &self.stage.params))
    }

    /// The report without paged optimizer state.
    fn beside_pages(&self, setup: &Setup) -> MemoryReport {
        let Self { stage, ledger, peak } = self;
        let cache = ledger.cache(setup, stage, peak);
        let alive = ledger.alive(setup, peak);
        report(setup, ledger.parts(peak.point), peak.moment, &alive, (cache, cache.reserved(&alive)))
    }
}

/// The stage that needs most memory, the earliest of equals.
fn most_needy<'a>(setup: &Setup, stages: &'a ByStage<Stage>) -> OfStage<'a> {
    let mut most = OfStage::new(setup, &stages.first);
    for stage in stages.between.iter().chain(&stages.last) {
        let next = OfStage::new(setup, stage);
        if next.peak.allocated > most.peak.allocated {
            most = next;
        }
    }
    most
}

/// The memory of one GPU of a stage at the peak of a step.
pub fn of_stage(setup: &Setup, stage: &Stage) -> MemoryReport {
    OfStage::new(setup, stage).report(setup)
}

/// The report with as much of the paged optimizer state as the GPU has room for beside all else.
/// Unified memory yields to what PyTorch allocates (QLoRA, arXiv 2305.14314, section 3): it is
/// needed by nobody else, and not among what tensors occupy.
fn with_pages(report: MemoryReport, paged: Bytes) -> MemoryReport {
    if paged <= Bytes::ZERO {
        return report;
    }
    let free = (report.capacity - report.peak).max(Bytes::ZERO);
    let here = if paged < free { paged } else { free };
    let cache = report.cache() + here;
    MemoryReport { parts: report.parts.with(MemoryPart::Cache, cache), peak: report.peak + here, ..report }
}

/// Bytes of paged optimizer state for which one GPU of a stage has no room at the peak: they wait
/// in host memory.
///
/// ```
/// # use links::decode;
/// # use engine::model::{memory::evicted, stages::stages};
/// let of = |link: &str| {
///     let setup = decode(link).scenario.setup();
///     evicted(&setup, &stages(&setup).first).gb().round()
/// };
/// // bitsandbytes' PagedAdamW8bit on Llama 3.1 8B: 16 GB of state are at home on 80 GB, and not beside 16 GB of weights on 24.
/// let tuning = "model=llama-3.1-8b&gpus=1&recipe=pure-bf16&optimizer=adamw-8bit&strategy=ddp&seq=2048&recompute=full&inbwd=yes";
/// assert_eq!(of(&format!("gpu=h100-sxm&{tuning}&paged=yes")), 0.0);
/// assert!((10.0..=16.0).contains(&of(&format!("gpu=rtx-4090&{tuning}&paged=yes"))));
/// assert_eq!(of(&format!("gpu=rtx-4090&{tuning}")), 0.0);
/// ```
pub fn evicted(setup: &Setup, stage: &Stage) -> Bytes {
    let paged = paged(setup, &stage.params);
    if paged <= Bytes::ZERO {
        return paged;
    }
    let setup = setup.at_longest();
    let room = OfStage::new(&setup, stage).beside_pages(&setup);
    (paged - (room.capacity - room.peak).max(Bytes::ZERO)).max(Bytes::ZERO)
}

/// The report of these parts, alive at a moment, with what the process holds beside them: the
/// context, and what the allocator holds of what it reserves on a device without end.
pub fn report(
    setup: &Setup,
    parts: MemoryParts,
    moment: PeakMoment,
    alive: &Alive,
    (cache, reserved): (Cache, Bytes),
) -> MemoryReport {
    let allocated = alive.allocated;
    let (nominal, capacity) = (setup.accelerator.memory, setup.accelerator.usable_memory());
    let (context, engine) = (context(setup), engine_beside_training(setup));
    let needed = cache.needed(alive);
    let (held, _) = within(capacity - context - engine, needed, reserved);
    let parts = parts
        .with(MemoryPart::Context, context)
        .with(MemoryPart::Fragmentation, needed - allocated)
        .with(MemoryPart::Cache, held - needed)
        .with(MemoryPart::Engine, engine);
    let needed = needed + context + engine;
    let predicted = MemoryReport { parts, moment, allocated, peak: parts.total(), needed, nominal, capacity };
    predicted.scaled(setup.measured_memory)
}
