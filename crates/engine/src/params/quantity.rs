//! Numbers as people type and read them: `8k`, `80 GiB`, `400 Gbit/s`, `1.5T`, `70 b`, `1,024`,
//! `50%`.
//!
//! [`parse`] reads; [`text`] and [`with_unit`] write; [`link_text`] writes the
//! value of a scenario. [`parse`] reads the output of [`text`] back to the same bits.
//!
//! - A *k* is 1,024 for tokens and for whole numbers on a slider of doublings (`8k` tokens are
//!   8,192, `16k` GPUs 16,384), as is usual in the field, and 1,000 elsewhere.
//! - GB of memory are GiB: a vendor's “80 GB” GPU has 80 GiB.
//! - `GB/s` in a field of Gbit/s is converted, and vice versa: a capital B is bytes and `Gb/s` are
//!   bits. In lower case (`gb/s`) it is the field's own unit.

mod number;
mod suffix;
mod write;

use super::{Number, Unit};
pub use crate::scenario::issue::shorten;
pub use write::{exact, group_thousands, link_text, text, with_unit};

/// The reason why typed text is not a valid value.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedError {
    /// Full sentences for a person: the text, what is wrong with it, and what is valid.
    pub message: String,
    /// The nearest valid value in the parameter's unit, which a button offers; the current value if
    /// the text is not a number.
    pub nearest: f64,
}

/// Returns the symbol of a unit; empty for a bare number.
pub fn unit_label(unit: Unit) -> &'static str {
    match unit {
        Unit::None | Unit::Params => "",
        Unit::Gib => "GiB",
        Unit::GbitPerS => "Gbit/s",
        Unit::GbPerS => "GB/s",
        Unit::Tflops => "TFLOP/s",
        Unit::Tokens | Unit::TrainTokens => "tokens",
        Unit::Us => "µs",
        Unit::Ms => "ms",
        Unit::Seconds => "s",
        Unit::Watt => "W",
        Unit::Percent => "%",
        Unit::DollarsPerHour => "$/h",
        Unit::GramsPerKwh => "g/kWh",
        Unit::Hours => "h",
        Unit::Days => "days",
        Unit::Minutes => "min",
        Unit::Dollars => "$",
        Unit::TokensPerS => "tokens/s",
    }
}

/// Parses typed text as a value of the parameter named `label`, in its unit and within its bounds;
/// `current` is the present value.
///
/// # Errors
///
/// A sentence if the text is not a number, has the unit of another quantity, is not whole where it
/// must be, or is out of bounds.
pub fn parse(label: &str, number: &Number, typed: &str, current: f64) -> Result<f64, TypedError> {
    let unit = number.unit;
    let compact = number::compact(typed);
    if compact.is_empty() {
        return Err(not_a_number(label, number, current, "The value is empty"));
    }
    let shown = shorten(typed);
    let Some((digits, suffix)) = number::split(&compact) else {
        return Err(match compact.to_ascii_lowercase().trim_start_matches('+') {
            "inf" | "infinity" | "∞" => too_large(label, number, &shown),
            "-inf" | "-infinity" | "-∞" => too_small(label, number, &shown),
            _ => not_a_number(label, number, current, &format!("“{shown}” is not a number")),
        });
    };
    let Some(factor) = suffix::factor(unit, number.scale, &suffix) else {
        let nearest = nearest(number, digits.scaled(suffix::Factor::ONE), current);
        let message = format!("“{shown}” has the wrong unit: {}", must_be(label, number, nearest));
        return Err(TypedError { message, nearest });
    };
    let value = digits.scaled(factor);
    if value > number.max {
        return Err(too_large(label, number, &shown));
    }
    if let Some(meant) = meant_thousands(label, number, &compact, &shown) {
        return Err(meant);
    }
    if value < number.min {
        return Err(
            meant_billions(label, number, &shown, &suffix, value).unwrap_or_else(|| too_small(label, number, &shown))
        );
    }
    if number.integer && value.fract() != 0.0 {
        let nearest = nearest(number, value, current);
        let message = format!("“{shown}” is not a whole number: {}", must_be(label, number, nearest));
        return Err(TypedError { message, nearest });
    }
    // Adding zero turns minus zero into zero.
    Ok(value + 0.0)
}

/// Returns the nearest valid value. If `value` is NaN it returns `current`, or the smallest valid
/// value if `current` is NaN too.
pub fn nearest(number: &Number, value: f64, current: f64) -> f64 {
    let value = if value.is_nan() { current } else { value };
    let value = if number.integer { value.round() } else { value };
    if value > number.max {
        number.max
    } else if value >= number.min {
        value + 0.0
    } else {
        number.min
    }
}

/// Whether a value is valid.
pub fn is_valid(number: &Number, value: f64) -> bool {
    value >= number.min && value <= number.max && !(number.integer && value.fract() != 0.0)
}

/// Formats the requirement for a parameter's value, with an example.
fn must_be(label: &str, number: &Number, example: f64) -> String {
    let [min, max, example] = [number.min, number.max, example].map(|value| with_unit(number.unit, value));
    let what = if number.integer { "a whole number" } else { "a number" };
    format!("{label} must be {what} from {min} to {max}, for example {example}.")
}

fn not_a_number(label: &str, number: &Number, current: f64, sense: &str) -> TypedError {
    let nearest = nearest(number, current, number.min);
    TypedError { message: format!("{sense}: {}", must_be(label, number, nearest)), nearest }
}

fn too_large(label: &str, number: &Number, shown: &str) -> TypedError {
    let most = with_unit(number.unit, number.max);
    TypedError { message: format!("“{shown}” is too large: {label} must be at most {most}."), nearest: number.max }
}

fn too_small(label: &str, number: &Number, shown: &str) -> TypedError {
    let least = with_unit(number.unit, number.min);
    TypedError {
        message: format!("“{shown}” is too small: {label} must be at least {least}."), nearest: number.min
    }
}

/// Offers 13 billion to a user who types `13` as a model size.
fn meant_billions(label: &str, number: &Number, shown: &str, suffix: &str, value: f64) -> Option<TypedError> {
    /// Parameters in one “B”.
    const BILLION: f64 = 1e9;
    let billions = value * BILLION;
    if number.unit != Unit::Params || !suffix.is_empty() || !is_valid(number, billions) {
        return None;
    }
    let meant = with_unit(number.unit, billions);
    let message = format!("“{shown}” counts single parameters: enter {meant} for {label} in billions.");
    Some(TypedError { message, nearest: billions })
}

/// Offers 8,192 to a user who types `8.192` for a whole number, with a point between groups of
/// three digits, as in German.
fn meant_thousands(label: &str, number: &Number, compact: &str, shown: &str) -> Option<TypedError> {
    /// Digits of a group.
    const GROUP: usize = 3;
    let (first, rest) = compact.split_once('.')?;
    let is_group = |part: &str, least: usize| {
        (least..=GROUP).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit())
    };
    let is_grouped = is_group(first, 1) && !first.starts_with('0') && rest.split('.').all(|part| is_group(part, GROUP));
    let whole = compact.replace('.', "").parse().ok().filter(|whole| is_valid(number, *whole))?;
    if !number.integer || !is_grouped {
        return None;
    }
    let meant = with_unit(number.unit, whole);
    let message = format!("“{shown}” has a decimal point: enter {meant} for {label} without it.");
    Some(TypedError { message, nearest: whole })
}

#[cfg(test)]
mod tests;
