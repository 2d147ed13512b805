//! Tokens of Python, as far as configurations need them.

use std::ops::Range;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    Text,
    Sign(char),
    /// The end of a line that is not empty.
    Newline,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    /// The text; strings without their quotes.
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
    /// Indentation, for the first token of a line.
    pub(super) indent: usize,
    /// Whether a string is formatted with the names in its braces: f"".
    pub(super) is_format: bool,
}

/// Returns the tokens of a text, without comments.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut line_start = 0;
    let mut is_format = false;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let start = at;
        let rest = text.get(at..).unwrap_or_default();
        let indent = start - line_start;
        let mut push = |kind, span: Range<usize>, shown: Range<usize>| {
            found.push(Token { kind, text: text.get(shown).unwrap_or_default(), span, indent, is_format });
        };
        if letter == '\n' {
            at += 1;
            line_start = at;
            push(TokenKind::Newline, start..at, start..start);
        } else if letter.is_whitespace() || letter == '\\' {
            at += letter.len_utf8();
        } else if letter == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if letter == '"' || letter == '\'' {
            let (inner, end) = quoted(rest, letter);
            at += end;
            push(TokenKind::Text, start..at, start + inner.start..start + inner.end);
            is_format = false;
        } else if letter.is_alphabetic() || letter == '_' {
            at += rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(rest.len());
            // Prefixes of texts: r"", f"".
            let after = text.get(at..).and_then(|rest| rest.chars().next());
            if at - start > 2 || !matches!(after, Some('"' | '\'')) {
                push(TokenKind::Name, start..at, start..at);
            } else {
                is_format = text.get(start..at).is_some_and(|prefix| prefix.contains(['f', 'F']));
            }
        } else if letter.is_ascii_digit() {
            at += number(rest);
            push(TokenKind::Number, start..at, start..at);
        } else {
            at += letter.len_utf8();
            push(TokenKind::Sign(letter), start..at, start..at);
        }
    }
    found
}

/// Returns the range inside the quotes, and the end of a string that begins here.
fn quoted(rest: &str, quote: char) -> (Range<usize>, usize) {
    let triple: String = [quote; 3].iter().collect();
    if rest.starts_with(&triple) {
        let end = rest.get(3..).and_then(|inner| inner.find(&triple)).map_or(rest.len(), |end| end + 3);
        return (3.min(rest.len())..end, (end + 3).min(rest.len()));
    }
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            // An unclosed string ends with its line.
            '\n' => return (1..at, at),
            _ if letter == quote => return (1..at, at + 1),
            _ => {}
        }
    }
    (1..rest.len(), rest.len())
}

/// Returns the length of a number that begins here.
fn number(rest: &str) -> usize {
    let mut before = ' ';
    for (at, letter) in rest.char_indices() {
        let is_sign = matches!(letter, '+' | '-') && matches!(before, 'e' | 'E') && !rest.starts_with("0x");
        if !letter.is_ascii_alphanumeric() && !matches!(letter, '.' | '_') && !is_sign {
            return at;
        }
        before = letter;
    }
    rest.len()
}
