//! Significant decimal digits: rounding to them, and numbers with few of them.
//!
//! Through decimal text, because scaling by powers of ten rounds twice: `3.0 * 0.1` is not `0.3`.

/// A value rounded to significant digits (at least one), a half to even.
///
/// ```
/// assert_eq!(engine::digits::rounded(1234.5, 3), 1230.0);
/// ```
pub fn rounded(value: f64, digits: usize) -> f64 {
    let decimals = digits.saturating_sub(1);
    // `inf` and `NaN` are read back as themselves.
    format!("{value:.decimals$e}").parse().unwrap_or(value)
}

/// The power of ten at or below the size of a value; 0 for zero, infinity and NaN.
///
/// ```
/// assert_eq!([0.02, 0.2, 2.0, 20.0].map(engine::digits::exponent), [-2, -1, 0, 1]);
/// ```
pub fn exponent(value: f64) -> i32 {
    format!("{value:e}").rsplit_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// The number nearest to `digits` times a power of ten.
///
/// ```
/// assert_eq!(engine::digits::scientific(3, -1), 0.3);
/// ```
pub fn scientific(digits: i64, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The fewest characters that are read back as the same number: `0.5`, `1e300`.
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
