//! Compares published measurements with the engine: a row becomes a scenario, a scenario a
//! prediction, and many predictions a score.
//!
//! A [`row::Row`] is read from named columns, wherever the caller gets them. A published row is a
//! link ([`linked`]), with what its source leaves open; a row of a user's own is its typed columns
//! ([`typed`]): what it leaves blank and has one likely value is taken with a note, otherwise the
//! row is left out with a reason. Nothing is guessed silently.

pub mod by_accelerator;
pub mod calibrate;
pub mod collectives;
pub mod coverage;
pub mod expert_layer;
mod host_memory;
pub mod hybrid;
pub mod library_step;
pub mod linked;
pub mod markdown;
pub mod odds;
pub mod pairs;
pub mod predict;
pub mod publish;
pub mod quantile;
pub mod row;
pub mod schema;
pub mod spread;
pub mod summary;
pub mod text;
pub mod towers;
pub mod traced;
pub mod tracker;
pub mod typed;
mod unsure;
pub mod words;

use std::fmt;

/// The reason why a row has no prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The reason, worded the same for all rows that share it.
    pub reason: String,
    /// The value concerned; may be empty.
    pub detail: String,
}

impl LeftOut {
    /// Creates a reason without a detail.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), detail: String::new() }
    }

    /// Creates the reason for a required column that is blank and cannot be derived.
    pub fn missing(column: &str) -> Self {
        Self::because(format!("{column} is missing"))
    }

    /// Adds the value concerned.
    #[must_use]
    pub fn about(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail.is_empty() { f.write_str(&self.reason) } else { write!(f, "{}: {}", self.reason, self.detail) }
    }
}

/// What was completed beyond the row's own columns, with its origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<String>);

impl Notes {
    /// Adds a sentence.
    pub fn add(&mut self, note: impl Into<String>) {
        self.0.push(note.into());
    }

    /// Iterates over the sentences, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
