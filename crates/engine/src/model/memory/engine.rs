//! GPU memory of the generation engine.

use crate::model::objective::Objective;
use crate::model::setup::Setup;
use crate::model::stages::stages;
use crate::model::states;
use crate::units::Bytes;

/// Returns the memory that the engine reserves on a GPU: its share of the memory that programs can
/// use (`gpu_memory_utilization`), whatever it needs.
pub fn reserved(setup: &Setup) -> Bytes {
    setup.accelerator.usable_memory() * setup.objective.engine.memory_share
}

/// Returns the weights on this GPU that training and the generation engine have in common: all of
/// the policy's where they share them (`shares_weights`), else none.
pub fn shared_weights(setup: &Setup) -> Bytes {
    if !setup.objective.engine.shares_weights {
        return Bytes::ZERO;
    }
    states::gpu_states(setup, &stages(setup).first.params).weights
}

/// Returns the memory that the generation engine keeps on this GPU while the policy trains: its
/// share, less what it has in common with training, such as the process and its `context`; nothing
/// if it sleeps or has separate GPUs.
pub fn engine_beside_training(setup: &Setup, context: Bytes) -> Bytes {
    let Objective { task, engine, .. } = &setup.objective;
    if !task.generates() || engine.sleeps || engine.gpus > 0 {
        return Bytes::ZERO;
    }
    if !engine.shares_weights {
        return reserved(setup);
    }
    // One process, whose share is of the memory that its context leaves (unsloth_zoo/vllm_utils.py,
    // approximate_vllm_memory_usage). Weights and context are counted with training.
    let share = reserved(setup) - context * engine.memory_share;
    (share - shared_weights(setup) - context).max(Bytes::ZERO)
}
