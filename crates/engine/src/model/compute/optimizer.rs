//! The cost of the optimizer's update.

use super::{memory_rate, recipe_rate};
use crate::model::cost::{Cost, Operations};
use crate::model::host;
use crate::model::memory::evicted;
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::states;
use crate::model::states::moments::{LowRank, low_rank};
use crate::model::training::Optimizer;
use crate::units::{Bytes, Flops, Seconds};

/// Crossings of the link in a step for paged-out state: read and written back.
const THERE_AND_BACK: f64 = 2.0;
/// Bytes of an fp32 gradient, kept on the drives with the optimizer state.
const WAITING_GRADIENT: f64 = 4.0;
/// Newton-Schulz iterations that make Muon's update orthogonal.
const NEWTON_SCHULZ: f64 = 5.0;

/// Returns the cost of Muon's products over these parameters of m x n matrices, m the shorter side:
/// five times `4 m + 2 m²/n` FLOPs a parameter. None for other optimizers. The products' memory
/// traffic is negligible next to that of the state.
fn newton_schulz<C: Cost<Operations>>(setup: &Setup, params: f64, [m, n]: [f64; 2]) -> C {
    if setup.optimizer != Optimizer::Muon || n <= 0.0 {
        return C::default();
    }
    let flops = Flops::new(NEWTON_SCHULZ * (4.0 * m + 2.0 * m * m / n) * params);
    let rate = recipe_rate(setup);
    C::new(flops / rate, || Operations { flops, bytes: Bytes::ZERO })
}

/// Returns the sides of a dense layer's matrices: H and, on average, `2 H`.
fn sides(setup: &Setup) -> [f64; 2] {
    let hidden = f64::from(setup.architecture.hidden_size);
    [hidden, 2.0 * hidden]
}

/// Returns the sides of an expert's matrices, the shorter first.
fn expert_sides(setup: &Setup) -> [f64; 2] {
    let arch = &setup.architecture;
    let (hidden, width) = (f64::from(arch.hidden_size), f64::from(arch.experts.moe_intermediate_size));
    if width < hidden { [width, hidden] } else { [hidden, width] }
}

/// Returns the bytes that the update of this GPU's shard reads and writes: weights, gradients and
/// state read, weights and state written.
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

/// Returns the cost of Muon's or `GaLore`'s products over this GPU's shard.
fn products<C: Cost<Operations>>(setup: &Setup, params: &LocalParams) -> C {
    let (degrees, of_experts) = (states::shard_degrees(setup), states::expert_shard_degrees(setup));
    let params = &params.trained;
    let (dense, routed) =
        (params.layers * params.layer_matrices / degrees.optimizer, params.experts() / of_experts.optimizer);
    newton_schulz::<C>(setup, dense, sides(setup))
        + newton_schulz(setup, routed, expert_sides(setup))
        + projections(setup, dense + routed)
}

/// Returns the cost of `GaLore`'s projection of gradients and of updates back, over these
/// parameters of matrices: `4 r` FLOPs a parameter. The decomposition that renews the projection
/// every few hundred steps is not counted.
fn projections<C: Cost<Operations>>(setup: &Setup, params: f64) -> C {
    let projects = matches!(setup.optimizer, Optimizer::GaLore | Optimizer::GaLore8bit);
    if !projects || setup.trained.has_adapters() {
        return C::default();
    }
    // Two products of an m x n and an m x r matrix, 2 m n r FLOPs each.
    let LowRank { products, elements, .. } = low_rank(setup);
    let flops = Flops::new(4.0 * products / elements.max(1.0) * params);
    let rate = recipe_rate(setup);
    C::new(flops / rate, || Operations { flops, bytes: Bytes::ZERO })
}

/// Returns the time in which state on a host's drives is read for the update and written back,
/// without overlap with the update (DeepSpeed's `pipeline_read` and `pipeline_write` are off by
/// default). The fp32 gradients are read with the state, and weights on drives are written. Writing
/// the gradients overlaps with the backward pass.
fn swapping(setup: &Setup, params: &LocalParams, sharded: f64) -> Seconds {
    if !setup.offload.state_on_drives() {
        return Seconds::ZERO;
    }
    let weights = if setup.offload.weights_on_drives() { states::recipe_bytes(setup.recipe).weights } else { 0.0 };
    let others = Bytes::new((WAITING_GRADIENT + weights) * sharded);
    (2.0 * states::optimizer_state(setup, params) + others) / host::drive_rate(setup)
}

/// Returns the time of the optimizer's update, at least the host's own time for it: the update
/// reads weights, gradients and state of this GPU's shard and writes weights and state. For state
/// in host memory, gradients and weights cross the host's link, out and back, and the update runs
/// on the host at the rate of its memory ([`host::update_rate`]), after state on drives is read and
/// before it is written. For paged state, the part that does not fit on the GPU crosses the link
/// both ways.
pub fn optimizer(setup: &Setup, stage: &Stage) -> Seconds {
    optimizer_cost(setup, stage)
}

/// Returns the cost of the optimizer's update ([`optimizer`]). An update on the host has no GPU
/// memory traffic.
pub fn optimizer_cost<C: Cost<Operations>>(setup: &Setup, stage: &Stage) -> C {
    let params = &stage.params;
    let share = traffic(setup, params);
    let products = products(setup, params);
    if setup.offload.updates_here() {
        let here = (share / memory_rate(setup)).max(setup.host_time(setup.overheads.step));
        let pages = THERE_AND_BACK * evicted(setup, stage) / host::transfer_rate(setup);
        return C::new(here, || Operations::streaming(share)) + products + C::waiting(pages);
    }
    // On the host, all of its GPUs share the memory bandwidth; offloaded weights and gradients are
    // there already.
    let bytes = states::recipe_bytes(setup.recipe);
    let crossing = if setup.offload.parameters { 0.0 } else { bytes.gradients + bytes.weights };
    let (degrees, of_experts) = (states::shard_degrees(setup), states::expert_shard_degrees(setup));
    let trained = &params.trained;
    let sharded = trained.dense() / degrees.optimizer + trained.experts() / of_experts.optimizer;
    let update = (share / host::update_rate(setup)).max(setup.host_time(setup.overheads.step));
    let swapped = swapping(setup, params, sharded);
    C::waiting(update + swapped) + products + C::waiting(Bytes::new(crossing * sharded) / host::transfer_rate(setup))
}
