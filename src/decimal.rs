//! Numbers from decimal text and to it, bit for bit as the standard library reads and writes them.
//!
//! Its own reader brings a table of powers that is a twentieth of the page's download. This one multiplies out what is not
//! exact at once; the tests hold it to the standard library's.

mod big;
mod write;

use core::cmp::Ordering;

use big::Big;
use write::Figures;
pub use write::{fixed, plain, shortest, with_exponent};

/// More digits than tell any number from the middle between two: of the rest counts only whether it is nothing.
const MOST_DIGITS: usize = 800;
/// Digits that fit into 64 bits.
const WORD_DIGITS: usize = 19;
/// The largest power of ten that an `f64` holds exactly.
const EXACT_POWER: u32 = 22;
/// Whole numbers up to here are exact.
const EXACT_INTEGER: u64 = 1 << (MANTISSA_BITS + 1);
/// Bits of the mantissa that are stored.
const MANTISSA_BITS: u32 = 52;
/// The exponent of the last bit of the smallest numbers.
const LEAST_EXPONENT: i32 = -1074;
/// With fewer digits than this, numbers beyond this power of ten are zero or infinite.
const EXPONENT_LIMIT: i32 = 100_000_000;

/// The number that text is: digits with at most one point, under a sign, and an exponent after `e`.
///
/// ```
/// assert_eq!(shardwise::decimal::parse("-2.5e-3"), Some(-0.0025));
/// assert_eq!(shardwise::decimal::parse("2.5 GiB"), None);
/// ```
pub fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (figures, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((figures, exponent)) => (figures, power(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = figures.split_once('.').unwrap_or((figures, ""));
    let digits: Option<Vec<u8>> = whole.bytes().chain(fraction.bytes()).map(digit).collect();
    let digits = digits.filter(|digits| !digits.is_empty())?;
    let value = nearest(&digits, exponent.saturating_sub_unsigned(fraction.len() as u32));
    Some(if text.starts_with('-') { -value } else { value })
}

/// A value within two bounds, the lower one where it is no number. ([`f64::clamp`] brings the text of its panic, and with it
/// the standard library's writers of numbers.)
pub fn within(value: f64, low: f64, high: f64) -> f64 {
    value.max(low).min(high)
}

/// A value rounded to significant digits (one at least), a half to even.
///
/// ```
/// assert_eq!(shardwise::decimal::rounded(1234.5, 3), 1230.0);
/// ```
pub fn rounded(value: f64, digits: usize) -> f64 {
    if !value.is_finite() {
        return value;
    }
    Figures::exact(value).rounded(digits.max(1)).value().copysign(value)
}

/// The power of ten at or below the size of a value; zero for what has none.
///
/// ```
/// assert_eq!([0.02, 0.2, 2.0, 20.0].map(shardwise::decimal::exponent), [-2, -1, 0, 1]);
/// ```
pub fn exponent(value: f64) -> i32 {
    if value.is_finite() { Figures::shortest(value).point - 1 } else { 0 }
}

/// The number nearest to `digits` times a power of ten.
///
/// ```
/// assert_eq!(shardwise::decimal::scientific(3, -1), 0.3);
/// ```
pub fn scientific(digits: i64, exponent: i32) -> f64 {
    parse(&format!("{digits}e{exponent}")).unwrap_or(f64::NAN)
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

/// A whole number, or the limit that it exceeds.
fn power(text: &str) -> Option<i32> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let size = unsigned.bytes().try_fold(0, |size, byte| {
        let size = 10 * size + i32::from(digit(byte)?);
        Some(size.min(EXPONENT_LIMIT))
    });
    size.filter(|_| !unsigned.is_empty()).map(|size| if text.starts_with('-') { -size } else { size })
}

/// The number nearest to a whole number times a power of ten, a half to even.
fn nearest(digits: &[u8], power: i32) -> f64 {
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let (_, digits) = digits.split_at_checked(zeros).unwrap_or_default();
    let (head, rest) = digits.split_at_checked(WORD_DIGITS).unwrap_or((digits, &[]));
    let word = head.iter().fold(0, |word, digit| 10 * word + u64::from(*digit));
    let scale = power.saturating_add_unsigned(rest.len() as u32);
    let guess = scaled(word as f64, scale);
    // Where both factors are exact, one operation has rounded once.
    let is_exact = rest.is_empty() && word <= EXACT_INTEGER && scale.unsigned_abs() <= EXACT_POWER;
    // Nothing but zeros, or far from every number.
    let is_plain = word == 0 || scale.unsigned_abs() > 400;
    if is_exact || is_plain { guess } else { corrected(guess, digits, power) }
}

/// A value times a power of ten, rounded once for every 22 of its exponent.
fn scaled(mut value: f64, power: i32) -> f64 {
    let mut left = power.unsigned_abs().min(400);
    while left > 0 {
        let step = left.min(EXACT_POWER);
        let factor = (0..step).fold(1.0, |factor, _| 10.0 * factor);
        value = if power < 0 { value / factor } else { value * factor };
        left -= step;
    }
    value
}

/// Goes from a guess to the number nearest to a whole number times a power of ten.
fn corrected(guess: f64, digits: &[u8], power: i32) -> f64 {
    let (kept, rest) = digits.split_at_checked(MOST_DIGITS).unwrap_or((digits, &[]));
    let (mut number, mut tens) = (Big::from_digits(kept), power.saturating_add_unsigned(rest.len() as u32));
    if rest.iter().any(|digit| *digit != 0) {
        number = number.times_plus(10, 1);
        tens -= 1;
    }
    let number = number.times_five_to(tens.max(0).unsigned_abs());
    let fives = tens.min(0).unsigned_abs();
    // The number against the middle between the one with these bits and the next: whether it rounds up.
    let rounds_up = |bits: u64| {
        let (mantissa, twos) = parts(bits);
        let middle = Big::new(2 * mantissa + 1).times_five_to(fives);
        let twos = tens - (twos - 1);
        let order = if twos < 0 {
            number.compare(&middle.times_two_to(twos.unsigned_abs()))
        } else {
            number.clone().times_two_to(twos.unsigned_abs()).compare(&middle)
        };
        order == Ordering::Greater || order == Ordering::Equal && bits % 2 == 1
    };
    // Numbers above zero are ordered as their bits, and infinity follows the largest.
    let mut bits = guess.min(f64::MAX).to_bits();
    while bits < f64::INFINITY.to_bits() && rounds_up(bits) {
        bits += 1;
    }
    while bits.checked_sub(1).is_some_and(|below| !rounds_up(below)) {
        bits -= 1;
    }
    f64::from_bits(bits)
}

/// A finite number above zero as a whole number times a power of two.
fn parts(bits: u64) -> (u64, i32) {
    let (stored, exponent) = (bits & ((1 << MANTISSA_BITS) - 1), (bits >> MANTISSA_BITS) as i32);
    if exponent == 0 {
        (stored, LEAST_EXPONENT)
    } else {
        (stored | (1 << MANTISSA_BITS), LEAST_EXPONENT - 1 + exponent)
    }
}

#[cfg(test)]
mod tests;
