//! Predictions compared with published runs: all runs, and those like the scenario.

pub mod agreement;
pub mod alike;
pub mod words;
