//! Rows that hold for a file, and the meanings of its words.

use engine::params::{self, ParamKind};

use crate::run::keys::Keys;
use programs::keys::{Meaning, Row, Rows, Table};

/// Whether keys have the words that a row requires of them.
pub(in crate::run) fn is_met(when: &Rows<Vec<String>>, keys: &Keys) -> bool {
    when.0.iter().all(|(key, words)| {
        let names = spellings(key);
        let found = names.iter().find_map(|name| keys.peek(name)).map(|text| text.to_ascii_lowercase());
        let has = found.is_some() || names.iter().any(|name| keys.has(name));
        let is_it = |word: &str| match (word, &found) {
            ("unset", _) => !has,
            ("set", _) => has,
            (word, Some(found)) if word.starts_with('>') => word
                .get(1..)
                .and_then(|least| least.parse::<f64>().ok())
                .zip(found.parse::<f64>().ok())
                .is_some_and(|(least, found)| found > least),
            (word, found) => found.as_ref().is_some_and(|found| is_word(word, found) || switch(found) == Some(word)),
        };
        // `!full`: any other word, or no key; `>1`: a larger number.
        words.iter().any(|word| word.strip_prefix('!').map_or_else(|| is_it(word), |not| !is_it(not)))
    })
}

/// Returns the meaning of a file's word for a row.
pub(super) fn said_by<'a>(row: &'a Row, keys: &Keys) -> Option<&'a Meaning> {
    let word = row.name.iter().find_map(|name| keys.peek(name))?.to_ascii_lowercase();
    meaning(row, &word)
}

pub(super) fn meaning<'a>(row: &'a Row, word: &str) -> Option<&'a Meaning> {
    let is_number = params::find(&row.is).is_some_and(|param| matches!(param.kind, ParamKind::Number(_)));
    let switch = switch(word).filter(|_| !is_number);
    find_word(&row.values, word).or_else(|| row.values.get(switch?))
}

/// Returns the tables' word for a switch that a file spells differently.
pub(super) fn switch(word: &str) -> Option<&'static str> {
    match word {
        "yes" | "on" | "1" | "y" | "t" => Some("true"),
        "no" | "off" | "0" | "n" | "f" => Some("false"),
        _ => None,
    }
}

/// Returns the value of a word in a table: by the word itself, else by the first matching pattern.
pub(super) fn find_word<'a, V>(words: &'a Rows<V>, word: &str) -> Option<&'a V> {
    let by_pattern = || words.0.iter().find_map(|(pattern, value)| is_word(pattern, word).then_some(value));
    words.get(word).or_else(by_pattern)
}

/// Whether a word of a table matches a word of a file: `*` matches anything, `#` any number.
pub(super) fn is_word(pattern: &str, word: &str) -> bool {
    if pattern == "#" {
        return word.parse::<f64>().is_ok();
    }
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == word };
    let Some(mut left) = word.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, behind)) = left.split_once(part) else { return false };
        left = behind;
    }
    left.ends_with(end)
}

/// Whether a word that a row does not list cannot be a number or a name of that row either.
pub(super) fn is_word_only(row: &Row, word: &str) -> bool {
    if matches!(row.is.as_str(), "model" | "attention" | "optimizer") {
        return false;
    }
    let is_number = params::find(&row.is).is_none_or(|param| matches!(param.kind, ParamKind::Number(_)));
    !is_number || word.parse::<f64>().is_err()
}

/// Whether a value enables a feature: `true`, a number above one, a name.
pub(super) fn is_on(word: &str) -> bool {
    match word.parse::<f64>() {
        Ok(number) => number > 1.0,
        Err(_) => !matches!(word, "" | "false" | "no" | "off" | "none" | "null" | "disabled"),
    }
}

/// Returns the spellings of a key, `a|b`.
pub(super) fn spellings(key: &str) -> Vec<&str> {
    key.split('|').collect()
}

/// Returns the last row of one meaning whose condition a file meets and of which it has a key.
pub(super) fn row_said<'a>(table: &'a Table, is: &str, keys: &Keys) -> Option<&'a Row> {
    let has_key = |row: &Row| row.name.iter().any(|name| keys.peek(name).is_some());
    table.rows.iter().rfind(|row| row.is == is && is_met(&row.when, keys) && has_key(row))
}

/// Returns the spellings of the keys of one meaning whose conditions a file meets.
pub(super) fn keys_of(table: &'static Table, is: &str, keys: &Keys) -> Vec<&'static str> {
    let rows = table.rows.iter().filter(|row| row.is == is && is_met(&row.when, keys));
    rows.flat_map(|row| row.name.iter().map(String::as_str)).collect()
}
