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

/// Returns the collectives of tensor parallelism in one layer and pass, one after each block with a
/// product whose rows are split, and those that the backward pass repeats: of modules that are
/// recomputed as a whole. Routed experts have exchanges of their own.
pub(super) fn blocks(setup: &Setup, layers: &Layers, policy: &Policy) -> [f64; 2] {
    let mut pairs = [0.0; 2];
    for block in Block::ALL.into_iter().filter(|&block| block != Block::Routed && layers.blocks(block) > 0.0) {
        let products = layer::products(&setup.architecture, block, 1.0);
        if products.iter().any(|product| product.split == Split::Rows) {
            let [all, again] = &mut pairs;
            *all += layers.blocks(block);
            *again += if policy.repeats(block, layer::Role::Down) { layers.blocks(block) } else { 0.0 };
        }
    }
    pairs
}
