//! Predictions beside published runs: all of them, and those like the scenario.

pub mod agreement;
pub mod alike;
pub mod words;
