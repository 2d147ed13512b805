//! Writes values as text.

use super::unit_label;
use crate::digits::rounded;
use crate::params::{Number, Unit};
use crate::scenario::Scenario;

/// A thin space, between a number and its unit.
const THIN_SPACE: char = '\u{2009}';

/// Significant digits that distinguish any two `f64`.
const EXACT_DIGITS: usize = 17;

/// Writes the shortest text that [`super::parse`] reads back to the same value, without a unit:
/// `8192`, `200`, `13B`.
pub fn text(unit: Unit, value: f64) -> String {
    if matches!(unit, Unit::Params | Unit::TrainTokens) { params(value) } else { plain(value) }
}

/// Writes a value with its unit, for sentences: `80 GiB`, `8,192 tokens`, `13B`.
pub fn with_unit(unit: Unit, value: f64) -> String {
    let number = group_thousands(&text(unit, value));
    match unit_label(unit) {
        "" => number,
        label => format!("{number}{THIN_SPACE}{label}"),
    }
}

/// Writes the value of a parameter in a link: the shortest text that sets exactly the scenario's
/// value.
pub fn link_text(number: &Number, scenario: &Scenario) -> String {
    text(number.unit, exact(number, scenario).unwrap_or_else(|| (number.get)(scenario)))
}

/// Returns the value with the fewest digits that leaves the scenario unchanged when set: a rate
/// stored in bytes per second may convert to 199.99999999999997 Gbit/s instead of 200. `None` if
/// there is no such value, or the parameter cannot be set in this scenario.
pub fn exact(number: &Number, scenario: &Scenario) -> Option<f64> {
    let value = (number.get)(scenario);
    let same = |&candidate: &f64| {
        let mut copy = *scenario;
        (number.set)(&mut copy, candidate);
        copy == *scenario
    };
    // Rows of the architecture read every model and set only a custom one.
    let other = if value == number.min { number.max } else { number.min };
    if other != value && same(&other) {
        return None;
    }
    (1..=EXACT_DIGITS).map(|digits| rounded(value, digits)).find(same)
}

/// Writes plain decimals, or an exponent if they would be long.
fn plain(value: f64) -> String {
    let decimals = value.to_string();
    let scientific = format!("{value:e}");
    if decimals.len() > EXACT_DIGITS + 4 { scientific } else { decimals }
}

/// Writes a number of parameters with a prefix that leaves one to three digits before the point.
fn params(value: f64) -> String {
    /// Prefixes with their powers of ten, largest first.
    const PREFIXES: [(char, i32); 4] = [('T', 12), ('B', 9), ('M', 6), ('K', 3)];
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return plain(value) };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let Some((prefix, power)) = PREFIXES.into_iter().find(|&(_, power)| exponent >= power) else {
        return plain(value);
    };
    // The decimal point is moved in the text, as a division would round.
    let places = 1 + usize::try_from(exponent - power).unwrap_or(0);
    let unsigned = mantissa.trim_start_matches('-');
    let sign = mantissa.strip_suffix(unsigned).unwrap_or_default();
    let digits = unsigned.replace('.', "");
    match digits.split_at_checked(places) {
        Some((whole, "")) => format!("{sign}{whole}{prefix}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}{prefix}"),
        None => format!("{sign}{digits:0<places$}{prefix}"),
    }
}

/// Inserts commas between thousands: `8,192`, `1,048,576.5`, `13B`.
pub fn group_thousands(number: &str) -> String {
    let digits = number.strip_prefix(['-', '−']).unwrap_or(number);
    let sign = number.strip_suffix(digits).unwrap_or_default();
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (whole, rest) = digits.split_at_checked(end).unwrap_or((digits, ""));
    let mut grouped = String::with_capacity(number.len() + whole.len() / 3);
    grouped.push_str(sign);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}
