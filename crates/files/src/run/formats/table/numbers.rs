//! Numbers of keys in the units of their rows.

use super::words::spellings;
use crate::run::keys::{KeyedValue, Keys};
use programs::keys::Row;

/// Returns the number of a key, in the row's unit.
pub(super) fn number_of(row: &Row, names: &[&str], keys: &mut Keys) -> Option<KeyedValue<f64>> {
    let found = if row.part.is_empty() {
        keys.number(names)
    } else {
        keys.text(names).and_then(|found| Some(found.with(part(&row.part, &found.value)?)))
    };
    let factor = factor(row, keys)?;
    Some(found?.map(|number| (number * factor * 1e9).round() / 1e9))
}

/// Returns the number of a word like `megatron:d4p2t8` that a row reads.
pub(super) fn part(part: &str, word: &str) -> Option<f64> {
    if part == "#" {
        let (first, _) = word.split_once('+').unwrap_or((word, ""));
        return Some(first.split(|letter: char| !letter.is_ascii_digit()).flat_map(str::parse::<f64>).product());
    }
    let (before, letters) = part.rsplit_once('*').unwrap_or(("", part));
    let (_, rest) = word.split_once(before)?;
    rest.split(letters).skip(1).find_map(|behind| {
        let end = behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len());
        behind.get(..end)?.parse().ok()
    })
}

/// Returns the factor of a number; `None` if a key of the divisor is missing.
pub(super) fn factor(row: &Row, keys: &mut Keys) -> Option<f64> {
    let mut factor = row.scale.unwrap_or(1.0);
    for key in &row.times {
        factor *= keys.number(&spellings(key)).map_or(1.0, |number| number.value);
    }
    for key in &row.over {
        factor /= keys.number(&spellings(key)).filter(|number| number.value > 0.0)?.value;
    }
    Some(factor)
}
