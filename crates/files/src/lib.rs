//! What people bring to shardwise, and what they take from it.
//!
//! The page fetches it when a file comes or settings are opened, never before.
//!
//! What Hugging Face writes, a `config.json` or an adapter, is read by the crate `huggingface`.
//!
//! # Map
//!
//! | module | what it is | what it does not know |
//! |---|---|---|
//! | [`brought`] | whatever text or file it is, what it brings: a scenario and sentences | how they are shown |
//! | [`error`] | an out-of-memory message to the tensor that it was, the part of the memory that it stands in, and what lowers it | the page |
//! | [`log`] | lines of training logs to what a run measured; that against its prediction, the reasons ranked, the scenario corrected | the page |
//! | [`rates`] | what a script measured on one's own GPUs to the rates of the scenario's | the page |
//! | [`run`] | the configuration of a run, Axolotl's to torchtitan's, as a scenario: what was understood, assumed and ignored; what would be better, written back into the same files | the page |
//! | [`settings`] | a scenario as the settings of a training framework, and what the framework cannot express | the page |
//! | [`snapshot`] | a memory snapshot of PyTorch to what was alive at its peak or when a request was refused | the page |

pub mod brought;
mod difference;
pub mod error;
pub mod log;
pub mod rates;
pub mod run;
pub mod settings;
pub mod snapshot;
