//! The decimal digits of a typed number, which are rounded to binary only once.

use super::suffix::Factor;

/// Decimal exponents beyond this limit mean zero or infinity.
const EXPONENT_LIMIT: i64 = 100_000;

/// A decimal number before rounding to binary, so that `1.3B` equals `1300000000`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Digits {
    /// Sign, digits and point.
    mantissa: String,
    /// Power of ten.
    exponent: i64,
}

impl Digits {
    /// Returns the value times the factor of a unit; infinite if it exceeds the range of `f64`.
    pub(super) fn scaled(&self, factor: Factor) -> f64 {
        let exponent = (self.exponent + i64::from(factor.exponent)).clamp(-EXPONENT_LIMIT, EXPONENT_LIMIT);
        let value = format!("{}e{exponent}", self.mantissa).parse().unwrap_or(f64::NAN);
        value * factor.times
    }
}

/// Removes separators between digits (spaces of every width, underscores, apostrophes) and unifies
/// variants of signs.
pub(super) fn compact(text: &str) -> String {
    text.chars()
        .filter(|&c| !c.is_whitespace() && !matches!(c, '_' | '\'' | '’' | '\u{200b}' | '\u{2060}' | '\u{feff}'))
        .map(|c| match c {
            '−' | '–' => '-',
            'μ' => 'µ',
            _ => c,
        })
        .collect()
}

/// Splits compact text into a number and the rest; `None` if it does not start with a number.
pub(super) fn split(compact: &str) -> Option<(Digits, String)> {
    let unsigned = compact.trim_start_matches(['+', '-']);
    let sign = match compact.strip_suffix(unsigned)? {
        "" | "+" => "",
        "-" => "-",
        _ => return None,
    };
    let (figures, rest) = split_where(unsigned, |c| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let (exponent, suffix) = exponent(rest);
    let mantissa = format!("{sign}{}", point(figures)?);
    Some((Digits { mantissa, exponent }, suffix.trim_start_matches('+').to_owned()))
}

/// Splits text before the first character for which `ends` holds.
fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.find(ends).and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""))
}

/// Splits off a leading exponent such as `e9`, `e-3` or `E+6`; an `e` without digits is not an
/// exponent.
fn exponent(rest: &str) -> (i64, &str) {
    let Some(after) = rest.strip_prefix(['e', 'E']) else { return (0, rest) };
    let (negative, digits) = match after.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, after.strip_prefix('+').unwrap_or(after)),
    };
    let (digits, suffix) = split_where(digits, |c| !c.is_ascii_digit());
    if digits.is_empty() {
        return (0, rest);
    }
    let size = digits.parse::<i64>().unwrap_or(EXPONENT_LIMIT).min(EXPONENT_LIMIT);
    (if negative { -size } else { size }, suffix)
}

/// Converts digits to a number with a decimal point: commas before groups of three digits separate
/// thousands, any other single comma is a decimal point.
fn point(figures: &str) -> Option<String> {
    if !figures.bytes().any(|byte| byte.is_ascii_digit()) || figures.matches('.').count() > 1 {
        return None;
    }
    let (whole, fraction) = figures.split_once('.').map_or((figures, None), |(whole, rest)| (whole, Some(rest)));
    if fraction.is_some_and(|fraction| fraction.contains(',')) {
        return None;
    }
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let later: Vec<&str> = groups.collect();
    if later.is_empty() {
        return Some(figures.to_owned());
    }
    let thousands = (1..=3).contains(&first.len()) && first != "0" && later.iter().all(|group| group.len() == 3);
    match (thousands, later.as_slice(), fraction) {
        (true, _, fraction) => Some(format!("{first}{}.{}", later.concat(), fraction.unwrap_or("0"))),
        (false, [decimals], None) => Some(format!("{first}.{decimals}")),
        _ => None,
    }
}
