//! Odds that a run fits: a logistic of the GPU's memory over the run's need, between a floor and a
//! ceiling. They alone decide the verdict, everywhere.

mod curve;
mod kind;
mod recorded;

pub use curve::{CEILING, Curve, FLOOR};
pub use kind::{PeakKind, SMALL_USE};

impl PeakKind {
    /// Returns the curve of the odds of fitting over the memory. It is fitted to runs that ran and
    /// runs that failed, for nanotron on its own sweep, for the others on all sources that report
    /// failures, with the middle and the spread of the kind's measured peaks
    /// (`crates/score/src/odds`).
    pub const fn curve(self) -> Curve {
        recorded::curve(self)
    }
}

/// Least odds of the verdict “fits”.
pub const SURE: f64 = 0.8;
/// Odds below which the verdict is “does not fit”. They lie midway between [`FLOOR`] and
/// [`CEILING`], so that a run has them at its curve's [`Curve::half`].
pub const HALF: f64 = f64::midpoint(FLOOR, CEILING);

/// Verdict on whether a run fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// At least [`SURE`] of the runs fit.
    Fits,
    /// Between [`HALF`] and [`SURE`] of the runs fit.
    Tight,
    /// The GPUs have, or may have, enough memory, and the hosts do not. The odds do not express
    /// this, as host memory is a sum and not a prediction.
    HostDoesNotFit,
    /// Fewer than [`HALF`] of the runs fit.
    DoesNotFit,
}

impl Verdict {
    /// Returns the verdict of odds, for the GPUs alone.
    pub fn from_odds(odds: f64) -> Self {
        if odds >= SURE {
            Self::Fits
        } else if odds >= HALF {
            Self::Tight
        } else {
            Self::DoesNotFit
        }
    }

    /// Whether the run fits, surely or tightly.
    pub fn fits(self) -> bool {
        matches!(self, Self::Fits | Self::Tight)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::{MemoryParts, MemoryReport, PeakMoment};
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
            curve: CURVE,
        };
        memory.odds()
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
            [1.0, SURE, 0.79, HALF, 0.49, 0.0].map(|odds| Verdict::from_odds(odds).key()),
            ["fits", "fits", "tight", "tight", "does_not_fit", "does_not_fit"]
        );
        assert_eq!([SURE, HALF], [0.8, 0.5]);
    }

    #[test]
    fn nothing_fits_that_needs_more_than_the_capacity() {
        for kind in PeakKind::ALL {
            let curve = kind.curve();
            assert!(curve.half >= 1.0, "{kind:?}: {curve:?}");
            assert_eq!(curve.odds(curve.half), HALF, "{kind:?}");
            assert_eq!(curve.most_needed(Bytes::new(80.0)) * curve.half, Bytes::new(80.0), "{kind:?}");
        }
        let optimistic = Curve { half: 0.9, ..CURVE };
        assert_eq!(optimistic.most_needed(Bytes::new(80.0)), Bytes::new(80.0));
    }
}
