//! The odds that a run fits: the share of measured peaks that would have been within the capacity, had they been predicted as this
//! one is.

use crate::model::report::MemoryReport;

/// A point of the distribution of measured over predicted peaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// Share of the measurements at or below the ratio, 0 to 1.
    pub share: f64,
    /// Measured over predicted peak.
    pub ratio: f64,
}

/// Odds from which a run is said to fit.
pub const SURE: f64 = 0.9;
/// Odds below which it is said not to fit.
pub const HOPELESS: f64 = 0.1;

/// Whether a run fits, in three words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// At least [`SURE`] of such runs fit.
    Fits,
    /// Some do.
    Tight,
    /// Fewer than [`HOPELESS`] do.
    DoesNotFit,
}

impl Verdict {
    /// The verdict of odds.
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
            Self::DoesNotFit => "does not fit",
        }
    }

    /// The verdict in JSON and CSV.
    pub fn key(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::DoesNotFit => "does_not_fit",
        }
    }
}

/// Returns the share of measurements whose peak is at most the capacity: the distribution at `capacity / needed`, 0 to 1, linear
/// between its points, which go up in both share and ratio.
pub fn fit_odds(memory: &MemoryReport, distribution: &[Quantile]) -> f64 {
    let room = memory.capacity / memory.needed;
    let above = distribution.partition_point(|point| point.ratio <= room);
    let Some(below) = above.checked_sub(1).and_then(|place| distribution.get(place)) else { return 0.0 };
    let Some(next) = distribution.get(above) else { return below.share };
    below.share + (next.share - below.share) * (room - below.ratio) / (next.ratio - below.ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::report::{MemoryParts, PeakMoment};
    use crate::units::Bytes;

    const THREE: [Quantile; 3] =
        [Quantile { share: 0.0, ratio: 0.5 }, Quantile { share: 0.5, ratio: 1.0 }, Quantile { share: 1.0, ratio: 1.5 }];

    fn odds(capacity: f64, peak: f64) -> f64 {
        let [capacity, peak] = [capacity, peak].map(Bytes::new);
        let memory = MemoryReport {
            parts: MemoryParts::default(),
            moment: PeakMoment::Loss,
            allocated: peak,
            peak,
            needed: peak,
            nominal: capacity,
            capacity,
        };
        fit_odds(&memory, &THREE)
    }

    #[test]
    fn odds_are_the_distribution_at_capacity_over_peak() {
        assert_eq!(odds(80.0, 80.0), 0.5);
        assert_eq!(odds(100.0, 80.0), 0.75);
        assert_eq!(odds(60.0, 80.0), 0.25);
        assert_eq!((odds(30.0, 80.0), odds(160.0, 80.0)), (0.0, 1.0));
        assert_eq!(odds(80.0, 0.0), 1.0, "what takes nothing fits");
    }

    #[test]
    fn odds_have_three_words() {
        assert_eq!(
            [1.0, SURE, 0.89, HOPELESS, 0.09, 0.0].map(|odds| Verdict::of(odds).key()),
            ["fits", "fits", "tight", "tight", "does_not_fit", "does_not_fit"]
        );
    }
}
