//! From a scenario to figures: each view is one function that gives a spec.

mod axes;
mod bound;
mod curve;
mod experts;
mod finding;
mod memory;
mod region;
mod scratch;
mod timeline;

#[cfg(test)]
mod tests;

pub use bound::holds as bounds_hold;
pub use curve::{Metric, mfu_curve};
pub use experts::{ALONG, LayerView, expert_layer, layer_shown};
pub use memory::memory_bar;
pub use region::feasible_region;
pub use scratch::Scratch;
pub use timeline::timeline;

/// The keys of the parameters that may stand on an axis, in display order.
pub const AXES: [&str; 6] = ["seq", "size", "mem", "link", "gpus", "mbs"];
