//! Published fine-tuning runs: what their sources document and their tables do not print.
//!
//! Nothing here follows from a measurement: a value is completed from the source's own code, configuration files or documentation,
//! which stand beside it, or the row is left out.

pub mod adapters;
pub mod completed;
pub mod images;
pub mod measured;
pub mod mlperf;
pub mod models;
pub mod scope;
pub mod software;
pub mod source;
pub mod texts;
pub mod trl;
