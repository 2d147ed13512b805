//! The words of a shell script, with quotes kept, continued lines joined and comments left out.

use std::ops::Range;

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    /// The text as written, with quotes.
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
    /// Whether a command or an assignment may begin with it.
    pub(super) starts_command: bool,
    /// Whether the word is in a branch of a `case`, which runs only for some arguments.
    pub(super) in_case: bool,
    /// The array or group of words that contains the word.
    group: usize,
}

/// Position inside a `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// Before `in`, on the line of `case`.
    Head,
    /// In a pattern, up to its `)`: compared and never run.
    Pattern,
    /// In a branch, up to its `;;`.
    Branch,
}

impl Word<'_> {
    /// Whether this word ends the list of flags that another word began.
    pub(super) fn ends_list(&self, first: &Self) -> bool {
        self.group != first.group || self.starts_command
    }
}

/// Returns the words of a script.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    split(text, 0)
}

/// Returns the words inside a quoted text.
pub(super) fn inside(text: &str, offset: usize) -> Vec<Word<'_>> {
    let mut words = split(text, offset);
    for word in &mut words {
        word.starts_command = false;
        word.group = 0;
    }
    words
}

/// Words that a command may follow.
const QUIET: [&str; 12] =
    ["export", "then", "do", "else", "local", "{", "}", "time", "exec", "set", "readonly", "declare"];

/// Ends a branch of a `case` at `;;`; returns whether a second sign is to be skipped. A `case`
/// without `in` is dropped.
fn ends_branch(cases: &mut Vec<Case>, rest: &str) -> bool {
    match cases.last_mut() {
        Some(Case::Head) if rest.starts_with(['\n', ';']) => {
            cases.pop();
        }
        Some(case @ Case::Branch) if rest.starts_with(";;") || rest.starts_with(";&") => {
            *case = Case::Pattern;
            return true;
        }
        _ => {}
    }
    false
}

/// Tracks `case` by its words. Returns whether a word ends the `case`, if the word is in a pattern;
/// `None` for all other words.
fn track_case(cases: &mut Vec<Case>, word: &str, starts: bool) -> Option<bool> {
    match (cases.last_mut(), word) {
        (Some(Case::Pattern), "esac") => {
            cases.pop();
            return Some(true);
        }
        (Some(Case::Pattern), _) => return Some(false),
        (Some(case @ Case::Head), "in") => *case = Case::Pattern,
        (Some(Case::Branch), "esac") if starts => {
            cases.pop();
        }
        (_, "case") if starts => cases.push(Case::Head),
        _ => {}
    }
    None
}

/// Returns the bracket that closes the test which a word begins.
fn test_end(words: &[Word], found: &str, starts: bool) -> Option<&'static str> {
    let is_before = |last: &Word| matches!(last.text, "if" | "elif" | "while" | "until" | "!");
    let is_condition = starts || words.last().is_some_and(is_before);
    match found {
        "[" if is_condition => Some("]"),
        "[[" if is_condition => Some("]]"),
        _ => None,
    }
}

/// Returns a test as one word.
fn whole_test(text: &str, place: Range<usize>, offset: usize, group: usize) -> Word<'_> {
    let span = offset + place.start..offset + place.end;
    Word { text: text.get(place).unwrap_or_default(), span, starts_command: true, in_case: false, group }
}

fn split(text: &str, offset: usize) -> Vec<Word<'_>> {
    let mut words: Vec<Word> = Vec::new();
    let (mut at, mut starts, mut group, mut in_array) = (0, true, 0, false);
    let mut cases: Vec<Case> = Vec::new();
    // The bracket that closes the current test, and its start: `[ … ]` compares words that may look
    // like flags.
    let mut test: Option<(&str, usize)> = None;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        match letter {
            '\\' if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") => {
                at += rest.find('\n').unwrap_or(0) + 1;
            }
            '&' if rest.starts_with("&>") && !in_array => at += redirection(rest).unwrap_or(1),
            '\n' | ';' | '&' | '|' => {
                at += 1;
                if matches!(letter, '\n' | ';') {
                    test = None;
                }
                at += usize::from(ends_branch(&mut cases, rest));
                if !in_array {
                    starts = true;
                    group += 1;
                }
            }
            '(' => {
                at += 1;
                group += 1;
            }
            ')' => {
                at += 1;
                if let Some(case @ Case::Pattern) = cases.last_mut() {
                    *case = Case::Branch;
                }
                in_array = false;
                starts = true;
                group += 1;
            }
            _ if letter.is_whitespace() => at += letter.len_utf8(),
            '#' => {
                let line = rest.lines().next().unwrap_or_default();
                // Flags of a batch system are in comments.
                if let Some(flags) = line.strip_prefix("#SBATCH") {
                    let inner = flags.split('#').next().unwrap_or_default();
                    let of_line = inside(inner, offset + at + "#SBATCH".len()).into_iter();
                    words.extend(of_line.map(|word| Word { group: group + 1, ..word }));
                    group += 2;
                }
                at += line.len().max(1);
            }
            _ => {
                if test.is_none()
                    && let Some(length) = redirection(rest)
                {
                    at += length;
                    continue;
                }
                let length = word(rest);
                let found = rest.get(..length).unwrap_or_default();
                if let Some((closes, start)) = test {
                    if closes == found {
                        test = None;
                        words.push(whole_test(text, start..at + length, offset, group));
                    }
                    at += length.max(letter.len_utf8());
                    continue;
                }
                if let Some(is_esac) = track_case(&mut cases, found, starts && !in_array) {
                    at += length.max(letter.len_utf8());
                    starts |= is_esac;
                    continue;
                }
                if let Some(closes) = test_end(&words, found, starts).filter(|_| !in_array) {
                    test = Some((closes, at));
                    at += length;
                    continue;
                }
                let is_array = found.ends_with('=') && rest.get(length..).is_some_and(|after| after.starts_with('('));
                let span = offset + at..offset + at + found.len();
                let quiet = starts && QUIET.contains(&found);
                // `"--fp8-format hybrid"`: a flag with its value in one text.
                let quoted = found.strip_prefix(['"', '\'']).filter(|inner| inner.starts_with("--"));
                if let Some(inner) = quoted.and_then(|inner| inner.strip_suffix(['"', '\''])) {
                    words.extend(inside(inner, span.start + 1).into_iter().map(|word| Word { group, ..word }));
                    at += length.max(letter.len_utf8());
                    continue;
                }
                let in_case = cases.contains(&Case::Branch);
                words.push(Word { text: found, span, starts_command: starts && !is_array, in_case, group });
                let is_assignment = starts
                    && found.split_once('=').is_some_and(|(name, _)| {
                        name.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '+'))
                    });
                starts = quiet || (is_assignment && !is_array);
                at += length.max(letter.len_utf8());
                if is_array {
                    in_array = true;
                    starts = false;
                    words.pop();
                }
            }
        }
    }
    words
}

/// Returns the length of the redirection that begins here, with its file: `2>&1`, `> file`,
/// `&>> file`, `< file`. A placeholder such as `<path>`, a here-document and a here-string are
/// none.
fn redirection(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let rest = rest.strip_prefix('&').filter(|after| after.starts_with('>')).unwrap_or(rest);
    let after = match rest.strip_prefix('<') {
        Some(after) if after.starts_with([' ', '&']) => after,
        Some(_) => return None,
        None => {
            let after = rest.strip_prefix('>')?;
            after.strip_prefix(['>', '|']).unwrap_or(after)
        }
    };
    let after = after.strip_prefix('&').unwrap_or(after).trim_start_matches([' ', '\t']);
    // The output of a command, `>(tee log)`, is read as words of their own.
    let end = if after.starts_with(['\n', '(', ';', '|', '&']) || after.is_empty() { 0 } else { word(after) };
    Some(text.len() - after.len() + end)
}

/// Returns the length of the word that begins here.
fn word(text: &str) -> usize {
    let mut quote: Option<char> = None;
    let mut depth = 0_u32;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, letter) {
            (_, '\\') if quote != Some('\'') => {
                if quote.is_none() && text.get(at + 1..).is_some_and(|rest| rest.starts_with(['\n', '\r'])) {
                    return at;
                }
                escaped = true;
            }
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '{') => depth += 1,
            (None, '}') => depth = depth.saturating_sub(1),
            (None, '(')
                if at > 0 && (depth > 0 || text.get(..at).is_some_and(|before| before.ends_with(['$', '(']))) =>
            {
                depth += 1;
            }
            (None, ')') if depth > 0 => depth -= 1,
            (None, _) if depth > 0 && letter != '\n' => {}
            (None, '\n' | ';' | '&' | '|' | '(' | ')') => return at.max(usize::from(at == 0)),
            (None, _) if letter.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}
