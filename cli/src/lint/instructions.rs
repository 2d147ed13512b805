//! Instructions to the linter in the comments of a file:
//!
//! - `# shardwise: ignore[SW203]` on the line of a key, or on the line above it,
//! - `# shardwise: ignore-file[SW2]` anywhere,
//! - `# shardwise: assert mfu >= 0.38`,
//! - `# shardwise: set cluster=8xH100 gpus=8`, as `--set` does.
//!
//! Without codes in brackets, an instruction concerns all of them.

use export::assertion::Assertion;
use files::brought::{Item, SuggestedChange};
use files::run::prefixes;

/// The instructions of a file.
#[derive(Debug, Default)]
pub(super) struct Instructions {
    /// Name of the file.
    file: String,
    /// Ignored codes of a line, from 1, or of the whole file.
    ignored: Vec<(Option<usize>, Vec<String>)>,
    /// Demands on the run, each with its line.
    assertions: Vec<(Assertion, usize)>,
    /// Values that count more than the file's own.
    pub(super) set: Vec<String>,
}

/// Beginning of an instruction, after the sign of a comment.
const BEGIN: &str = "shardwise:";

impl Instructions {
    /// Reads the instructions of a file.
    ///
    /// # Errors
    ///
    /// A sentence with the line of what is none.
    pub(super) fn read(item: &Item) -> Result<Self, String> {
        let file = item.name.clone().unwrap_or_default();
        let text = String::from_utf8_lossy(&item.bytes);
        let mut read = Self { file, ..Self::default() };
        for (place, line) in text.lines().enumerate() {
            if let Some((before, said)) = instruction(line) {
                let number = place + 1;
                let is_alone = before.trim().is_empty();
                read.add(said, number, is_alone).map_err(|problem| {
                    let name = if read.file.is_empty() { "Standard input" } else { &read.file };
                    format!("{name}, line {number}: {problem}")
                })?;
            }
        }
        Ok(read)
    }

    fn add(&mut self, said: &str, line: usize, is_alone: bool) -> Result<(), String> {
        let (word, rest) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
        let (word, codes) = match word.split_once('[') {
            Some((word, codes)) => (word, Some(codes)),
            None => (word, None),
        };
        match word {
            "ignore" | "ignore-file" => {
                // Codes may be separated by ", ".
                let codes = codes.map(|codes| format!("{codes} {rest}"));
                let codes = codes.as_deref().map_or("ALL", |codes| codes.split(']').next().unwrap_or(codes));
                // A comment alone on its line concerns the next one.
                let line = (word == "ignore").then_some(if is_alone { line + 1 } else { line });
                self.ignored.push((line, prefixes(&[codes.to_owned()])?));
            }
            "assert" => self.assertions.push((rest.parse()?, line)),
            "set" => self.set.extend(rest.split_whitespace().map(str::to_owned)),
            other => {
                return Err(format!(
                    "“{BEGIN} {other}” is no instruction: there are ignore[CODES], ignore-file[CODES], assert DEMAND and \
                     set KEY=VALUE."
                ));
            }
        }
        Ok(())
    }

    /// Returns the demands, each with its file and line.
    pub(super) fn demands(&self) -> impl Iterator<Item = (&Assertion, Option<(&str, usize)>)> {
        self.assertions.iter().map(|(demand, line)| (demand, Some((self.file.as_str(), *line))))
    }

    /// Whether a finding is ignored: its file is, its line, or the line of a key that it alters.
    pub(super) fn ignores(&self, finding: &SuggestedChange) -> bool {
        let code = finding.code.as_deref().unwrap_or_default();
        let own = finding.line.filter(|_| finding.file == self.file);
        let edited = finding.edits.iter().filter(|edit| edit.file == self.file).filter_map(|edit| edit.line);
        let lines: Vec<usize> = own.into_iter().chain(edited).collect();
        self.ignored.iter().any(|(line, codes)| {
            let is_here = line.map_or(finding.file == self.file, |line| lines.contains(&line));
            is_here && codes.iter().any(|prefix| code.starts_with(prefix.as_str()))
        })
    }
}

/// Returns the part of a line before an instruction, and the instruction.
fn instruction(line: &str) -> Option<(&str, &str)> {
    ["#", "//"].iter().find_map(|sign| {
        let (before, said) = line.match_indices(sign).find_map(|(at, _)| {
            let (before, after) = line.split_at(at);
            Some((before, after.trim_start_matches(['#', '/']).trim_start().strip_prefix(BEGIN)?))
        })?;
        Some((before, said.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Instructions, String> {
        Instructions::read(&Item { name: Some("run.yaml".into()), bytes: text.into() })
    }

    fn finding(code: &str, line: usize) -> SuggestedChange {
        SuggestedChange { file: "run.yaml".into(), line: Some(line), ..SuggestedChange::new(Some(code), String::new()) }
    }

    #[test]
    fn a_comment_concerns_its_line_the_next_or_the_file() {
        let text =
            "a: 1  # shardwise: ignore[SW203, SW101]\n# shardwise: ignore\nb: 2\nc: 3 # shardwise: ignore-file[SW3]\n";
        let read = read(text).unwrap();
        for (code, line, is_ignored) in [
            ("SW203", 1, true),
            ("SW101", 1, true),
            ("SW201", 1, false),
            ("SW201", 3, true),
            ("SW201", 4, false),
            ("SW305", 9, true),
        ] {
            assert_eq!(read.ignores(&finding(code, line)), is_ignored, "{code} {line}");
        }
        assert!(!read.ignores(&SuggestedChange { file: "other.yaml".into(), ..finding("SW305", 1) }));
    }

    #[test]
    fn demands_and_values_are_read_and_errors_have_their_line() {
        let set = read("# shardwise: set cluster=8xH100 gpus=8\nx: 1\n# shardwise: assert odds >= 0.9\n").unwrap();
        assert_eq!(set.set, ["cluster=8xH100", "gpus=8"]);
        assert_eq!((set.assertions[0].0.to_string().as_str(), set.assertions[0].1), ("odds >= 0.9", 3));
        for (text, said) in [
            ("\nx: 1 # shardwise: ingore", "line 2: “shardwise: ingore” is no instruction"),
            ("# shardwise: ignore[SW9]", "“SW9” is no code"),
            ("# shardwise: assert mfuu > 1", "Did you mean “mfu”"),
        ] {
            assert!(read(text).unwrap_err().contains(said), "{text}");
        }
    }
}
