//! Other layouts of the run: the fastest ones, or the strategies side by side.

pub mod ranking;
