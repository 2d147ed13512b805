//! Fits the odds that a run fits to runs that ran and runs that failed, and checks the calibration
//! of these odds.
//!
//! A table of only successful runs is truncated at the capacity and contains no information about
//! odds, so only sources that also report failures are used.

pub mod curves;
pub mod logistic;
pub mod middle;
pub mod outcome;
pub mod reliability;
