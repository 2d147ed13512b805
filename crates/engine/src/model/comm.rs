//! Communication of one stage: over its data-parallel groups, inside its layers, and to its
//! neighbours in the pipeline. Expert communication is in `experts/exchange.rs`.

pub mod asynchronous;
mod data_parallel;
pub(crate) mod groups;
pub(super) mod pipeline;
pub mod tp_cp;

pub use data_parallel::{DataParallelComm, layers_in_a_bucket};
pub use groups::beside_compute;

use super::setup::Setup;
use super::transformer::LayerShares;

/// Returns the collectives of tensor parallelism in one layer and pass: after attention, and after
/// the MLP. Routed experts have exchanges of their own; shared experts are split like an MLP.
fn blocks(setup: &Setup, shares: &LayerShares) -> f64 {
    let shared = f64::from(u8::from(setup.architecture.experts.shared_intermediate_size > 0));
    (shares.attention + shares.recurrent + shares.mlp) - shares.moe * (1.0 - shared)
}
