//! One step: where its time goes, what runs when, and its layer of experts.

pub mod expert_layer;
mod fallen;
pub mod timeline;
pub mod waterfall;
