//! What people bring to shardwise, and what they take from it.
//!
//! The page fetches it when a file comes or settings are opened, never before.
//!
//! What Hugging Face writes, a `config.json` or an adapter, is read by the crate `huggingface`;
//! what a run leaves behind, errors, logs, snapshots and rates, by the crate `diagnose`.
//!
//! # Map
//!
//! | module | what it is | what it does not know |
//! |---|---|---|
//! | [`brought`] | whatever text or file it is, what it brings: a scenario and sentences | how they are shown |
//! | [`run`] | the configuration of a run, Axolotl's to torchtitan's, as a scenario: what was understood, assumed and ignored; what would be better, written back into the same files | the page |
//! | [`settings`] | a scenario as the settings of a training framework, and what the framework cannot express | the page |

pub mod brought;
pub mod run;
pub mod settings;
