//! Questions over the model: sweeps, boundaries, search, and what would help.

pub mod advice;
pub mod boundary;
pub mod cost;
pub mod experts;
pub mod limits;
pub mod refine;
pub mod search;
pub mod sweep;
