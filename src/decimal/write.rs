//! Numbers to decimal text, as the standard library writes them.
//!
//! Its own writers are a thirtieth of the page's download, and everything they need to read a number is here already.

use super::big::Big;
use super::{nearest, parts};

/// Significant digits that tell any two `f64` apart.
const MOST: usize = 17;

/// The size of a number in decimal: `0.d₁d₂d₃… × 10^point`, without zeros at either end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) digits: Vec<u8>,
    pub(super) point: i32,
}

impl Figures {
    /// Every digit: a number times a power of two is one times a power of ten, and five times as often of five.
    pub(super) fn exact(value: f64) -> Self {
        let (mantissa, twos) = parts(value.abs().to_bits());
        // Without its zeros at the end most numbers of a figure's axes are short.
        let zeros = mantissa.trailing_zeros() % u64::BITS;
        let (mantissa, twos) = (mantissa >> zeros, twos + zeros.cast_signed());
        let fives = twos.min(0).unsigned_abs();
        let number = Big::new(mantissa).times_five_to(fives).times_two_to(twos.max(0).unsigned_abs());
        let digits = number.into_digits();
        let point = count(digits.len()) - fives.cast_signed();
        Self { digits, point }.trimmed()
    }

    /// The fewest digits that are read back as the same number.
    pub(super) fn shortest(value: f64) -> Self {
        let exact = Self::exact(value);
        let same = |figures: &Self| figures.value() == value.abs();
        // Halves go up here, as in the standard library's shortest digits.
        (1..MOST).map(|count| exact.cut(count, true)).find(same).unwrap_or_else(|| exact.cut(MOST, true))
    }

    /// The first digits, a half to even.
    pub(super) fn rounded(&self, count: usize) -> Self {
        self.cut(count, false)
    }

    /// The first digits, a half upwards or to even.
    fn cut(&self, count: usize, halves_up: bool) -> Self {
        let Some((kept, rest)) = self.digits.split_at_checked(count) else { return self.clone() };
        let is_odd = kept.last().is_some_and(|digit| digit % 2 == 1);
        let up = match rest {
            [5] => halves_up || is_odd,
            [first, ..] => *first >= 5,
            [] => false,
        };
        let (mut digits, mut point) = (kept.to_vec(), self.point);
        if up {
            let nines = digits.iter().rev().take_while(|digit| **digit == 9).count();
            digits.truncate(count - nines);
            if let Some(last) = digits.last_mut() {
                *last += 1;
            } else {
                digits.push(1);
                point += 1;
            }
        }
        Self { digits, point }.trimmed()
    }

    /// The number.
    pub(super) fn value(&self) -> f64 {
        nearest(&self.digits, self.point - count(self.digits.len()))
    }

    fn trimmed(mut self) -> Self {
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= count(zeros);
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 1;
        }
        self
    }

    /// With a point and this many decimals after it, or with as many as there are.
    fn text(&self, decimals: Option<usize>) -> String {
        let (length, whole) = (count(self.digits.len()), self.point.max(1));
        let decimals = decimals.map_or((length - self.point).max(0), count);
        let mut text = String::with_capacity((whole + decimals) as usize + 2);
        for place in self.point - whole..self.point + decimals {
            if place == self.point {
                text.push('.');
            }
            let digit = usize::try_from(place).ok().and_then(|place| self.digits.get(place));
            text.push(char::from(b'0' + digit.copied().unwrap_or(0)));
        }
        text
    }
}

/// A number of digits.
fn count(digits: usize) -> i32 {
    i32::try_from(digits).unwrap_or(i32::MAX)
}

fn signed(value: f64, text: &str) -> String {
    let sign = if value.is_sign_negative() && !value.is_nan() { "-" } else { "" };
    format!("{sign}{text}")
}

fn no_number(value: f64) -> Option<String> {
    if value.is_nan() { Some("NaN".to_owned()) } else { value.is_infinite().then(|| signed(value, "inf")) }
}

/// The shortest decimals that are read back as the same number: `0.1`, `1024`.
///
/// ```
/// assert_eq!(shardwise::decimal::plain(0.1 + 0.2), "0.30000000000000004");
/// ```
pub fn plain(value: f64) -> String {
    no_number(value).unwrap_or_else(|| signed(value, &Figures::shortest(value).text(None)))
}

/// With this many decimals, a half to even.
///
/// ```
/// assert_eq!(shardwise::decimal::fixed(2.25, 1), "2.2");
/// ```
pub fn fixed(value: f64, decimals: usize) -> String {
    no_number(value).unwrap_or_else(|| {
        let exact = Figures::exact(value);
        let kept = usize::try_from(exact.point + count(decimals)).ok();
        // Beyond the first digit there is nothing to round.
        let zero = Figures { digits: Vec::new(), point: 1 };
        signed(value, &kept.map_or(zero, |kept| exact.rounded(kept)).text(Some(decimals)))
    })
}

/// As [`plain`] or as [`with_exponent`], whichever has fewer letters.
///
/// ```
/// assert_eq!([0.5, 1e300].map(shardwise::decimal::shortest), ["0.5", "1e300"]);
/// ```
pub fn shortest(value: f64) -> String {
    let (plain, scientific) = (plain(value), with_exponent(value));
    if plain.len() <= scientific.len() { plain } else { scientific }
}

/// The shortest digits with an exponent: `1.024e3`.
///
/// ```
/// assert_eq!(shardwise::decimal::with_exponent(1024.0), "1.024e3");
/// ```
pub fn with_exponent(value: f64) -> String {
    no_number(value).unwrap_or_else(|| {
        let Figures { digits, point } = Figures::shortest(value);
        let mantissa = Figures { digits, point: 1 }.text(None);
        signed(value, &format!("{mantissa}e{}", point - 1))
    })
}
