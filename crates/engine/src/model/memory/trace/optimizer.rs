//! The optimizer's update.

use super::event::{Category, Moment, Phase, Place, TensorId};
use super::tape::Tape;
use crate::model::setup::Setup;
use crate::model::training::OptimizerKernel;

/// The events of one update of parameters of these bytes: with the birth of `moments` bytes of state for each byte, if it is the first.
///
/// PyTorch's AdamW with `foreach` makes the root of the second moment of all parameters at once; its fused kernel makes nothing.
pub(super) fn update(
    tape: &mut Tape,
    setup: &Setup,
    states: &[u64],
    temporaries: &[u64],
    first: bool,
) -> Vec<TensorId> {
    tape.moment = Moment { phase: Phase::Optimizer, place: Place::Embedding };
    let mut kept = Vec::new();
    if first {
        for bytes in states {
            kept.push(tape.allocate("zeros_like", *bytes, Category::Optimizer));
        }
    }
    if setup.optimizer_kernel == OptimizerKernel::ForEach {
        let roots: Vec<TensorId> = temporaries
            .iter()
            .map(|bytes| tape.allocate("_foreach_sqrt", *bytes, Category::OptimizerTemporary))
            .collect();
        for tensor in roots.into_iter().rev() {
            tape.release(tensor);
        }
    }
    kept
}
