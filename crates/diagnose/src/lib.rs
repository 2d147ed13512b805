//! Reads the outputs of training runs and compares them with predictions.
//!
//! # Map
//!
//! | module | content | does not depend on |
//! |---|---|---|
//! | [`difference`] | differences between two scenarios, parameter by parameter | which difference is intended |
//! | [`error`] | explains an out-of-memory message: the tensor, the part of the memory, and changes that lower that part | the page |
//! | [`log`] | reads the measurements of a run from training logs, compares them with the prediction, ranks reasons, and corrects the scenario | the page |
//! | [`rates`] | turns rates that a script measured on the user's own GPUs into parameters of the scenario | the page |
//! | [`snapshot`] | reads a memory snapshot of PyTorch: the tensors alive at its peak or at a refused request | the page |

pub mod difference;
pub mod error;
pub mod log;
pub mod rates;
pub mod snapshot;
