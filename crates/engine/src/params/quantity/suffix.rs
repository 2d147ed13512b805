//! Suffixes of a number, prefixes and units, and their factors.

use super::unit_label;
use crate::params::{Scale, Unit};

/// The factor `times * 10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factor {
    /// Power of ten, applied to the decimal digits, which is exact.
    pub(super) exponent: i32,
    /// The remaining factor: powers of two, which are exact too.
    pub(super) times: f64,
}

impl Factor {
    /// The factor 1.
    pub(super) const ONE: Self = Self::ten_to(0);

    const fn ten_to(exponent: i32) -> Self {
        Self { exponent, times: 1.0 }
    }

    const fn times(times: f64) -> Self {
        Self { exponent: 0, times }
    }
}

/// A binary kilo, 2¹⁰.
const KIBI: f64 = 1024.0;
/// A binary mega, 2²⁰.
const MEBI: f64 = 1_048_576.0;
/// Seconds in a minute, an hour, a day and a year.
const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;
const YEAR: f64 = 365.0 * DAY;
/// Bits in a byte.
const BITS: f64 = 8.0;

/// Returns the factor of a suffix in a unit; `None` if the suffix belongs to another quantity.
pub(super) fn factor(unit: Unit, scale: Scale, suffix: &str) -> Option<Factor> {
    let lower = suffix.to_ascii_lowercase();
    match unit {
        Unit::None => count(scale, without(&lower, &["gpus", "gpu", "×", "x"])),
        Unit::Tokens => tokens(without(&lower, &["tokens", "token", "tok"])),
        Unit::Params | Unit::TrainTokens => {
            let words =
                if unit == Unit::Params { ["parameters", "params", "param"] } else { ["tokens", "token", "tok"] };
            params(without(&lower, &words))
        }
        Unit::Gib => gib(&lower),
        Unit::GbitPerS => bits(rate(suffix), false),
        Unit::GbPerS => bits(rate(suffix), true),
        Unit::Tflops => tflops(&lower),
        Unit::Us => us(&lower),
        Unit::Watt => watts(&lower),
        Unit::DollarsPerHour
        | Unit::GramsPerKwh
        | Unit::Ms
        | Unit::Seconds
        | Unit::Days
        | Unit::Dollars
        | Unit::TokensPerS => {
            (suffix.is_empty() || suffix.eq_ignore_ascii_case(unit_label(unit))).then_some(Factor::ONE)
        }
        Unit::Hours | Unit::Minutes => duration(&lower, if unit == Unit::Hours { HOUR } else { MINUTE }),
        Unit::Percent => matches!(lower.as_str(), "" | "%" | "percent").then_some(Factor::ONE),
    }
}

/// Removes the first of `suffixes` that the text ends with.
fn without<'a>(text: &'a str, suffixes: &[&str]) -> &'a str {
    suffixes.iter().find_map(|suffix| text.strip_suffix(suffix)).unwrap_or(text)
}

fn count(scale: Scale, prefix: &str) -> Option<Factor> {
    match (prefix, scale) {
        ("k", Scale::PowersOfTwo) | ("ki", _) => Some(Factor::times(KIBI)),
        ("m", Scale::PowersOfTwo) | ("mi", _) => Some(Factor::times(MEBI)),
        ("k", _) => Some(Factor::ten_to(3)),
        ("m", _) => Some(Factor::ten_to(6)),
        ("", _) => Some(Factor::ONE),
        _ => None,
    }
}

fn tokens(prefix: &str) -> Option<Factor> {
    count(Scale::PowersOfTwo, prefix)
}

fn params(prefix: &str) -> Option<Factor> {
    match prefix {
        "" => Some(Factor::ONE),
        "k" => Some(Factor::ten_to(3)),
        "m" | "million" => Some(Factor::ten_to(6)),
        "b" | "g" | "bn" | "billion" => Some(Factor::ten_to(9)),
        "t" | "trillion" => Some(Factor::ten_to(12)),
        _ => None,
    }
}

fn gib(lower: &str) -> Option<Factor> {
    match lower {
        "" | "g" | "gb" | "gib" => Some(Factor::ONE),
        "m" | "mb" | "mib" => Some(Factor::times(1.0 / KIBI)),
        "t" | "tb" | "tib" => Some(Factor::times(KIBI)),
        _ => None,
    }
}

/// Removes “per second” from the unit of a rate.
fn rate(suffix: &str) -> &str {
    without(suffix, &["/s", "/sec", "ps", "/S", "PS"])
}

/// Returns the factor of a rate in bits or bytes to Gbit/s, or to GB/s if `field_is_bytes`.
fn bits(unit: &str, field_is_bytes: bool) -> Option<Factor> {
    let mut characters = unit.chars();
    let (exponent, rest) = match characters.next() {
        None => return Some(Factor::ONE),
        Some('k' | 'K') => (-6, characters.as_str()),
        Some('m' | 'M') => (-3, characters.as_str()),
        Some('g' | 'G') => (0, characters.as_str()),
        Some('t' | 'T') => (3, characters.as_str()),
        Some(_) => (-9, unit),
    };
    let lower = unit.to_ascii_lowercase();
    let bytes = match rest {
        "" => field_is_bytes,
        "b" if unit == lower => field_is_bytes,
        "b" | "bit" | "bits" | "Bit" | "Bits" => false,
        "B" | "byte" | "bytes" | "Byte" | "Bytes" => true,
        _ => return None,
    };
    let times = match (bytes, field_is_bytes) {
        (true, false) => BITS,
        (false, true) => 1.0 / BITS,
        _ => 1.0,
    };
    Some(Factor { exponent, times })
}

fn tflops(lower: &str) -> Option<Factor> {
    let prefix = without(without(lower, &["/s"]), &["flops", "flop", "f"]);
    match prefix {
        "" if lower.is_empty() => Some(Factor::ONE),
        "" => Some(Factor::ten_to(-12)),
        "g" => Some(Factor::ten_to(-3)),
        "t" => Some(Factor::ONE),
        "p" => Some(Factor::ten_to(3)),
        "e" => Some(Factor::ten_to(6)),
        _ => None,
    }
}

fn watts(lower: &str) -> Option<Factor> {
    match without(lower, &["watts", "watt", "w"]) {
        "" => Some(Factor::ONE),
        "k" => Some(Factor::ten_to(3)),
        _ => None,
    }
}

fn us(lower: &str) -> Option<Factor> {
    match lower {
        "" | "us" | "µs" | "µsec" | "usec" => Some(Factor::ONE),
        "ns" => Some(Factor::ten_to(-3)),
        "ms" => Some(Factor::ten_to(3)),
        "s" => Some(Factor::ten_to(6)),
        _ => None,
    }
}

/// Returns the factor of a duration to a unit of `unit` seconds.
fn duration(lower: &str, unit: f64) -> Option<Factor> {
    let units = [("", unit), ("s", 1.0), ("min", MINUTE), ("h", HOUR), ("d", DAY), ("days", DAY), ("years", YEAR)];
    units.into_iter().find(|(name, _)| *name == lower).map(|(_, seconds)| Factor::times(seconds / unit))
}
