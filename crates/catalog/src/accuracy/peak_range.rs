//! The range of the predicted peak of memory and the odds of fitting, of each kind of runs.

use super::peak::PeakKind;
use super::recorded::{self, ELSEWHERE};
use super::{Band, both};
use engine::model::memory::odds::Curve;

impl PeakKind {
    /// Returns the range of the peak: about the 10th and the 90th percentile of measured over
    /// predicted peak of all rows of the kind, each source weighing as the square root of its rows
    /// (docs/book/accuracy/ranges.md counts those inside, with the range of the other sources too).
    pub(super) fn band(self) -> Band {
        match self {
            Self::Nanotron => Band { low: 0.91, high: 1.12 },
            Self::Amd => Band { low: 0.96, high: 1.74 },
            Self::DataSheet => both(ALL_ROWS, ELSEWHERE),
            Self::Unmeasured => ALL_ROWS,
            Self::Small => Band { low: 0.99, high: 1.47 },
            Self::Trainers => Band { low: 0.83, high: 1.34 },
            Self::Torchtitan => Band { low: 0.79, high: 1.15 },
            Self::Megatron => Band { low: 0.82, high: 1.17 },
        }
    }

    /// Returns the curve of the odds of fitting over the memory. It is fitted to runs that ran and
    /// runs that failed, for nanotron on its own sweep, for the others on all sources that report
    /// failures, with the middle and the spread of the kind's measured peaks
    /// (`crates/score/src/odds`).
    pub const fn curve(self) -> Curve {
        recorded::curve(self)
    }
}

/// Range of all rows together.
const ALL_ROWS: Band = Band { low: 0.88, high: 1.10 };
