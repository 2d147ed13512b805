//! One step: the breakdown of its time, its timeline, and its layer of experts.

pub mod expert_layer;
mod fallen;
pub mod timeline;
pub mod waterfall;
