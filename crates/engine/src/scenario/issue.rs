//! What is wrong with a scenario, in sentences for a person.

/// How bad an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; the numbers stand.
    Note,
    /// The numbers answer a neighbouring question, which the message names.
    Error,
}

/// One thing that is wrong: what, with which value, and what was used or should be done instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// How bad it is.
    pub severity: Severity,
    /// The key in links of what it is about, if it is about one thing.
    pub key: Option<&'static str>,
    /// A full sentence.
    pub message: String,
}

impl Issue {
    /// An issue that changes the answer.
    pub fn error(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, key: Some(about.into()), message: message.into() }
    }

    /// An issue that leaves the answer standing.
    pub fn note(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, key: Some(about.into()), message: message.into() }
    }
}
