//! Whole numbers of any length.

use core::cmp::Ordering;

/// Decimal digits that a limb holds.
const LIMB_DIGITS: usize = 9;
/// One more than the largest number of so many digits.
const LIMB_TENS: u64 = 1_000_000_000;
/// The exponent of the largest power of five that a limb holds.
const LIMB_FIVES: u32 = 13;

/// Limbs of 32 bits, the lowest first, without zeros at the end.
#[derive(Clone)]
pub(super) struct Big(Vec<u32>);

impl Big {
    pub(super) fn new(value: u64) -> Self {
        Self(Vec::new()).times_plus(0, (value >> u32::BITS) as u32).times_two_to(u32::BITS).times_plus(1, value as u32)
    }

    /// The number that decimal digits make.
    pub(super) fn from_digits(digits: &[u8]) -> Self {
        digits.chunks(LIMB_DIGITS).fold(Self(Vec::new()), |big, chunk| {
            let (factor, addend) =
                chunk.iter().fold((1, 0), |(factor, value), digit| (10 * factor, 10 * value + u32::from(*digit)));
            big.times_plus(factor, addend)
        })
    }

    /// Times a factor above zero, plus an addend.
    pub(super) fn times_plus(mut self, factor: u32, addend: u32) -> Self {
        let mut carry = addend;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + u64::from(carry);
            *limb = product as u32;
            carry = (product >> u32::BITS) as u32;
        }
        if carry != 0 {
            self.0.push(carry);
        }
        self
    }

    /// Times a power of five.
    pub(super) fn times_five_to(mut self, exponent: u32) -> Self {
        for _ in 0..exponent / LIMB_FIVES {
            self = self.times_plus(5_u32.pow(LIMB_FIVES), 0);
        }
        self.times_plus(5_u32.pow(exponent % LIMB_FIVES), 0)
    }

    /// Times a power of two.
    pub(super) fn times_two_to(self, exponent: u32) -> Self {
        let mut shifted = self.times_plus(1 << (exponent % u32::BITS), 0);
        if !shifted.0.is_empty() {
            shifted.0.splice(0..0, core::iter::repeat_n(0, (exponent / u32::BITS) as usize));
        }
        shifted
    }

    /// The decimal digits, with zeros before them.
    pub(super) fn into_digits(mut self) -> Vec<u8> {
        let mut lowest_first = Vec::new();
        while !self.0.is_empty() {
            let mut rest = 0;
            for limb in self.0.iter_mut().rev() {
                let part = rest << u32::BITS | u64::from(*limb);
                *limb = (part / LIMB_TENS) as u32;
                rest = part % LIMB_TENS;
            }
            while self.0.last() == Some(&0) {
                self.0.pop();
            }
            for _ in 0..LIMB_DIGITS {
                lowest_first.push((rest % 10) as u8);
                rest /= 10;
            }
        }
        lowest_first.reverse();
        lowest_first
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}
