//! Published measurements held against the engine: a row becomes a scenario, a scenario a prediction, many of both a score.
//!
//! A [`row::Row`] is read from named columns; where they come from is the caller's business. What a row leaves blank is
//! completed from the catalog or from what its publisher documents, with a note on the prediction, or the row is left out
//! with a reason: nothing is guessed in silence.

pub mod batch;
pub mod collectives;
pub mod conventions;
pub mod expert_layer;
pub mod experts;
pub mod hardware;
pub mod layout;
pub mod markdown;
pub mod model;
pub mod pairs;
pub mod predict;
pub mod publish;
pub mod row;
pub mod schema;
pub mod scope;
pub mod software;
pub mod stack;
pub mod summary;
pub mod target;
pub mod text;
pub mod tracker;

use std::fmt;

/// Why a row has no prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The reason, in words that rows share.
    pub reason: String,
    /// What in this row it is about; may be empty.
    pub detail: String,
}

impl LeftOut {
    /// A reason that needs no detail.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), detail: String::new() }
    }

    /// A column that is needed and cannot be derived from the others.
    pub fn missing(column: &str) -> Self {
        Self::because(format!("{column} is missing"))
    }

    /// The same reason, about this.
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

/// What was completed beyond the row's own columns, and from where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<String>);

impl Notes {
    /// Adds a sentence.
    pub fn add(&mut self, note: impl Into<String>) {
        self.0.push(note.into());
    }

    /// The sentences, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
