//! Imports of texts and files into shardwise, and exports of settings.
//!
//! The page loads this crate when a file is opened or settings are shown, never before.
//!
//! The crate `huggingface` reads Hugging Face's files (`config.json`, adapters); the crate
//! `diagnose` reads errors, logs, memory snapshots and measured rates of a run.
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
