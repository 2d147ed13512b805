//! Communication of one stage: over its data-parallel groups, inside its layers, and to its
//! neighbours in the pipeline. Expert communication is in `experts/exchange.rs`.

pub mod asynchronous;
mod data_parallel;
pub(crate) mod groups;
pub(super) mod pipeline;
pub mod tp_cp;

pub use data_parallel::{DataParallelComm, layers_in_a_bucket};
pub use groups::beside_compute;

use super::layer::{self, Block, Layers, Split};
use super::policy::Policy;
use super::setup::Setup;

/// Returns the collectives of tensor parallelism in one layer and pass: one after each block with a
/// product whose rows are split. Routed experts have exchanges of their own.
fn blocks(setup: &Setup, layers: &Layers) -> f64 {
    collectives_if(setup, layers, |_| true)
}

/// Returns the collectives that the backward pass repeats in one layer: those of modules that are
/// recomputed as a whole.
fn blocks_again(setup: &Setup, layers: &Layers, policy: &Policy) -> f64 {
    collectives_if(setup, layers, |block| policy.repeats(block, layer::Role::Down))
}

fn collectives_if(setup: &Setup, layers: &Layers, counts: impl Fn(Block) -> bool) -> f64 {
    layers.sum(|block| {
        let products = layer::products(&setup.architecture, block, 1.0);
        let adds_up = products.iter().any(|product| product.split == Split::Rows);
        f64::from(u8::from(block != Block::Routed && counts(block) && adds_up))
    })
}
