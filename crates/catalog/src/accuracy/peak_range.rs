//! The range of the predicted peak of memory, of each kind of runs.

use super::recorded::ELSEWHERE;
use super::{Band, both};
use engine::model::odds::PeakKind;

/// Returns the range of the peak: about the 10th and the 90th percentile of measured over predicted
/// peak of all rows of the kind, each source weighing as the square root of its rows
/// (docs/book/accuracy/ranges.md counts those inside, with the range of the other sources too).
pub(super) fn band(kind: PeakKind) -> Band {
    match kind {
        PeakKind::Nanotron => Band { low: 0.91, high: 1.12 },
        PeakKind::Amd => Band { low: 0.96, high: 1.74 },
        PeakKind::DataSheet => both(ALL_ROWS, ELSEWHERE),
        PeakKind::Unmeasured => ALL_ROWS,
        PeakKind::Small => Band { low: 0.99, high: 1.47 },
        PeakKind::Trainers => Band { low: 0.83, high: 1.34 },
        PeakKind::Torchtitan => Band { low: 0.79, high: 1.15 },
        PeakKind::Megatron => Band { low: 0.82, high: 1.17 },
    }
}

/// Range of all rows together.
const ALL_ROWS: Band = Band { low: 0.88, high: 1.10 };
