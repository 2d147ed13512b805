//! The encoder of images or sound: time and collectives.
//!
//! The encoder is a separate transformer ([`Tower::encoder`](super::transformer::Tower::encoder)),
//! whose layers are evaluated like those of a language model, on its own micro-batches: the images
//! of the language model's micro-batch, each a sequence of its patches under full attention. It is
//! on the first pipeline stage. Megatron-Core splits it by tensor parallelism like the language
//! model; in other frameworks every GPU of a tensor-parallel group runs the whole encoder, as do
//! the GPUs of context parallelism.

mod comm;
mod costs;

pub use comm::with_tower;
pub use costs::{TowerCosts, costs, parts};

use super::compute;
use super::cost::{Cost, Operations};
use super::encoder::encoder;
use super::setup::Setup;
use super::stages::Stage;

/// Returns the cost of the optimizer's update of encoder and projection.
pub(super) fn update<C: Cost<Operations>>(setup: &Setup) -> C {
    let encoder = encoder(setup);
    compute::optimizer_cost(&encoder, &Stage::of_encoder(setup, &encoder, 1.0))
}
