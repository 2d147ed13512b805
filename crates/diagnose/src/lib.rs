//! What runs leave behind, beside what was predicted of them.
//!
//! # Map
//!
//! | module | what it is | what it does not know |
//! |---|---|---|
//! | [`difference`] | what differs between two scenarios, parameter by parameter | which is meant |
//! | [`error`] | an out-of-memory message to the tensor that it was, the part of the memory that it stands in, and what lowers it | the page |
//! | [`log`] | lines of training logs to what a run measured; that against its prediction, the reasons ranked, the scenario corrected | the page |
//! | [`rates`] | what a script measured on one's own GPUs to the rates of the scenario's | the page |
//! | [`snapshot`] | a memory snapshot of PyTorch to what was alive at its peak or when a request was refused | the page |

pub mod difference;
pub mod error;
pub mod log;
pub mod rates;
pub mod snapshot;
