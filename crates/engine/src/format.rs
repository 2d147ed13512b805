//! Formats results for people: three significant digits, then a thin space and the unit. NaN and
//! infinity become a dash with the reason, never `NaN` or `inf`.

use crate::digits::{exponent, rounded};
use crate::params::Unit;
use crate::params::quantity::{group_thousands, unit_label, with_unit};
use crate::scenario::data::Length;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};
use core::borrow::Borrow;

/// A thin space, between a number and its unit.
pub const THIN_SPACE: char = '\u{2009}';
/// The minus sign of typeset numbers.
pub const MINUS: char = '−';

/// Significant digits of every result.
const DIGITS: usize = 3;
/// Decimals that give a number from 1 to 10 three significant digits.
const DECIMALS_BELOW_TEN: i32 = 2;
/// Percent in one.
const PERCENT: f64 = 100.0;
/// The factor between decimal prefixes.
const KILO: f64 = 1e3;
/// The factor between binary prefixes.
const KIBI: f64 = 1024.0;

/// Formats memory: `38.2 GiB`, `512 MiB`, `7.02 TiB`.
pub fn bytes(value: Bytes) -> String {
    if value == Bytes::ZERO {
        return format!("0{THIN_SPACE}GiB");
    }
    prefixed(value.gib() / KIBI, KIBI, &["TiB", "GiB", "MiB", "KiB", "bytes"])
}

/// Formats a part of a whole, writing a common unit once: `32.3 of 39.5 GiB`.
pub fn bytes_of(part: Bytes, whole: Bytes) -> String {
    let [part, whole] = [part, whole].map(bytes);
    let unit = whole.find(THIN_SPACE).and_then(|at| whole.get(at..)).unwrap_or("");
    format!("{} of {whole}", part.strip_suffix(unit).unwrap_or(&part))
}

/// Formats the memory that a run needs of a host's: `1,480 of 1,000 GiB`. The need is rounded up
/// and the capacity down, so that a shortage never reads as equal.
pub fn host_memory(needed: Bytes, capacity: Bytes) -> String {
    let [needed, capacity] = [needed.gib().ceil(), capacity.gib().floor()].map(count);
    format!("{needed} of {capacity}{THIN_SPACE}GiB")
}

/// Writes by how much a run misses its GPUs: `44.6 GiB missing` or, if it needs less than they have
/// and yet does not fit, `41 % of such runs fit`.
pub fn shortage(headroom: Bytes, share: f64) -> String {
    if headroom < Bytes::ZERO {
        format!("{} missing", bytes(-headroom))
    } else {
        format!("{} of such runs fit", odds(share))
    }
}

/// Formats the odds that a run fits: `91 %`, `over 98 %`, `under 5 %`. Percentages beyond those
/// would claim more certainty than the measurements support.
pub fn odds(share: f64) -> String {
    const ENDS: [f64; 2] = [0.05, 0.98];
    let whole = |share: f64| format!("{:.0}{THIN_SPACE}%", PERCENT * share);
    let [least, most] = ENDS;
    if share < least {
        format!("under {}", whole(least))
    } else if share > most {
        format!("over {}", whole(most))
    } else {
        whole(share)
    }
}

/// Formats the usable part of a GPU's memory: `79.1 GiB usable (of 80 GiB)`, or `40.0 GiB` where
/// all of the memory is usable.
pub fn usable(usable: Bytes, nominal: Bytes) -> String {
    if usable == nominal {
        return bytes(nominal);
    }
    format!("{} usable (of {})", bytes(usable), value(Unit::Gib, nominal.gib()))
}

/// Formats a time: `4.21 s`, `87.3 ms`, `12.0 µs`.
pub fn seconds(value: Seconds) -> String {
    prefixed(value.get(), KILO, &["s", "ms", "µs", "ns"])
}

/// Formats a long time: `45.0 s`, `12.5 min`, `3.00 h`, `54.0 days`, `2.50 years`.
pub fn duration(value: Seconds) -> String {
    const UNITS: [(f64, &str); 4] = [(365.0, "years"), (1.0, "days"), (1.0 / 24.0, "h"), (1.0 / 1440.0, "min")];
    // A unit is used from two upwards, so that a day and a half is 36 h.
    let long = UNITS.into_iter().find(|&(unit, _)| value.days() >= 2.0 * unit && value.days() < f64::INFINITY);
    long.map_or_else(|| seconds(value), |(days, unit)| format!("{}{THIN_SPACE}{unit}", digits(value.days() / days)))
}

/// Formats throughput: `3,850 tokens/s`, and `1.23 M tokens/s` from a million on.
pub fn tokens_per_s(value: f64) -> String {
    rising(value, 1e6, &["tokens/s", "M\u{2009}tokens/s", "G\u{2009}tokens/s"])
}

/// Formats a fraction of one in percent: `43.2 %`.
pub fn percent(fraction: f64) -> String {
    prefixed(fraction * PERCENT, KILO, &["%"])
}

/// Formats a number of parameters without trailing zeros, as models are named: `13B`, `6.74B`,
/// `125M`.
pub fn params(value: f64) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")];
    if let Some(reason) = no_number(value) {
        return reason;
    }
    let value = rounded(value, DIGITS);
    let (scale, prefix) = PREFIXES.into_iter().find(|&(scale, _)| value.abs() >= scale).unwrap_or((1.0, ""));
    trimmed(&digits(value / scale)) + prefix
}

/// Formats a number of tokens in a sentence: exact below 10,000, then `524k`, `1.05M`.
pub fn tokens(value: f64) -> String {
    const EXACT: f64 = 1e4;
    if value.abs() < EXACT { count(value.round()) } else { params(value).replace('K', "k") }
}

/// Formats a network link rate: `200 Gbit/s`.
pub fn gbit_per_s(value: BytesPerSecond) -> String {
    prefixed(value.gbit_per_s(), KILO, &["Gbit/s", "Mbit/s"])
}

/// Formats a memory or NVLink rate: `1,560 GB/s`.
pub fn gb_per_s(value: BytesPerSecond) -> String {
    prefixed(value.gb_per_s(), KILO, &["GB/s", "MB/s"])
}

/// Formats a compute rate: `312 TFLOP/s`.
pub fn tflops(value: FlopsPerSecond) -> String {
    prefixed(value.tflops(), KILO, &["TFLOP/s", "GFLOP/s"])
}

/// Formats US dollars: `$45.2`, `$1,230`, `$1.20 million`.
pub fn dollars(value: f64) -> String {
    format!("${}", rising(value, 1e6, &["", "million", "billion"]))
}

/// Formats a count or ratio: `1,024`, `0.0312`, `5.00`; whole numbers below 1,000 have no decimals.
pub fn count(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < KILO * KILO {
        return minus(&group_thousands(&value.to_string()));
    }
    no_number(value).unwrap_or_else(|| digits(value))
}

/// Formats a number of GPUs: `1 GPU`, `1,024 GPUs`.
pub fn gpus(number: u32) -> String {
    let name = if number == 1 { "GPU" } else { "GPUs" };
    format!("{} {name}", count(f64::from(number)))
}

/// Formats dollars in a narrow column: `$208k`, `$1.30M`, `$99.0`.
///
/// ```
/// use engine::format::short_dollars;
///
/// assert_eq!([208_000.0, 1.3e6, 5e6, 99.0].map(short_dollars), ["$208k", "$1.3M", "$5M", "$99"]);
/// ```
pub fn short_dollars(value: f64) -> String {
    format!("${}", params(value).replace('K', "k"))
}

/// Formats a value in the unit of a parameter or axis, without trailing zeros: `80 GiB`, `8,192
/// tokens`, `13B`.
pub fn value(unit: Unit, value: f64) -> String {
    if let Some(reason) = no_number(value) {
        return reason;
    }
    match unit {
        Unit::Params => params(value),
        Unit::Seconds => seconds(Seconds::new(value)),
        Unit::Dollars => dollars(value),
        Unit::TokensPerS => tokens_per_s(value),
        // Whole tokens and GPUs are exact: 8,192 is a different setting from 8,190.
        Unit::None | Unit::Tokens if value.fract() == 0.0 => minus(&with_unit(unit, value)),
        _ => {
            let number = trimmed(&digits(value));
            match unit_label(unit) {
                "" => number,
                label => format!("{number}{THIN_SPACE}{label}"),
            }
        }
    }
}

/// Formats a tick of an axis as briefly as possible: `8k` tokens, `13B`, `80`. The axis shows the
/// unit.
pub fn tick(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Tokens if value >= KIBI * KIBI && (value / (KIBI * KIBI)).fract() == 0.0 => {
            (value / (KIBI * KIBI)).to_string() + "M"
        }
        Unit::Tokens if value >= KIBI && (value / KIBI).fract() == 0.0 => (value / KIBI).to_string() + "k",
        Unit::Dollars => short_dollars(value),
        Unit::Params | Unit::TokensPerS | Unit::TrainTokens => params(value),
        Unit::None | Unit::Tokens if value.fract() == 0.0 => minus(&group_thousands(&value.to_string())),
        _ => no_number(value).unwrap_or_else(|| trimmed(&digits(value))),
    }
}

/// Joins names for a sentence.
///
/// ```
/// use engine::format::listed;
///
/// assert_eq!(listed(&["A", "B", "C"]), "A, B and C");
/// assert_eq!((listed(&["A"]), listed::<&str>(&[])), ("A".to_owned(), String::new()));
/// ```
pub fn listed<Name: Borrow<str>>(names: &[Name]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {}", before.join(", "), last.borrow()),
        _ => names.concat(),
    }
}

/// Formats a range, with a common unit written once: `1.96–2.77 s`, `950 ms–1.10 s`.
pub fn range(low: &str, high: &str) -> String {
    let unit = |text: &'_ str| text.find(THIN_SPACE).map_or("", |at| text.get(at..).unwrap_or_default()).to_owned();
    let number = low.strip_suffix(&unit(high)).unwrap_or(low);
    format!("{number}–{high}")
}

/// Formats a change with its sign, using one of the functions above: `+1.20 GiB`, `−340 tokens/s`,
/// `±0 s`.
///
/// ```
/// use engine::format::{bytes, delta};
/// use engine::units::Bytes;
///
/// assert_eq!(delta(Bytes::from_gib(1.2).get(), |change| bytes(Bytes::new(change))), "+1.20\u{2009}GiB");
/// ```
pub fn delta(change: f64, format: impl Fn(f64) -> String) -> String {
    if no_number(change).is_some() {
        return format(change);
    }
    let size = format(change.abs());
    match change {
        change if change > 0.0 => format!("+{size}"),
        change if change < 0.0 => format!("{MINUS}{size}"),
        _ => format!("±{size}"),
    }
}

/// Formats a change of a fraction in percentage points: `+3.20 points`.
pub fn delta_points(change: f64) -> String {
    delta(change, |change| prefixed(change * PERCENT, KILO, &["points"]))
}

/// Returns the dash and the reason for NaN and infinity; `None` for a finite number.
fn no_number(value: f64) -> Option<String> {
    if value.is_nan() {
        Some("– (undefined)".to_owned())
    } else if value.is_infinite() {
        Some("– (unlimited)".to_owned())
    } else {
        None
    }
}

/// Formats a value in the first unit in which it is at least one; each unit is smaller than the
/// previous one by `factor`.
fn prefixed(value: f64, factor: f64, units: &[&str]) -> String {
    if let Some(reason) = no_number(value) {
        return reason;
    }
    let mut number = value;
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    for smaller in units {
        if rounded(number, DIGITS).abs() >= 1.0 || number == 0.0 {
            break;
        }
        number *= factor;
        unit = smaller;
    }
    format!("{}{THIN_SPACE}{unit}", digits(number))
}

/// Formats a value in the largest unit that leaves at least one. The second unit is `from` times
/// the first, each further unit 1,000 times the previous one.
pub fn rising(value: f64, from: f64, units: &[&str]) -> String {
    if let Some(reason) = no_number(value) {
        return reason;
    }
    let mut number = value;
    let mut unit = units.first().copied().unwrap_or_default();
    let mut factor = from;
    for larger in units.iter().skip(1) {
        if rounded(number, DIGITS).abs() < factor {
            break;
        }
        number /= factor;
        factor = KILO;
        unit = larger;
    }
    format!("{}{THIN_SPACE}{unit}", digits(number)).trim_end().to_owned()
}

/// Formats three significant digits with thousands separators: `0`, `0.0123`, `1.50`, `12.3`,
/// `123`, `12,300`.
fn digits(value: f64) -> String {
    let value = rounded(value, DIGITS);
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = exponent(value);
    let decimals = usize::try_from(DECIMALS_BELOW_TEN - exponent).unwrap_or(0);
    minus(&group_thousands(&format!("{value:.decimals$}")))
}

/// Removes trailing zeros after the decimal point.
fn trimmed(number: &str) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number.to_owned() }
}

/// Replaces the hyphen with the typeset minus sign.
fn minus(number: &str) -> String {
    number.replacen('-', "−", 1)
}

/// `1T tokens`, `10,000 texts x 3 epochs`, `1,000 steps`.
impl core::fmt::Display for Length {
    fn fmt(&self, out: &mut core::fmt::Formatter) -> core::fmt::Result {
        match *self {
            Self::Tokens(tokens) => write!(out, "{} tokens", params(tokens)),
            Self::Texts(texts, epochs) => {
                write!(out, "{} texts x {epochs} epoch{}", count(texts), if epochs == 1.0 { "" } else { "s" })
            }
            Self::Steps(steps) => write!(out, "{} steps", count(steps)),
        }
    }
}

#[cfg(test)]
mod tests;
