//! The odds that a run fits as a function of the memory: a logistic between a floor and a ceiling.

use crate::units::Bytes;

/// Odds of a run that needs far more than the capacity: assumptions about it may be wrong.
pub const FLOOR: f64 = 0.02;
/// Odds of a run that needs almost nothing: it may fail for other reasons.
pub const CEILING: f64 = 0.98;

/// The odds as a function of the memory, for one kind of runs: fitted to runs that succeeded and
/// runs that failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Ratio of capacity to needed bytes at which half of the runs fit.
    pub half: f64,
    /// Steepness in quarters: the odds against fitting fall with the capacity to the power of
    /// `quarters / 4`.
    pub quarters: u32,
}

impl Curve {
    /// Returns the odds of a run with `room` bytes of capacity for each byte that it needs, from
    /// [`FLOOR`] to [`CEILING`]:
    ///
    /// `odds = floor + (ceiling - floor) / (1 + (half / room)^b)`, `b = quarters / 4`,
    ///
    /// which is `floor + (ceiling - floor) logistic(a + b ln(room))` with `a = -b ln(half)`. NaN
    /// gives the floor.
    pub fn odds(&self, room: f64) -> f64 {
        let against = if room > 0.0 { power(self.half / room, self.quarters) } else { f64::INFINITY };
        FLOOR + (CEILING - FLOOR) / (1.0 + against)
    }

    /// Returns the most that a run may need of a capacity to fit: the need at which [`super::HALF`]
    /// of the runs fit, which is never above the capacity.
    pub fn most_needed(&self, capacity: Bytes) -> Bytes {
        capacity / self.half.max(1.0)
    }

    /// Returns the least capacity on which a run with a need fits: the inverse of
    /// [`Self::most_needed`].
    pub fn least_capacity(&self, needed: Bytes) -> Bytes {
        needed * self.half.max(1.0)
    }
}

/// Returns `base^(quarters / 4)` of a non-negative base, using only square roots and products:
/// every machine rounds them alike, and rounding keeps their order.
fn power(base: f64, quarters: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base.sqrt().sqrt(), quarters);
    while left > 0 {
        if left % 2 == 1 {
            result *= square;
        }
        square *= square;
        left /= 2;
    }
    result
}
