//! What people bring to shardwise, and what they take from it.
//!
//! The page fetches it when a file comes or settings are opened, never before.
//!
//! # Map
//!
//! | module | what it is | what it does not know |
//! |---|---|---|
//! | [`config`] | a Hugging Face `config.json` to a model's shape, PEFT's `adapter_config.json` to what trains, lists of lengths; what was read of them and what was not understood | the page |
//! | [`run`] | the configuration of a run, Axolotl's to torchtitan's, as a scenario: what was understood, assumed and ignored; what would be better, written back into the same files | the page |
//! | [`settings`] | a scenario as the settings of a training framework, and what the framework cannot express | the page |

pub mod config;
pub mod run;
pub mod settings;
