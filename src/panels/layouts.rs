//! Other layouts of the run: the fastest ones, and the strategies side by side.

pub mod ranking;
pub mod strategies;
