//! Compares published measurements with the engine: converts rows to scenarios, predicts the
//! scenarios, and scores the predictions.
//!
//! A published [`row::Row`] contains a link ([`linked`]) and lists values missing from its source.
//! A row of a user's own table has columns named as the keys of links ([`columns`]).

pub mod by_accelerator;
pub mod calibrate;
pub mod cells;
pub mod collectives;
pub mod columns;
pub mod coverage;
pub mod expert_layer;
pub mod hybrid;
pub mod library_step;
pub mod linked;
pub mod markdown;
pub mod odds;
pub mod pairs;
pub mod predict;
pub mod prediction;
pub mod publish;
pub mod quantile;
pub mod row;
pub mod schema;
pub mod spread;
pub mod summary;
pub mod towers;
pub mod traced;
pub mod tracker;
mod unsure;

use std::fmt;

/// Reason for a row without a prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Reason, with identical wording for all rows that share the reason.
    pub reason: String,
    /// Offending value; may be empty.
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

    /// Adds the offending value.
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

/// Values that were completed, with their origin.
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

impl<'a> FromIterator<&'a str> for Notes {
    fn from_iter<I: IntoIterator<Item = &'a str>>(sentences: I) -> Self {
        Self(sentences.into_iter().map(str::to_owned).collect())
    }
}
