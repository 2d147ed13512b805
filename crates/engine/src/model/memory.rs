//! Memory of one GPU at its peak (docs/book/model/peak.md).

pub mod activations;
mod longest;
pub mod moments;
mod peak;
pub mod states;

pub use longest::beyond_typical;
pub use peak::{
    Alive, Gathered, InBackward, NoRoom, PeakTerms, ReservationLimit, STALE_LOGIT_BLOCKS, SWITCH_BUFFERS, Unreduced,
    Working, context, dequantized, evicted, largest_stage, live_bytes_per_logit, logits, peak, peak_that_fits, report,
    stage_memory, switch_communicators, workspaces,
};
pub use states::{RecipeBytes, ShardDegrees, States, recipe_bytes, shard_degrees, states};
