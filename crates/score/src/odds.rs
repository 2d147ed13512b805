//! The odds that a run fits, fitted to runs that ran and to runs that failed, and how often what
//! they say is so.
//!
//! A table of runs that ran is cut off at the capacity and says nothing about odds: only sources
//! that tell of their failures count here.

pub mod curves;
pub mod logistic;
pub mod middle;
pub mod outcome;
pub mod reliability;
