//! Problems of a scenario, as sentences for a person.

/// The severity of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information; the numbers are right.
    Note,
    /// The numbers belong to a neighbouring scenario, which the message names.
    Error,
}

/// The cause of an issue; strict readers take only the first without a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The scenario contradicts itself, or deserves a note.
    Scenario,
    /// An unknown key.
    UnknownKey,
    /// An unknown name or option.
    UnknownName,
    /// A value that has no effect next to the others, and was omitted.
    LeftOut,
    /// A value that has no effect next to the others, and is kept; strict readers ask about it.
    NoEffect,
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
    /// The cause of the issue.
    pub cause: Cause,
}

impl Issue {
    /// Creates an issue that changes the numbers.
    pub fn error(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, key: Some(about.into()), message: message.into(), cause: Cause::Scenario }
    }

    /// Creates an issue that leaves the numbers unchanged.
    pub fn note(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, key: Some(about.into()), message: message.into(), cause: Cause::Scenario }
    }

    /// Returns the issue with another cause.
    #[must_use]
    pub fn because(mut self, cause: Cause) -> Self {
        self.cause = cause;
        self
    }
}

/// Longest quotation of typed text, in characters.
const QUOTE_LENGTH: usize = 24;

/// Sanitises untrusted text for a sentence: one line, without control characters, and truncated if
/// long.
pub fn shorten(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut characters = text.trim().chars().map(clean);
    let mut short: String = characters.by_ref().take(QUOTE_LENGTH).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
