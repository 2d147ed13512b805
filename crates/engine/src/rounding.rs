//! Rounds numbers in sentences to the side on which the sentence stays true.

use crate::digits;

/// Significant digits of a number in a sentence.
const DIGITS: u8 = 3;
/// Whole numbers below this value are written exactly.
pub const EXACT: f64 = 1000.0;

/// Rounds to three significant digits.
pub fn nearest(value: f64) -> f64 {
    digits::rounded(value, usize::from(DIGITS))
}

/// Rounds down to three significant digits (for positive numbers).
pub fn down(value: f64) -> f64 {
    let near = nearest(value);
    if near <= value { near } else { nearest(near - step(value)) }
}

/// Rounds up to three significant digits (for positive numbers).
pub fn up(value: f64) -> f64 {
    let near = nearest(value);
    if near >= value { near } else { nearest(near + step(value)) }
}

/// Rounds a whole number for a sentence: exact below a thousand, otherwise down to three digits.
pub fn said_down(value: f64) -> f64 {
    if value < EXACT { value } else { down(value) }
}

/// Returns the value of one unit in the third significant digit.
fn step(value: f64) -> f64 {
    digits::scientific(1, digits::exponent(value) + 1 - i32::from(DIGITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_side_on_which_the_sentence_stays_true() {
        assert_eq!((down(14_289.0), up(14_211.0)), (14_200.0, 14_300.0));
        assert_eq!((down(8192.0), up(8192.0)), (8190.0, 8200.0));
        assert_eq!((down(0.999_9), up(999.9)), (0.999, 1000.0));
        assert_eq!((down(200.0), up(200.0)), (200.0, 200.0));
    }
}
