//! Rounding to significant decimal digits, and decimal text.
//!
//! Numbers go through decimal text because scaling by powers of ten rounds twice: `3.0 * 0.1` is
//! not `0.3`.

/// Rounds to significant digits (at least one), ties to even.
///
/// ```
/// assert_eq!(engine::digits::rounded(1234.5, 3), 1230.0);
/// ```
pub fn rounded(value: f64, digits: usize) -> f64 {
    let decimals = digits.saturating_sub(1);
    // `inf` and `NaN` parse back as themselves.
    format!("{value:.decimals$e}").parse().unwrap_or(value)
}

/// Returns the exponent of the largest power of ten not above the magnitude of a value; 0 for zero,
/// infinity and NaN.
///
/// ```
/// assert_eq!([0.02, 0.2, 2.0, 20.0].map(engine::digits::exponent), [-2, -1, 0, 1]);
/// ```
pub fn exponent(value: f64) -> i32 {
    format!("{value:e}").rsplit_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// Returns the `f64` nearest to `digits` times a power of ten.
///
/// ```
/// assert_eq!(engine::digits::scientific(3, -1), 0.3);
/// ```
pub fn scientific(digits: i64, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// Writes the shortest text that parses back to the same number: `0.5`, `1e300`.
///
/// ```
/// assert_eq!([0.5, 1e300].map(engine::digits::shortest), ["0.5", "1e300"]);
/// ```
pub fn shortest(value: f64) -> String {
    let (plain, scientific) = (value.to_string(), format!("{value:e}"));
    if plain.len() <= scientific.len() { plain } else { scientific }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_to_the_even_digit_and_what_is_no_number_stays() {
        assert_eq!([0.125, 0.375, -2.5].map(|value| rounded(value, 2)), [0.12, 0.38, -2.5]);
        assert_eq!(rounded(-2.5, 1), -2.0);
        assert_eq!(rounded(9.99, 2), 10.0);
        assert_eq!(rounded(f64::INFINITY, 3), f64::INFINITY);
        assert!(rounded(f64::NAN, 3).is_nan());
        assert_eq!([0.0, f64::INFINITY, f64::NAN].map(exponent), [0, 0, 0]);
    }
}
