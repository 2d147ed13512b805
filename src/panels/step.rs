//! One step: the phases around it, the breakdown of its time, its timeline, and its layer of
//! experts.

pub mod expert_layer;
mod fallen;
pub mod timeline;
pub mod waterfall;
pub mod whole;
