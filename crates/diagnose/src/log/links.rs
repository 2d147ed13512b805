//! Tables of nccl-tests (and rccl-tests) to the rates and latencies of a scenario's links.
//!
//! [`read`] gives the points, [`fit()`] the parameters of [`engine::model::collectives`] under
//! which those take as long as measured: rate and latency inside a node, between nodes, and the
//! passes of an all-reduce, each only where points depend on it.

mod fit;
mod table;

pub use fit::{Fitted, FittedPoint, fit};
pub use table::{Collective, Point, is_table, read};
