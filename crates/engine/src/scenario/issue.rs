//! Problems of a scenario, as sentences for a person.

/// The severity of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the numbers are right.
    Note,
    /// The numbers belong to a neighbouring scenario, which the message names.
    Error,
}

/// A problem: what is wrong, with which value, and what was used or should be done instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The severity.
    pub severity: Severity,
    /// The key in links of the parameter or choice concerned, if there is one.
    pub key: Option<&'static str>,
    /// A full sentence.
    pub message: String,
}

impl Issue {
    /// Creates an issue that changes the numbers.
    pub fn error(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, key: Some(about.into()), message: message.into() }
    }

    /// Creates an issue that leaves the numbers unchanged.
    pub fn note(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, key: Some(about.into()), message: message.into() }
    }
}
