//! Gathered weights and gradients in XLA's program, product by product: `MaxText`'s layers are one
//! loop (`jax.lax.scan`), in which the compiler gathers each weight at its use, scatters each
//! gradient where it is computed, and plans all buffers ahead (its memory-bounded latency-hiding
//! scheduler).

use super::point::{ByPoint, Ends};
use crate::model::layer::{self, Block};
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;

/// Weights that are gathered at once: those of the current product and of the next.
const AHEAD: f64 = 2.0;

/// Returns the elements of a layer's largest weight on one GPU before sharding: of all experts
/// stacked, as in `MaxText`, or of another matrix.
fn largest_weight(setup: &Setup) -> f64 {
    let (arch, mesh) = (&setup.architecture, &setup.mesh);
    let local = f64::from(arch.experts.num_experts) / f64::from(mesh.ep.max(1));
    layer::largest(arch, mesh, |block| if block == Block::Routed { local } else { 1.0 })
}

/// Returns the parameters gathered at each point: the embedding is looked up in its shards.
pub(super) fn gathered(setup: &Setup, params: &LocalParams) -> ByPoint {
    let in_layer = AHEAD * largest_weight(setup);
    let ends = Ends { loss: params.held.head, after_head: in_layer, ..Ends::default() };
    ByPoint::new(ends, [in_layer; 4], [in_layer; 4])
}

/// Returns the parameters with gradients that are not reduced yet.
pub(super) fn unreduced(setup: &Setup, params: &LocalParams) -> ByPoint {
    let in_layer = largest_weight(setup);
    let ends = Ends { root: params.trained.head, after_head: in_layer, ..Ends::default() };
    ByPoint::new(ends, [in_layer; 4], [in_layer; 4])
}
