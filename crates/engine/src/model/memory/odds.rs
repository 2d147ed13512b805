//! The odds that a run fits: a logistic of the GPU's memory over what the run needs, between a
//! floor and a ceiling.

use crate::model::report::MemoryReport;

/// Odds of a run that needs far more than there is: what was assumed of it may be wrong.
pub const FLOOR: f64 = 0.02;
/// Odds of a run that needs next to nothing: it may fail of something else.
pub const CEILING: f64 = 0.98;

/// How the odds rise with the memory, of one kind of runs: fitted to runs that ran and to runs that
/// failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Capacity over needed bytes at which half of such runs fit.
    pub half: f64,
    /// Steepness in quarters: the odds against fitting fall as the capacity to the power of a
    /// quarter of it.
    pub quarters: u32,
}

impl Curve {
    /// Returns the odds of a run with so much capacity for each byte that it needs, [`FLOOR`] to
    /// [`CEILING`]:
    ///
    /// `odds = floor + (ceiling - floor) / (1 + (half / room)^b)`, `b = quarters / 4`,
    ///
    /// which is `floor + (ceiling - floor) logistic(a + b ln(room))` with `a = -b ln(half)`. Room
    /// of NaN has the floor.
    pub fn odds(&self, room: f64) -> f64 {
        let against = if room > 0.0 { power(self.half / room, self.quarters) } else { f64::INFINITY };
        FLOOR + (CEILING - FLOOR) / (1.0 + against)
    }
}

/// Returns `base^(quarters / 4)` of a base that is not negative, by square roots and products
/// alone: every machine rounds them alike, and rounding keeps their order.
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

/// Odds from which a run is said to fit.
pub const SURE: f64 = 0.9;
/// Odds below which it is said not to fit.
pub const HOPELESS: f64 = 0.1;

/// Whether a run fits, in a word or some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// At least [`SURE`] of such runs fit.
    Fits,
    /// Some do.
    Tight,
    /// Its GPUs have the memory, or may have it, and its hosts have not: no odds say so, as what a
    /// host needs is a sum and no prediction.
    HostDoesNotFit,
    /// Fewer than [`HOPELESS`] do.
    DoesNotFit,
}

impl Verdict {
    /// The verdict of odds, on the GPUs alone.
    pub fn of(odds: f64) -> Self {
        if odds >= SURE {
            Self::Fits
        } else if odds >= HOPELESS {
            Self::Tight
        } else {
            Self::DoesNotFit
        }
    }

    /// The verdict after the name of a run: `is a tight fit`.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "is a tight fit",
            Self::HostDoesNotFit => "fits the GPUs, not the host",
            Self::DoesNotFit => "does not fit",
        }
    }

    /// The verdict in JSON and CSV.
    pub fn key(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::HostDoesNotFit => "host_does_not_fit",
            Self::DoesNotFit => "does_not_fit",
        }
    }
}

/// Returns the odds that what a run needs is within the capacity, on the curve of its kind.
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
            [1.0, SURE, 0.89, HOPELESS, 0.09, 0.0].map(|odds| Verdict::of(odds).key()),
            ["fits", "fits", "tight", "tight", "does_not_fit", "does_not_fit"]
        );
    }
}
