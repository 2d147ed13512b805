//! The points of a step at which memory can peak, and the tensors alive at each.

mod at_rest;
mod cache;
mod checkpointed;
mod context;
mod gathers;
mod in_backward;
mod inputs;
mod kept;
mod messages;
mod nanotron;
mod of_setup;
mod parts;
mod point;
mod stage_3;
mod stage_peak;
mod terms;
mod unreduced;
mod working_set;
mod workspaces;
mod xla;

use crate::model::lengths::Lengths;
use crate::model::memory::engine::engine_beside_training;
use crate::model::odds::{Curve, PeakKind};
use crate::model::report::{MemoryPart, MemoryParts, MemoryReport, PeakMoment};
use crate::model::setup::Setup;
use crate::model::software::Cache;
use crate::model::stages::{ByStage, Stage, stages};
use crate::model::states::paged;
use crate::units::Bytes;
use cache::within;
pub use cache::{Alive, ReservationLimit, STALE_LOGIT_BLOCKS};
use context::communicators;
pub use context::{SWITCH_BUFFERS, context, switch_communicators};
pub use gathers::Gathered;
pub use in_backward::InBackward;
pub use messages::message_buffers;
use of_setup::OfSetup;
use parts::StagePeak;
use stage_peak::{UNLIMITED, most_needy};
pub use terms::{PeakTerms, Working};
pub use unreduced::Unreduced;
pub use workspaces::{dequantized, workspaces};

/// Returns the memory of one GPU at the peak of a step, on the stage that needs most.
///
/// Evaluates every point at which the peak can be: the loss, the middle and the end of the backward
/// pass of the last layer, of the one before it, of the second and of the first (in between, memory
/// is linear in the layer), the root unit's reduction, and the optimizer's update.
pub fn peak(setup: &Setup, stages: &ByStage<Stage>) -> MemoryReport {
    at_longest(setup, |setup| most_needy(&OfSetup::new(setup), stages, UNLIMITED).report())
}

/// Part of the memory that exceeds the capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// Weights and optimizer state alone, whatever the micro-batch and the recomputation.
    States,
    /// The tensors alive at some point.
    Peak,
}

/// Returns [`peak`] if it fits. Otherwise stops at the first stage that exceeds the capacity, as
/// most candidates of a search do.
///
/// # Errors
///
/// Returns the part that exceeds the capacity.
pub fn peak_that_fits(setup: &Setup, stages: &ByStage<Stage>) -> Result<MemoryReport, NoRoom> {
    at_longest(setup, |setup| peak_up_to_capacity(setup, stages))
}

fn peak_up_to_capacity(setup: &Setup, stages: &ByStage<Stage>) -> Result<MemoryReport, NoRoom> {
    /// Relative tolerance, as the needed bytes are added in a different order from that in which
    /// the limit is subtracted.
    const ROUNDING: f64 = 1e-12;
    let usable = curve(setup).most_needed(setup.accelerator.usable_memory());
    let capacity = usable / setup.measured_memory;
    let context = context(setup);
    let limit = (capacity - context - engine_beside_training(setup, context)) * (1.0 + ROUNDING);
    let of = OfSetup::new(setup);
    let most = most_needy(&of, stages, limit);
    if most.alive.allocated > limit {
        let states = most.states.weights + most.states.optimizer;
        return Err(if states > capacity { NoRoom::States } else { NoRoom::Peak });
    }
    Some(most.report()).filter(MemoryReport::fits).ok_or(NoRoom::Peak)
}

/// Evaluates the longest micro-batch, if micro-batches differ in length.
fn at_longest<T>(setup: &Setup, of: impl FnOnce(&Setup) -> T) -> T {
    match setup.lengths {
        Lengths::Equal | Lengths::LongestOf { .. } => of(setup),
        Lengths::OfTexts { .. } => of(&setup.at_longest()),
    }
}

impl StagePeak<'_> {
    fn report(&self) -> MemoryReport {
        with_pages(self.beside_pages(), paged(self.of.setup, &self.stage.params))
    }

    /// Returns the report without paged optimizer state.
    fn beside_pages(&self) -> MemoryReport {
        let cache = self.cache();
        report(self.of.setup, self.parts, self.moment, &self.alive, (cache, cache.reserved(&self.alive)))
    }
}

/// Returns the stage that needs most memory; the earliest if several are equal.
pub fn largest_stage(setup: &Setup) -> Stage {
    let stages = stages(setup);
    *most_needy(&OfSetup::new(setup), &stages, UNLIMITED).stage
}

/// Returns the memory of one GPU of a stage at the peak of a step.
pub fn stage_memory(setup: &Setup, stage: &Stage) -> MemoryReport {
    StagePeak::new(&OfSetup::new(setup), stage).report()
}

/// Returns the report with as much of the paged optimizer state as fits on the GPU in addition to
/// everything else. Unified memory yields to allocations of PyTorch (QLoRA, arXiv 2305.14314,
/// section 3): the pages do not count as needed or as allocated.
fn with_pages(report: MemoryReport, paged: Bytes) -> MemoryReport {
    if paged <= Bytes::ZERO {
        return report;
    }
    let free = (report.capacity - report.peak).max(Bytes::ZERO);
    let here = if paged < free { paged } else { free };
    let cache = report.cache() + here;
    MemoryReport { parts: report.parts.with(MemoryPart::Cache, cache), peak: report.peak + here, ..report }
}

/// Returns the bytes of paged optimizer state that do not fit on one GPU of a stage at the peak and
/// are kept in host memory.
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
    let room = StagePeak::new(&OfSetup::new(&setup), stage).beside_pages();
    (paged - (room.capacity - room.peak).max(Bytes::ZERO)).max(Bytes::ZERO)
}

/// Returns the odds of fitting, by capacity over needed, of runs on the framework and silicon.
fn curve(setup: &Setup) -> Curve {
    PeakKind::of_stack(setup.framework, setup.accelerator.generation).curve()
}

/// Returns the report of parts alive at a moment, with the process's other memory: the context, the
/// allocator's reserved bytes, and what it would reserve with unlimited memory.
pub fn report(
    setup: &Setup,
    parts: MemoryParts,
    moment: PeakMoment,
    alive: &Alive,
    (cache, reserved): (Cache, Bytes),
) -> MemoryReport {
    let allocated = alive.allocated;
    let (nominal, capacity) = (setup.accelerator.memory, setup.accelerator.usable_memory());
    let context = context(setup);
    let engine = engine_beside_training(setup, context);
    let needed = cache.needed(alive);
    let (held, _) = within(capacity - context - engine, needed, reserved);
    let parts = parts
        .with(MemoryPart::Context, context)
        .with(MemoryPart::Fragmentation, needed - allocated)
        .with(MemoryPart::Cache, held - needed)
        .with(MemoryPart::Engine, engine);
    let needed = needed + context + engine;
    let curve = curve(setup);
    let predicted = MemoryReport { parts, moment, allocated, peak: parts.total(), needed, nominal, capacity, curve };
    predicted.scaled(setup.measured_memory)
}
