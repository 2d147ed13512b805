//! Imports of texts and files into shardwise, and exports of settings.
//!
//! The page loads this crate when a file is opened or settings are shown, never before.
//!
//! The crate `huggingface` reads Hugging Face's files (`config.json`, adapters); the crate
//! `diagnose` reads errors, logs, memory snapshots and measured rates of a run.
//!
//! # Map
//!
//! | module | contents | independent of |
//! |---|---|---|
//! | [`brought`] | import of any text or file: a scenario and sentences | how imports are shown |
//! | [`jobs`] | a scenario as a job for Slurm, Kubernetes or SkyPilot, with the settings of its framework | the page |
//! | [`run`] | the configuration of a run, from Axolotl to torchtitan, as a scenario: understood, assumed and ignored values; suggested changes, written back into the files | the page |
//! | [`settings`] | a scenario as the settings of a training framework, and notes about features that the framework cannot express | the page |

pub mod brought;
pub mod jobs;
pub mod run;
pub mod settings;
