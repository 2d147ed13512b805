//! The branches of `if` that run: a test of known values is evaluated, so that the flags of other
//! branches do not count.

use super::words::Word;
use super::{Variables, fill, is_known, unquoted, used_names};

/// An `if` that is not closed yet.
struct Branch {
    /// The words of the condition, up to `then`; `None` behind it.
    condition: Option<Vec<String>>,
    /// Whether the current branch runs; `None` if unknown.
    runs: Option<bool>,
    /// Whether an earlier branch runs; `None` if unknown.
    has_run: Option<bool>,
}

/// The branches around a word.
#[derive(Default)]
pub(super) struct Conditions {
    open: Vec<Branch>,
    /// Whether a condition could not be evaluated.
    pub(super) are_unknown: bool,
}

impl Conditions {
    /// Follows `if`, `elif`, `else` and `fi`. Returns whether a word may run.
    pub(super) fn run(&mut self, word: &Word, variables: &Variables) -> bool {
        let is_out = |branch: &Branch| branch.condition.is_none() && branch.runs == Some(false);
        let outer = self.open.split_last().is_some_and(|(_, outer)| outer.iter().any(is_out));
        match word.text {
            "if" if word.starts_command => {
                self.open.push(Branch { condition: Some(Vec::new()), runs: None, has_run: Some(false) });
            }
            "elif" if word.starts_command => {
                if let Some(branch) = self.open.last_mut() {
                    branch.end();
                    branch.condition = Some(Vec::new());
                }
            }
            "then" if word.starts_command => {
                if let Some(branch) = self.open.last_mut()
                    && let Some(condition) = branch.condition.take()
                {
                    let holds = match condition.as_slice() {
                        [test] if !outer => holds(test, variables),
                        _ => None,
                    };
                    branch.runs = match (branch.has_run, holds) {
                        (Some(true), _) | (_, Some(false)) => Some(false),
                        (Some(false), Some(true)) => Some(true),
                        _ => None,
                    };
                    self.are_unknown |= branch.runs.is_none() && !outer;
                }
            }
            "else" if word.starts_command => {
                if let Some(branch) = self.open.last_mut() {
                    branch.end();
                    branch.runs = branch.has_run.map(|has_run| !has_run);
                }
            }
            "fi" if word.starts_command => {
                self.open.pop();
            }
            text => {
                if let Some(condition) = self.open.last_mut().and_then(|branch| branch.condition.as_mut()) {
                    condition.push(text.to_owned());
                }
            }
        }
        // Tests are no commands.
        !self.open.iter().any(is_out) && !is_test(word)
    }

    /// Whether it is unknown if the current branch runs.
    pub(super) fn is_undecided(&self) -> bool {
        self.open.iter().any(|branch| branch.condition.is_none() && branch.runs.is_none())
    }
}

impl Branch {
    /// Ends the current branch.
    fn end(&mut self) {
        self.has_run = match (self.has_run, self.runs) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
    }
}

/// Whether a word is a whole test, `[ … ]`.
pub(super) fn is_test(word: &Word) -> bool {
    word.text.starts_with("[ ") || word.text.starts_with("[[ ")
}

/// Whether a test holds; `None` if it has other forms than `[ a = b ]` or a value is unknown.
fn holds(test: &str, variables: &Variables) -> Option<bool> {
    let inner = test.trim_start_matches('[').trim_end_matches(']');
    let parts: Vec<&str> = super::words::inside(inner, 0).iter().map(|word| word.text).collect();
    let value = |text: &str| {
        let is_set = |name: &&str| variables.contains(name);
        let is_uncertain = |name: &&str| variables.uncertain.contains(*name);
        let filled = fill(unquoted(text), variables, 0);
        // A variable without a value may come from outside.
        let is_whole = !filled.contains(['$', '`']) && is_known(&filled);
        let mut names = used_names(text).into_iter();
        (is_whole
            && !names.any(|name| is_uncertain(&name))
            && (text.contains(":-") || used_names(text).iter().all(is_set)))
        .then_some(filled)
    };
    let number = |text: &str| value(text)?.trim().parse::<i64>().ok();
    match parts.as_slice() {
        ["-z", of] => Some(value(of)?.is_empty()),
        ["-n", of] => Some(!value(of)?.is_empty()),
        [left, "-eq", right] => Some(number(left)? == number(right)?),
        [left, "-ne", right] => Some(number(left)? != number(right)?),
        [left, "-gt", right] => Some(number(left)? > number(right)?),
        [left, "-ge", right] => Some(number(left)? >= number(right)?),
        [left, "-lt", right] => Some(number(left)? < number(right)?),
        [left, "-le", right] => Some(number(left)? <= number(right)?),
        // A pattern is not compared.
        [_, _, right] if right.contains(['*', '?', '[']) => None,
        [left, "=" | "==", right] => Some(value(left)? == value(right)?),
        [left, "!=", right] => Some(value(left)? != value(right)?),
        _ => None,
    }
}
