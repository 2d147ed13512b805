//! Communication of one stage: over its data-parallel groups, inside its layers, and to its
//! neighbours in the pipeline. Expert communication is in `experts/exchange.rs`.

pub mod asynchronous;
mod data_parallel;
pub(crate) mod groups;
pub(super) mod pipeline;
pub mod tp_cp;

pub use data_parallel::{DataParallelComm, layers_in_a_bucket};
pub use groups::beside_compute;
