//! The encoder of images or sound: FLOPs, time, collectives and memory.
//!
//! The encoder is a separate transformer ([`Tower::encoder`](super::transformer::Tower::encoder)),
//! whose layers are evaluated like those of a language model, on its own micro-batches: the images
//! of the language model's micro-batch, each a sequence of its patches under full attention. It is
//! on the first pipeline stage. Megatron-Core splits it by tensor parallelism like the language
//! model; in other frameworks every GPU of a tensor-parallel group runs the whole encoder, as do
//! the GPUs of context parallelism.

mod comm;
mod costs;
pub mod encoder;
pub mod flops;
pub mod memory;
pub mod params;

pub use comm::with_tower;
pub use costs::{TowerCosts, costs, parts};

use super::compute;
use super::cost::{Cost, Operations};
use super::layer::Layers;
use super::setup::Setup;
use super::stages::Stage;
use encoder::encoder;

/// Returns encoder and projection on one GPU as a stage; `encoder` is the result of
/// [`encoder`](encoder()).
fn stage(setup: &Setup, encoder: &Setup, in_flight: f64) -> Stage {
    Stage {
        layers: encoder.architecture.num_hidden_layers,
        moe_layers: 0.0,
        blocks: Layers::DENSE,
        count: 1.0,
        embedding: true,
        head: false,
        in_flight,
        params: params::local(setup, encoder),
    }
}

/// Returns the cost of the optimizer's update of encoder and projection.
pub(super) fn update<C: Cost<Operations>>(setup: &Setup) -> C {
    let encoder = encoder(setup);
    compute::optimizer_cost(&encoder, &stage(setup, &encoder, 1.0))
}

/// Returns the tokens that the projection reads in one micro-batch.
fn projected(setup: &Setup) -> f64 {
    let images = f64::from(setup.batch.micro_batch_size) * f64::from(setup.images.per_sequence);
    images * f64::from(setup.architecture.tower.tokens(setup.images.resolution))
}
