//! The optimizer's update.

use super::event::{Category, Moment, Phase, Place, TensorId};
use super::tape::Tape;
use engine::model::setup::Setup;
use engine::model::training::{Optimizer, OptimizerKernel};

/// Records an update of parameters whose moments have these sizes in bytes. The first update
/// allocates both moments of each parameter.
///
/// PyTorch's AdamW with `foreach` allocates the roots of the second moments of all parameters at
/// once; the fused kernel allocates nothing.
pub(super) fn update(tape: &mut Tape, setup: &Setup, moments: &[u64], first: bool) {
    tape.moment = Moment { phase: Phase::Optimizer, place: Place::Embedding };
    if first {
        for bytes in moments.iter().flat_map(|bytes| [*bytes; 2]) {
            tape.allocate("zeros_like", bytes, Category::Optimizer);
        }
    }
    if setup.optimizer_kernel == OptimizerKernel::ForEach && setup.optimizer == Optimizer::AdamW {
        let roots = moments.iter().map(|bytes| tape.allocate("_foreach_sqrt", *bytes, Category::OptimizerTemporary));
        let roots: Vec<TensorId> = roots.collect();
        for tensor in roots.into_iter().rev() {
            tape.release(tensor);
        }
    }
}
