//! GPU memory of the generation engine.

use crate::model::objective::Objective;
use crate::model::setup::Setup;
use crate::units::Bytes;

/// Returns the memory that the engine reserves on a GPU: its share of the memory that programs can
/// use (`gpu_memory_utilization`), whatever it needs.
pub fn reserved(setup: &Setup) -> Bytes {
    setup.accelerator.usable_memory() * setup.objective.engine.memory_share
}

/// Returns the memory that the generation engine keeps on this GPU while the policy trains: its
/// share, unless the engine sleeps or has separate GPUs.
pub fn engine_beside_training(setup: &Setup) -> Bytes {
    let Objective { task, engine, .. } = &setup.objective;
    if !task.generates() || engine.sleeps || engine.gpus > 0 {
        return Bytes::ZERO;
    }
    reserved(setup)
}
