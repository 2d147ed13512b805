//! Communication of one stage: over its data-parallel groups, inside its layers, to its neighbours in the pipeline. Experts have
//! `experts/exchange.rs`.

mod data_parallel;
pub(super) mod groups;
pub(super) mod pipeline;
pub mod tp_cp;

pub use data_parallel::DataParallelComm;
