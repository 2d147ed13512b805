//! Memory of one GPU at its peak (docs/book/model/peak.md).

pub mod activations;
mod longest;
pub mod moments;
pub mod odds;
mod peak;
pub mod states;

pub use longest::beyond_typical;
pub use peak::{
    Alive, Gathered, ReservationLimit, InBackward, NoRoom, PeakTerms, STALE_LOGIT_BLOCKS, SWITCH_BUFFERS, Unreduced, Working,
    live_bytes_per_logit, context, dequantized, evicted, logits, stage_memory, peak, peak_that_fits, report,
    switch_communicators, workspaces,
};
pub use states::{RecipeBytes, ShardDegrees, States, recipe_bytes, shard_degrees, states};
