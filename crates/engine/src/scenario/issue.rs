//! Problems of a scenario, as sentences for a person.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

/// The severity of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information; the numbers are right.
    Note,
    /// The numbers belong to a neighbouring scenario, which the message names.
    Error,
}

/// The cause of an issue; strict readers take only the first and the last without a word.
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
    /// A value that the input left open, and what was taken for it.
    Assumed,
}

/// A problem: what is wrong, with which value, what to do, and what the numbers are of instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The severity.
    pub severity: Severity,
    /// The key in links of the parameter or choice concerned, if there is one.
    pub key: Option<&'static str>,
    /// Full sentences: the fault, the value, and the advice.
    pub message: String,
    /// Says what the numbers are of instead, as a full sentence; empty without one. Readers that
    /// refuse the scenario leave it out.
    pub instead: String,
    /// The cause of the issue.
    pub cause: Cause,
}

impl Issue {
    /// Creates an issue that changes the numbers.
    pub fn error(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Some(about.into()), message)
    }

    /// Creates an issue that leaves the numbers unchanged.
    pub fn note(about: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, Some(about.into()), message)
    }

    /// Creates an issue of the scenario about a key, or about text that is not a parameter.
    pub fn new(severity: Severity, key: Option<&'static str>, message: impl Into<String>) -> Self {
        Self { severity, key, message: message.into(), instead: String::new(), cause: Cause::Scenario }
    }

    /// Returns the issue with the sentence about what the numbers are of instead.
    #[must_use]
    pub fn instead(mut self, sentence: impl Into<String>) -> Self {
        self.instead = sentence.into();
        self
    }

    /// Returns the issue with the sentence that a value is used instead.
    #[must_use]
    pub fn uses(self, value: impl Display) -> Self {
        self.instead(format!("{value} is used instead."))
    }

    /// Returns all sentences.
    pub fn text(&self) -> String {
        let between = if self.instead.is_empty() { "" } else { " " };
        format!("{}{between}{}", self.message, self.instead)
    }

    /// Returns the issue of a value that was left out, as it has no effect next to the others.
    #[must_use]
    pub fn left_out(self) -> Self {
        self.instead(LEFT_OUT).because(Cause::LeftOut)
    }

    /// Returns the issue with another cause.
    #[must_use]
    pub fn because(mut self, cause: Cause) -> Self {
        self.cause = cause;
        self
    }
}

/// The remedy of what cannot be used.
pub const LEFT_OUT: &str = "It was left out.";

/// Longest quotation of typed text, in characters: that of the longest names of settings.
const QUOTE_LENGTH: usize = 48;

/// Sanitises untrusted text for a sentence: one line, without invisible characters, and truncated
/// if long.
pub fn shorten(text: &str) -> String {
    cut(text.trim(), QUOTE_LENGTH)
}

/// Writes at most `length` characters of an untrusted text on one line, control characters as
/// spaces and other invisible ones as [`visible`] does.
pub fn cut(text: &str, length: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut characters = text.chars().map(clean);
    let short: String = characters.by_ref().take(length).collect();
    let end = if characters.next().is_some() { "…" } else { "" };
    visible(&short).into_owned() + end
}

/// Escapes characters that steer a terminal or reorder a line instead of being shown, as JSON does:
/// `\u202e`. Line ends and tabs stay.
///
/// The characters are those of Unicode's categories Cc and Cf that no script needs: joiners
/// (U+200C, U+200D) stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_invisible(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // Writing to a text cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

fn is_invisible(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_steers_the_terminal() {
        assert_eq!(visible("8B\u{202e}\u{2066}x"), "8B\\u202e\\u2066x");
        assert_eq!(visible("\u{1b}[31m\0\r\u{9b}\u{e0041}"), "\\u001b[31m\\u0000\\u000d\\u009b\\udb40\\udc41");
        assert!(matches!(visible("a\tb\n\u{2009}é\u{200d}文"), Cow::Borrowed(_)));
        assert_eq!(shorten(" a\nb\u{61c} "), "a b\\u061c");
        assert_eq!(cut("\u{200f}bcd", 2), "\\u200fb…");
    }
}
