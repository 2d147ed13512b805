//! Memory of one GPU at its peak (model.md section 3).

pub mod activations;
pub mod allocator;
pub mod odds;
mod peak;
pub mod states;
pub mod trace;

pub use peak::{Gathered, PeakTerms, SWITCH_BUFFERS, Unreduced, Working, of_stage, peak, switch_communicators};
pub use states::{RecipeBytes, ShardDegrees, States, recipe_bytes, shard_degrees, states};
