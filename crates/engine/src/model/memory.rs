//! Memory of one GPU at its peak (docs/book/model/peak.md).

pub mod activations;
mod engine;
mod logits;
mod longest;
mod other_models;
mod peak;
pub mod teacher;
mod tower;

pub use engine::{engine_beside_training, reserved, shared_weights};
pub use logits::{live_bytes_per_logit, logits, logits_tile_share};
pub use longest::beyond_typical;
pub use other_models::{OtherModels, with_scalar_head};
pub use peak::{
    Alive, Gathered, InBackward, NoRoom, PeakTerms, ReservationLimit, STALE_LOGIT_BLOCKS, SWITCH_BUFFERS, Unreduced,
    Working, context, dequantized, evicted, largest_stage, message_buffers, peak, peak_that_fits, report, stage_memory,
    switch_communicators, workspaces,
};
