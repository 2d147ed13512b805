//! Errors as sentences for a person.

use std::fmt;

/// One full sentence, with the command that solves the problem if there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(String);

/// The result of every fallible function here.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// Creates a failure with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// Tests that return a `Failure` print it with `Debug`; the sentence is more readable than the
// struct.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// Turns any error into a sentence.
pub trait Explain<T> {
    /// Prefixes an error with `what`: "The folder could not be read: permission denied."
    ///
    /// # Errors
    /// When `self` is an error.
    fn explain(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: fmt::Display> Explain<T> for std::result::Result<T, E> {
    fn explain(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Failure(format!("{}: {error}.", what())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_becomes_a_sentence() {
        let parsed: Result<u16> = "x".parse::<u16>().explain(|| "The port `x` is not a number".into());
        assert_eq!(
            parsed.map_err(|failure| failure.to_string()),
            Err("The port `x` is not a number: invalid digit found in string.".into())
        );
    }
}
