//! Splits a text into words, numbers and signs with their positions.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::words::{CLOUDS, DECIDING, FACTORS, FILLERS, NEGATIONS, NUMBERS, ROWS};

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Letters.
    Word,
    /// Digits, with points, commas and apostrophes between them.
    Number,
    /// Any other character except whitespace.
    Sign,
}

/// A word, a number or a sign.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// Offset of the first byte in the text.
    pub(crate) from: usize,
    /// Offset after the last byte.
    pub(crate) to: usize,
    /// Kind of the token.
    pub(crate) sort: Sort,
    /// Text in lower case, or the corrected word.
    pub(crate) word: String,
    /// Whether the token directly follows the previous token.
    pub(crate) is_glued: bool,
    /// Whether a comma, or the end of a sentence or line, precedes the token.
    pub(crate) is_after_break: bool,
}

impl Token {
    /// Returns whether the token is a word or a number.
    pub(crate) fn is_alphanumeric(&self) -> bool {
        self.sort != Sort::Sign
    }

    /// Returns whether the token is one of these signs.
    pub(crate) fn is_sign(&self, signs: &str) -> bool {
        self.sort == Sort::Sign && signs.contains(self.word.as_str())
    }
}

/// Signs that end a part of a sentence.
const BREAKS: &str = ",;?!\n…、，。；？！：¿¡";
/// Letters between a count and a name: `8xH100`, `4090x2`; also those of Cyrillic, which look
/// alike.
const TIMES: [char; 4] = ['x', 'X', '\u{445}', '\u{425}'];

/// Known words of scripts without blanks between words.
static WORDS_WITHOUT_BLANKS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let patterns = ROWS.iter().flat_map(|(pattern, ..)| pattern.split([' ', '/', '?']));
    let numbers = NUMBERS.iter().chain(FACTORS).map(|(word, _)| *word);
    let lists = [FILLERS, NEGATIONS, DECIDING, CLOUDS].into_iter().flatten().copied();
    let all = patterns.chain(numbers).chain(lists);
    all.filter(|word| word.chars().next().is_some_and(is_without_blanks)).collect()
});

/// Maximum letters of a known word without blanks.
const LONGEST_WORD: usize = 12;

/// Returns whether a letter is of a script that has no blanks between words, or joins particles to
/// them: Han, Hiragana, Katakana, Hangul.
fn is_without_blanks(sign: char) -> bool {
    matches!(sign, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}')
}

/// Returns the bytes of the longest known word without blanks at the start of a text.
fn known_word(text: &str) -> Option<usize> {
    let letters = text.char_indices().take(LONGEST_WORD).take_while(|(_, sign)| is_without_blanks(*sign));
    let ends: Vec<usize> = letters.map(|(at, sign)| at + sign.len_utf8()).collect();
    ends.into_iter().rev().find(|end| text.get(..*end).is_some_and(|word| WORDS_WITHOUT_BLANKS.contains(word)))
}

/// Splits a text into tokens.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut is_after_break = false;
    let mut rest = text.char_indices().peekable();
    while let Some((from, sign)) = rest.next() {
        // The colon of `cutoff_len: 8192` ends no sentence.
        if matches!(sign, ':' | '：') && is_after_key(text, from) {
            continue;
        }
        if sign.is_whitespace() || BREAKS.contains(sign) || is_full_stop(text, from, sign) {
            is_after_break |= !sign.is_whitespace() || sign == '\n';
            continue;
        }
        let sort = match sign {
            _ if sign.is_ascii_digit() => Sort::Number,
            _ if sign.is_alphabetic() => Sort::Word,
            _ => Sort::Sign,
        };
        let mut to = from + sign.len_utf8();
        let before = found.last();
        // Words of two scripts are two words: `8卡A100`.
        let ends_here = is_without_blanks(sign)
            || text.get(..from).and_then(|text| text.chars().next_back()).is_some_and(is_without_blanks);
        let is_glued = !ends_here && before.is_some_and(|before| before.to == from);
        let follows_number = is_glued && before.is_some_and(|before| before.sort == Sort::Number);
        // The x of `8xH100` is separate from the name.
        let is_times = TIMES.contains(&sign)
            && (follows_number || is_digit(text, to) && is_glued)
            && !text.get(to..).is_some_and(|rest| rest.starts_with("large"));
        let has_no_blanks = is_without_blanks(sign);
        // A known word, or the unknown letters before the next known one.
        let of_word =
            if has_no_blanks { text.get(from..).and_then(known_word).map(|length| from + length) } else { None };
        while let Some(&(at, next)) = rest.peek() {
            let is_part = match sort {
                Sort::Word if has_no_blanks => match of_word {
                    Some(end) => at < end,
                    None => is_without_blanks(next) && text.get(at..).and_then(known_word).is_none(),
                },
                Sort::Word if is_without_blanks(next) => false,
                Sort::Word => !is_times && next.is_alphabetic() && !is_late_times(text, at, next),
                Sort::Number => next.is_ascii_digit() || is_group(text, at, next),
                Sort::Sign => false,
            };
            if !is_part {
                break;
            }
            to = at + next.len_utf8();
            rest.next();
        }
        let word = text.get(from..to).unwrap_or_default().to_lowercase();
        // Cyrillic letters that stand for Latin ones: `2х4090`, `8к`, `8б`.
        let word = match word.as_str() {
            "\u{445}" => "x".to_owned(),
            "к" if follows_number => "k".to_owned(),
            "б" if follows_number => "b".to_owned(),
            _ => word,
        };
        found.push(Token { from, to, sort, word, is_glued, is_after_break });
        is_after_break = false;
        join_without(&mut found);
        drop_prefix(&mut found);
    }
    found
}

/// Returns whether the word before an offset is a key of a program, by an underscore: `lora_rank`.
fn is_after_key(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let word = before.rsplit(|sign: char| sign.is_whitespace() || BREAKS.contains(sign)).next();
    before.ends_with(char::is_alphanumeric) && word.is_some_and(|word| word.contains('_'))
}

/// Drops the `ml.` before the name of an instance, with which SageMaker begins it.
fn drop_prefix(found: &mut Vec<Token>) {
    let [.., prefix, point, name] = found.as_mut_slice() else { return };
    let is_prefix = prefix.word == "ml" && !prefix.is_glued && point.word == "." && point.is_glued;
    if is_prefix && name.sort == Sort::Word && name.is_glued {
        (name.is_glued, name.is_after_break) = (false, prefix.is_after_break);
        let place = found.len() - 3;
        found.drain(place..place + 2);
    }
}

/// Joins `w/o`, which is “without”.
fn join_without(found: &mut Vec<Token>) {
    let [.., first, slash, last] = found.as_mut_slice() else { return };
    if first.word == "w" && slash.word == "/" && slash.is_glued && last.word == "o" && last.is_glued {
        (first.word, first.to) = ("without".to_owned(), last.to);
        found.truncate(found.len() - 2);
    }
}

/// Returns whether the character at a byte offset is a digit.
fn is_digit(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
}

/// Returns whether a point or colon ends a sentence: whitespace or the end of the text follows.
fn is_full_stop(text: &str, at: usize, sign: char) -> bool {
    let next = text.get(at + sign.len_utf8()..).and_then(|rest| rest.chars().next());
    matches!(sign, '.' | ':') && next.is_none_or(char::is_whitespace)
}

/// Returns whether a character is a separator between digits of one number.
fn is_group(text: &str, at: usize, sign: char) -> bool {
    matches!(sign, '.' | ',' | '\'' | '_' | '\u{2019}' | '\u{202f}' | '\u{a0}') && is_digit(text, at + sign.len_utf8())
}

/// Returns whether an `x` inside letters precedes a count, as in `h100sx2`.
fn is_late_times(text: &str, at: usize, sign: char) -> bool {
    TIMES.contains(&sign) && is_digit(text, at + 1) && text.get(..at).is_some_and(|before| before.ends_with('s'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_names_and_numbers_are_told_apart() {
        let split = |text: &str| tokens(text).into_iter().map(|token| token.word).collect::<Vec<_>>();
        assert_eq!(split("2x4090, 8k"), ["2", "x", "4090", "8", "k"]);
        assert_eq!(split("8xH100"), ["8", "x", "h", "100"]);
        assert_eq!(split("4090x2"), ["4090", "x", "2"]);
        assert_eq!(split("10,000 samples. 1,5T"), ["10,000", "samples", "1,5", "t"]);
        assert_eq!(split("p5.48xlarge"), ["p", "5.48", "xlarge"]);
        assert_eq!(split("ml.g5.xlarge"), ["g", "5", ".", "xlarge"]);
        assert_eq!(split("w/o offload"), ["without", "offload"]);
        assert_eq!(split("8卡A100全参数微调"), ["8", "卡", "a", "100", "全参数微调"]);
        let is_broken = |text: &str| tokens(text).iter().any(|token| token.is_after_break);
        assert!(!is_broken("cutoff_len: 8192") && is_broken("cutoff: 8192"));
        assert!(tokens("a, b").last().is_some_and(|token| token.is_after_break));
    }
}
