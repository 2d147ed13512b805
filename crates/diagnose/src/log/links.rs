//! Fits rates and latencies of a scenario's links to tables of nccl-tests (and rccl-tests).
//!
//! [`parse_points`] returns the points, [`fit()`] the parameters of [`engine::model::collectives`]
//! that reproduce the measured times: rate and latency inside a node, between nodes, and the passes
//! of an all-reduce. A parameter is fitted only if points depend on it.

mod fit;
mod table;

pub use fit::{Fitted, FittedPoint, fit};
pub use table::{Collective, Point, is_table, parse_points};
