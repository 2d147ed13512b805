//! What the encoder of images or sound takes: FLOPs, time, collectives and memory.
//!
//! The encoder is a transformer of its own
//! ([`Tower::encoder`](super::transformer::Tower::encoder)), and its layers are priced as those of
//! a language model are, on micro-batches of its own: the images of the language model's
//! micro-batch, each a sequence of its patches under full attention. It lies on the first pipeline
//! stage. Megatron-Core splits it by tensor parallelism as the language model; elsewhere every GPU
//! of a tensor-parallel group runs all of it. So do the GPUs that share a sequence.

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
use super::setup::Setup;
use super::stages::Stage;
use super::transformer::LayerShares;
use encoder::encoder;

/// Encoder and projection on one GPU, as a stage; `encoder` is that of [`encoder`](encoder()).
fn stage(setup: &Setup, encoder: &Setup, in_flight: f64) -> Stage {
    Stage {
        layers: encoder.architecture.num_hidden_layers,
        moe_layers: 0.0,
        shares: LayerShares::DENSE,
        count: 1.0,
        embedding: true,
        head: false,
        in_flight,
        params: params::local(setup, encoder),
    }
}

/// The cost of the optimizer's update of encoder and projection.
pub(super) fn update<C: Cost<Operations>>(setup: &Setup) -> C {
    let encoder = encoder(setup);
    compute::optimizer_cost(&encoder, &stage(setup, &encoder, 1.0))
}

/// Tokens that the projection reads in one micro-batch.
fn projected(setup: &Setup) -> f64 {
    let images = f64::from(setup.batch.micro_batch_size) * f64::from(setup.images.per_sequence);
    images * f64::from(setup.architecture.tower.tokens(setup.images.resolution))
}
