//! The cost of the optimizer's update.

use super::{memory_rate, recipe_peak};
use crate::model::cost::{Cost, Operations};
use crate::model::memory::states;
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::training::Optimizer;
use crate::units::{Bytes, Flops, Seconds};

/// Newton-Schulz iterations that make Muon's update orthogonal.
const NEWTON_SCHULZ: f64 = 5.0;

/// The cost of Muon's products over these parameters of m x n matrices, m the shorter side: five times `4 m + 2 m²/n` FLOPs a parameter.
/// None for other optimizers. Their bytes are
/// small beside those of the state.
fn newton_schulz<C: Cost<Operations>>(setup: &Setup, params: f64, [m, n]: [f64; 2]) -> C {
    if setup.optimizer != Optimizer::Muon || n <= 0.0 {
        return C::default();
    }
    let flops = Flops::new(NEWTON_SCHULZ * (4.0 * m + 2.0 * m * m / n) * params);
    let rate = recipe_peak(&setup.accelerator, setup.recipe) * setup.accelerator.efficiency.matmul;
    C::new(flops / rate, || Operations { flops, bytes: Bytes::ZERO })
}

/// Sides of a dense layer's matrices: H and, on average, twice that.
fn sides(setup: &Setup) -> [f64; 2] {
    let hidden = f64::from(setup.architecture.hidden_size);
    [hidden, 2.0 * hidden]
}

/// Sides of an expert's matrices, the shorter first.
fn expert_sides(setup: &Setup) -> [f64; 2] {
    let arch = &setup.architecture;
    let (hidden, width) = (f64::from(arch.hidden_size), f64::from(arch.experts.moe_intermediate_size));
    if width < hidden { [width, hidden] } else { [hidden, width] }
}

/// Bytes that the update reads and writes of this GPU's shard: weights, gradients and state read, weights and state written.
pub(super) fn traffic(setup: &Setup, params: &LocalParams) -> Bytes {
    let bytes = states::recipe_bytes(setup.recipe);
    let (matrix, other) = states::optimizer_bytes(setup);
    let params = &params.trained;
    let of_matrices = params.layers * params.layer_matrices;
    let (degrees, of_experts) = (states::shard_degrees(setup), states::expert_shard_degrees(setup));
    let dense = params.dense();
    let traffic = |params: f64, state: f64| 2.0 * (bytes.weights * params + state) + bytes.gradients * params;
    let of_dense = traffic(dense, matrix * of_matrices + other * (dense - of_matrices));
    let routed = params.experts();
    Bytes::new(of_dense / degrees.optimizer + traffic(routed, matrix * routed) / of_experts.optimizer)
}

/// The cost of Muon's products over this GPU's shard.
fn orthogonal<C: Cost<Operations>>(setup: &Setup, params: &LocalParams) -> C {
    let (degrees, of_experts) = (states::shard_degrees(setup), states::expert_shard_degrees(setup));
    let params = &params.trained;
    newton_schulz::<C>(setup, params.layers * params.layer_matrices / degrees.optimizer, sides(setup))
        + newton_schulz(setup, params.experts() / of_experts.optimizer, expert_sides(setup))
}

/// Time of the optimizer's update, no less than the host takes for it: it reads weights, gradients and state of this GPU's shard and writes weights
/// and state; where the state is in host memory, gradients and weights cross the link to it, there and back, and the update runs there
/// at the link's pace.
pub fn optimizer(setup: &Setup, params: &LocalParams) -> Seconds {
    optimizer_cost(setup, params)
}

/// The cost of the optimizer's update ([`optimizer`]). An update on the host streams nothing of the GPU's memory.
pub fn optimizer_cost<C: Cost<Operations>>(setup: &Setup, params: &LocalParams) -> C {
    let share = traffic(setup, params);
    let orthogonal = orthogonal(setup, params);
    if !(setup.offload.optimizer || setup.offload.parameters) {
        let here = (share / memory_rate(setup)).max(setup.overheads.step);
        return C::new(here, || Operations::streaming(share)) + orthogonal;
    }
    // On the host, whose memory is taken to be as fast as the link; offloaded weights and gradients are there already.
    let bytes = states::recipe_bytes(setup.recipe);
    let crossing = if setup.offload.parameters { 0.0 } else { bytes.gradients + bytes.weights };
    let (degrees, of_experts) = (states::shard_degrees(setup), states::expert_shard_degrees(setup));
    let params = &params.trained;
    let sharded = params.dense() / degrees.optimizer + params.experts() / of_experts.optimizer;
    let update = (share / setup.accelerator.host_link).max(setup.overheads.step);
    C::waiting(update) + orthogonal + C::waiting(Bytes::new(crossing * sharded) / setup.accelerator.host_link)
}
