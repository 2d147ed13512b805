//! Odds that a run fits: a logistic of the GPU's memory over the run's need, between a floor and a
//! ceiling.

use crate::model::report::MemoryReport;

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

/// Least odds of the verdict “fits”.
pub const SURE: f64 = 0.9;
/// Odds below which the verdict is “does not fit”.
pub const HOPELESS: f64 = 0.1;

/// Verdict on whether a run fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// At least [`SURE`] of the runs fit.
    Fits,
    /// Between [`HOPELESS`] and [`SURE`] of the runs fit.
    Tight,
    /// The GPUs have, or may have, enough memory, and the hosts do not. The odds do not express
    /// this, as host memory is a sum and not a prediction.
    HostDoesNotFit,
    /// Fewer than [`HOPELESS`] of the runs fit.
    DoesNotFit,
}

impl Verdict {
    /// Returns the verdict of odds, for the GPUs alone.
    pub fn from_odds(odds: f64) -> Self {
        if odds >= SURE {
            Self::Fits
        } else if odds >= HOPELESS {
            Self::Tight
        } else {
            Self::DoesNotFit
        }
    }

    /// Returns the verdict as a phrase after the name of a run: `is a tight fit`.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "is a tight fit",
            Self::HostDoesNotFit => "fits the GPUs, not the host",
            Self::DoesNotFit => "does not fit",
        }
    }

    /// Returns the verdict's key in JSON and CSV.
    pub fn key(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::HostDoesNotFit => "host_does_not_fit",
            Self::DoesNotFit => "does_not_fit",
        }
    }
}

/// Returns the odds that the needed memory is within the capacity, on the curve of the run's kind.
pub fn fit_odds(memory: &MemoryReport, curve: Curve) -> f64 {
    if memory.needed.get() <= 0.0 {
        return CEILING;
    }
    curve.odds(memory.capacity / memory.needed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::{MemoryParts, PeakMoment};
    use crate::units::Bytes;

    const CURVE: Curve = Curve { half: 1.25, quarters: 10 };

    fn odds(capacity: f64, needed: f64) -> f64 {
        let [capacity, needed] = [capacity, needed].map(Bytes::new);
        let memory = MemoryReport {
            parts: MemoryParts::default(),
            moment: PeakMoment::Loss,
            allocated: needed,
            peak: needed,
            needed,
            nominal: capacity,
            capacity,
        };
        fit_odds(&memory, CURVE)
    }

    #[test]
    fn odds_are_the_logistic_of_the_logarithm() {
        assert_eq!(odds(100.0, 80.0), 0.5);
        for room in [0.3_f64, 0.9, 1.0, 1.2, 1.4, 3.0] {
            let logistic = 1.0 / (1.0 + (-2.5 * (room / 1.25).ln()).exp());
            assert!((odds(room, 1.0) - (0.02 + 0.96 * logistic)).abs() < 1e-12, "{room}");
        }
        assert_eq!([odds(0.0, 80.0), odds(0.0, 0.0), odds(80.0, 0.0)], [FLOOR, CEILING, CEILING]);
        assert_eq!([f64::NAN, -1.0, 0.0, f64::INFINITY].map(|room| CURVE.odds(room)), [FLOOR, FLOOR, FLOOR, CEILING]);
    }

    #[test]
    fn odds_never_fall_with_more_memory() {
        for quarters in [1, 7, 30, 61, 400] {
            let curve = Curve { half: 1.07, quarters };
            let found: Vec<f64> = (1..4000).map(|step| curve.odds(f64::from(step) * 1e-3)).collect();
            assert!(found.windows(2).all(|pair| pair[0] <= pair[1]), "{quarters}");
            assert!(found.iter().all(|odds| (FLOOR..=CEILING).contains(odds)), "{quarters}");
            assert!(found.first() < found.last(), "{quarters}");
        }
    }

    #[test]
    fn odds_have_three_words() {
        assert_eq!(
            [1.0, SURE, 0.89, HOPELESS, 0.09, 0.0].map(|odds| Verdict::from_odds(odds).key()),
            ["fits", "fits", "tight", "tight", "does_not_fit", "does_not_fit"]
        );
    }
}
