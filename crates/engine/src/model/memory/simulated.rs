//! Memory at rest: the step played tensor by tensor, for the runs that the trace follows whole.

use super::peak::{Alive, report};
use super::states::base;
use super::trace::{Category, Peak, Phase, Trace};
use crate::model::report::{MemoryPart, MemoryParts, MemoryReport, PeakMoment};
use crate::model::setup::Setup;
use crate::model::software::{Cache, Framework, Offload};
use crate::model::stages::Stage;
use crate::model::training::{Optimizer, Recompute, Sharding};
use crate::units::Bytes;

/// Whether the trace follows all that a step of this setup allocates: PyTorch's modules under FSDP or DDP, without a pipeline,
/// expert parallelism or offloading, kernel by kernel or compiled.
pub fn is_followed(setup: &Setup) -> bool {
    let mesh = &setup.mesh;
    let sharded = matches!(setup.sharding, Sharding::Fsdp(_)) && mesh.pp <= 1 && mesh.ep <= 1 && mesh.cp <= 1;
    let by_layers = !matches!(setup.recompute, Recompute::AttentionCore | Recompute::Modules);
    // DeepSpeed's stage 3 has units of its own.
    let by_units = setup.framework != Framework::DeepSpeed;
    let plain = setup.optimizer == Optimizer::AdamW && !setup.kernels.dropout;
    setup.trained.is_all()
        && setup.objective.is_next_token()
        && setup.framework.is_pytorch()
        && by_units
        && sharded
        && by_layers
        && plain
        && setup.offload == Offload::NONE
}

/// The memory of one GPU of a stage as the simulation says; `None` where the trace does not follow the step whole.
pub fn simulated(setup: &Setup, stage: &Stage) -> Option<MemoryReport> {
    if !is_followed(setup) {
        return None;
    }
    let trace = Trace::of(setup, stage);
    let Peak { allocated, by, moment, .. } = trace.peak();
    let reserved = trace.reserved(setup.segments);
    let of = |categories: &[Category]| Bytes::new(categories.iter().map(|one| by[*one]).sum::<u64>() as f64);
    let parts = MemoryParts::default()
        .with(MemoryPart::Weights, of(&[Category::Parameter]))
        .with(MemoryPart::Gradients, of(&[Category::Gradient]))
        .with(MemoryPart::Optimizer, of(&[Category::Optimizer]))
        .with(MemoryPart::GatheredWeights, of(&[Category::UnshardedParameter]))
        .with(MemoryPart::UnreducedGradients, of(&[Category::UnshardedGradient, Category::Communication]))
        .with(MemoryPart::Activations, of(&[Category::Activation, Category::Input, Category::Buffer]))
        .with(MemoryPart::WorkingSet, of(&[Category::Temporary, Category::OptimizerTemporary]))
        .with(MemoryPart::Logits, of(&[Category::Logits]));
    let moment = match moment.phase {
        Phase::Forward | Phase::Loss => PeakMoment::Loss,
        Phase::Backward => PeakMoment::Backward,
        Phase::Rest | Phase::Optimizer => PeakMoment::Optimizer,
    };
    let allocated = Bytes::new(allocated as f64);
    let alive = Alive { allocated, compute: allocated, pools: Bytes::ZERO, base: base(setup, &stage.params) };
    Some(report(setup, parts, moment, &alive, (Cache::of(setup), Bytes::new(reserved as f64))))
}
