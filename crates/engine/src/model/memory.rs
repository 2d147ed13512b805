//! Memory of one GPU at its peak (docs/book/model/peak.md).

pub mod activations;
pub mod allocator;
mod longest;
pub mod moments;
pub mod odds;
mod peak;
mod simulated;
pub mod states;
pub mod trace;

pub use longest::beyond_typical;
pub use peak::{
    Alive, Gathered, Held, NoRoom, OUTGROWN, PeakTerms, SWITCH_BUFFERS, Unreduced, Working, context, dequantized,
    evicted, of_stage, peak, peak_that_fits, switch_communicators, workspaces,
};
pub use simulated::{is_followed, simulated};
pub use states::{RecipeBytes, ShardDegrees, States, recipe_bytes, shard_degrees, states};
