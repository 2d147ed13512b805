//! Memory from a simulated step, for setups that the trace models completely.

use crate::{Category, Peak, Phase, Trace, is_followed, reserved_over};
use engine::model::lengths;
use engine::model::memory::{Alive, report};
use engine::model::report::{MemoryPart, MemoryParts, MemoryReport, PeakMoment};
use engine::model::setup::Setup;
use engine::model::software::Cache;
use engine::model::stages::Stage;
use engine::model::states::base;
use engine::model::training::Batch;
use engine::units::Bytes;

/// Number of simulated steps with different lengths; more steps do not change reserved memory.
const LENGTHS: u32 = 9;

/// Returns steps with micro-batches of typical lengths, the longest last.
fn typical(setup: &Setup, stage: &Stage, spread: f64) -> Vec<Trace> {
    let longest = f64::from(setup.batch.seq_len);
    let of = |fraction: f64| Batch { seq_len: (fraction * longest).max(1.0) as u32, ..setup.batch };
    let steps = lengths::typical(spread, LENGTHS).map(|fraction| Setup { batch: of(fraction), ..*setup });
    steps.map(|setup| Trace::record(&setup, stage)).collect()
}

/// Returns the simulated memory of one GPU of a stage; `None` if the trace does not model the step
/// completely.
pub fn simulated(setup: &Setup, stage: &Stage) -> Option<MemoryReport> {
    if !is_followed(setup) {
        return None;
    }
    let setup = &setup.at_longest();
    let trace = Trace::record(setup, stage);
    let Peak { allocated, by, moment, .. } = trace.peak();
    let reserved = match setup.lengths.spread() {
        0.0 => trace.reserved(setup.segments),
        spread => reserved_over(setup.segments, &typical(setup, stage, spread)),
    };
    let of = |categories: &[Category]| Bytes::new(categories.iter().map(|one| by[*one]).sum::<u64>() as f64);
    let parts = MemoryParts::default()
        .with(MemoryPart::Weights, of(&[Category::Parameter]))
        .with(MemoryPart::Gradients, of(&[Category::Gradient]))
        .with(MemoryPart::Optimizer, of(&[Category::Optimizer]))
        .with(MemoryPart::GatheredWeights, of(&[Category::UnshardedParameter]))
        .with(MemoryPart::UnreducedGradients, of(&[Category::UnshardedGradient, Category::Communication]))
        .with(MemoryPart::Activations, of(&[Category::Activation, Category::Input, Category::Buffer]))
        .with(MemoryPart::WorkingSet, of(&[Category::Temporary, Category::OptimizerTemporary]))
        .with(MemoryPart::Logits, of(&[Category::Logits]))
        .with(MemoryPart::Models, of(&[Category::OtherModel]));
    let moment = match moment.phase {
        Phase::Forward | Phase::Loss => PeakMoment::Loss,
        Phase::Backward => PeakMoment::Backward,
        Phase::Rest | Phase::Optimizer => PeakMoment::Optimizer,
    };
    let allocated = Bytes::new(allocated as f64);
    let alive = Alive {
        allocated,
        compute: allocated,
        pools: Bytes::ZERO,
        base: base(setup, &stage.params),
        outgrown: Bytes::ZERO,
    };
    Some(report(setup, parts, moment, &alive, (Cache::new(setup), Bytes::new(reserved as f64))))
}
