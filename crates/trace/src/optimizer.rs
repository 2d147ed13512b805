//! The optimizer's update.

use super::event::{Category, Moment, Phase, Place, TensorId};
use super::tape::Tape;
use engine::model::setup::Setup;
use engine::model::states::{moments::moment_bytes, optimizer_bytes};
use engine::model::training::{Optimizer, OptimizerKernel};

/// Records an update of parameters whose moments have these sizes in bytes. The first update
/// allocates both moments of each parameter.
///
/// PyTorch's AdamW with `foreach` allocates the roots of the second moments of all parameters at
/// once; the fused kernel allocates nothing.
///
/// Gradients that it casts to fp32, of `casts` bytes, exist throughout.
pub(super) fn update(tape: &mut Tape, setup: &Setup, moments: &[u64], casts: u64, first: bool) {
    tape.moment = Moment { phase: Phase::Optimizer, place: Place::Embedding };
    if first {
        for bytes in moments.iter().flat_map(|bytes| [*bytes; 2]) {
            tape.allocate("zeros_like", bytes, Category::Optimizer);
        }
    }
    let cast = tape.allocate("_to_copy", casts, Category::OptimizerTemporary);
    if setup.optimizer_kernel == OptimizerKernel::ForEach && setup.optimizer == Optimizer::AdamW {
        // With an fp32 copy, the two halves of the state are more than the two moments.
        let of_moment = 2.0 * moment_bytes(setup) / optimizer_bytes(setup).0;
        let sizes = moments.iter().map(|bytes| (*bytes as f64 * of_moment) as u64);
        let roots = sizes.map(|bytes| tape.allocate("_foreach_sqrt", bytes, Category::OptimizerTemporary));
        let roots: Vec<TensorId> = roots.collect();
        for tensor in roots.into_iter().rev() {
            tape.release(tensor);
        }
    }
    tape.release(cast);
}
