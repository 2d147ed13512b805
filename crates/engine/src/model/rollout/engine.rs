//! The memory that the engine takes of a GPU.

use crate::model::objective::Objective;
use crate::model::setup::Setup;
use crate::units::Bytes;

/// What the engine takes of a GPU: its share of the memory that programs can use
/// (`gpu_memory_utilization`), whatever it needs.
pub fn reserved(setup: &Setup) -> Bytes {
    setup.accelerator.usable_memory() * setup.objective.engine.memory_share
}

/// What the engine that generates keeps of this GPU's memory while the policy trains: its share,
/// unless it sleeps or has GPUs of its own.
pub fn engine_beside_training(setup: &Setup) -> Bytes {
    let Objective { task, engine, .. } = &setup.objective;
    if !task.generates() || engine.sleeps || engine.gpus > 0 {
        return Bytes::ZERO;
    }
    reserved(setup)
}
