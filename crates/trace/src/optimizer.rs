//! The optimizer's update.

use super::event::{Category, Moment, Phase, Place, TensorId};
use super::tape::Tape;
use engine::model::setup::Setup;
use engine::model::training::OptimizerKernel;

/// One update of parameters whose moments have these bytes; the first makes both moments of each.
///
/// PyTorch's AdamW with `foreach` makes the root of the second moment of all parameters at once;
/// its fused kernel makes nothing.
pub(super) fn update(tape: &mut Tape, setup: &Setup, moments: &[u64], first: bool) {
    tape.moment = Moment { phase: Phase::Optimizer, place: Place::Embedding };
    if first {
        for bytes in moments.iter().flat_map(|bytes| [*bytes; 2]) {
            tape.allocate("zeros_like", bytes, Category::Optimizer);
        }
    }
    if setup.optimizer_kernel == OptimizerKernel::ForEach {
        let roots = moments.iter().map(|bytes| tape.allocate("_foreach_sqrt", *bytes, Category::OptimizerTemporary));
        let roots: Vec<TensorId> = roots.collect();
        for tensor in roots.into_iter().rev() {
            tape.release(tensor);
        }
    }
}
