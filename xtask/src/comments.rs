//! Checks the width of comments and how doc comments begin.

use anyhow::{Result, bail};

use crate::shell::{read_text, sources};

/// Maximum width of a comment line, in characters.
const COMMENT: usize = 100;

/// Beginnings of doc comments that make a riddle of the item.
const RIDDLES: [&str; 4] = ["What ", "Whose ", "Who ", "The same "];

/// Checks the width of comments and how doc comments begin.
///
/// # Errors
/// When a comment is too wide or a riddle; the error names each line.
pub fn check() -> Result<()> {
    let mut faults = Vec::new();
    for file in sources("rs")? {
        let lines = comment_faults(&read_text(&file)?);
        faults.extend(lines.into_iter().map(|line| format!("{}:{line}", file.display())));
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!(
        "Comments wider than {COMMENT} characters, or that begin with {} instead of a verb or the thing: {}.",
        RIDDLES.map(str::trim_end).join(", "),
        faults.join(", ")
    )
}

/// Returns the numbers of lines with a comment that is too wide or begins with a riddle. Code of
/// examples, tables and long addresses may be wide.
fn comment_faults(text: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            is_code = false;
            continue;
        };
        let is_doc = comment.starts_with(['/', '!']);
        let comment = comment.trim_start_matches(['/', '!']).trim_start();
        is_code ^= comment.starts_with("```");
        let is_whole =
            is_code || comment.starts_with('|') || comment.split_whitespace().any(|word| word.len() > COMMENT / 2);
        let is_wide = !is_whole && line.chars().count() > COMMENT;
        if is_wide || is_doc && RIDDLES.iter().any(|riddle| comment.starts_with(riddle)) {
            faults.push(number);
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn riddles_and_wide_comments_are_found_and_what_must_stay_whole_is_not() {
        let long = "word ".repeat(21);
        let text =
            format!("// {long}\nlet a = 1; // {long}\n/// ```\n/// {long}\n/// ```\n//! | {long}|\n    /// {long}\n");
        assert_eq!(comment_faults(&text), [1, 7]);
        assert_eq!(
            comment_faults("/// What it has.\n// What follows is why.\n//! The same.\n/// Returns what it has.\n"),
            [1]
        );
    }
}
