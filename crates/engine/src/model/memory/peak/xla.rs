//! What XLA's program holds of gathered weights and of gradients, product by product: `MaxText`'s layers are one loop
//! (`jax.lax.scan`), in which the compiler gathers each weight where it is used and scatters each gradient where it is made, and plans
//! all buffers ahead (its memory-bounded latency-hiding scheduler).

use super::waiting::{Gathered, Unreduced};
use super::{Ledger, Point};
use crate::model::setup::Setup;

/// Weights that are gathered at once: that of the product in work and the next one's.
const AHEAD: f64 = 2.0;

/// Elements of the largest weight of a layer on one GPU before sharding: of an MLP, or of all experts' stacked, as `MaxText` has them.
pub(super) fn largest_weight(setup: &Setup) -> f64 {
    let arch = &setup.architecture;
    let (hidden, tp) = (f64::from(arch.hidden_size), f64::from(setup.mesh.tp.max(1)));
    let dense = hidden * f64::from(arch.intermediate_size) / tp;
    let per_rank = f64::from(arch.experts.num_experts) / f64::from(setup.mesh.ep.max(1));
    let experts = hidden * f64::from(arch.experts.moe_intermediate_size) * per_rank / f64::from(setup.mesh.etp.max(1));
    dense.max(experts)
}

impl Ledger {
    /// What is gathered at a point: the embedding is looked up in its shards.
    pub(super) fn gathered_by_xla(&self, point: Point) -> Gathered {
        match point {
            Point::Loss => Gathered::Live(self.params.held.head),
            Point::InLayer(_) | Point::AfterLayer(_) => Gathered::Live(AHEAD * self.largest),
            Point::Root | Point::Update => Gathered::Nothing,
        }
    }

    /// Gradients that are not reduced yet.
    pub(super) fn unreduced_by_xla(&self, point: Point) -> Unreduced {
        let computed = match point {
            Point::InLayer(_) | Point::AfterLayer(_) => self.largest,
            Point::Root => self.params.trained.head,
            Point::Loss | Point::Update => 0.0,
        };
        Unreduced { computed, ..Unreduced::default() }
    }
}
