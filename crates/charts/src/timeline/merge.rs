//! Merges spans too short to be visible into one mark, so that a step of any length fits into a
//! figure.

use super::Mark;
use engine::model::report::Lane;
use engine::units::Seconds;

/// Takes marks in order of their start on each lane, and merges those that cannot be distinguished.
#[derive(Clone, Debug)]
pub struct Merger {
    from: Seconds,
    to: Seconds,
    /// Shortest visible length of a mark or a gap.
    seen: Seconds,
    open: [Option<Mark>; Lane::ALL.len()],
    marks: Vec<Mark>,
}

impl Merger {
    /// Creates a merger for marks between two times.
    pub fn new(from: Seconds, to: Seconds, seen: Seconds) -> Self {
        Self { from, to, seen, open: [None; Lane::ALL.len()], marks: Vec::new() }
    }

    /// Adds a mark.
    pub fn push(&mut self, mark: &Mark) {
        if mark.end <= self.from || mark.start >= self.to {
            return;
        }
        let Some(open) = self.open.get_mut(mark.lane as usize) else { return };
        let taken = open.as_mut().is_some_and(|open| take(open, mark, self.seen));
        if !taken && let Some(whole) = open.replace(*mark) {
            self.marks.push(whole);
        }
    }

    /// Returns all marks.
    pub fn finish(mut self) -> Vec<Mark> {
        self.marks.extend(self.open.into_iter().flatten());
        self.marks
    }
}

/// Merges a mark into the previous one on its lane if neither is visible by itself, or if one kind
/// of work continues in spans that are not visible. Returns whether the marks were merged.
fn take(open: &mut Mark, mark: &Mark, seen: Seconds) -> bool {
    let narrow = |mark: &Mark| mark.length() < seen;
    let fine = |mark: &Mark| mark.spans > 1 || narrow(mark);
    let goes_on = open.parts.iter().zip(mark.parts).all(|(own, more)| *own > Seconds::ZERO || more <= Seconds::ZERO)
        && open.micro_batches.1 == mark.micro_batches.0;
    let joins = fine(open)
        && fine(mark)
        && mark.start - open.end < seen
        && (narrow(open) && narrow(mark) || goes_on && (narrow(open) || narrow(mark)));
    if !joins {
        return false;
    }
    for (own, more) in open.parts.iter_mut().zip(mark.parts) {
        *own += more;
    }
    open.end = mark.end;
    let both = open.layers.zip(mark.layers);
    open.layers = both.map(|((first, last), (other, end))| (first.min(other), last.max(end)));
    open.micro_batches.1 = mark.micro_batches.1;
    open.spans = open.spans.saturating_add(mark.spans);
    open.amount = open.amount.zip(mark.amount).and_then(|(own, more)| own.plus(more));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::model::report::{Span, Work};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::cases(256))]

        #[test]
        fn no_time_is_lost_and_marks_that_follow_each_other_can_be_seen(
            spans in proptest::collection::vec((0..4_usize, 0.0..3.0, 0.0..3.0_f64, 0..3_u32), 1..80),
        ) {
            let mut merger = Merger::new(Seconds::ZERO, Seconds::new(1e9), Seconds::new(1.0));
            let (mut now, mut sum, mut micro_batch) = (0.0, 0.0, 0);
            for (work, idle, time, more) in spans {
                let start = now + idle;
                now = start + time;
                sum += time;
                micro_batch += more / 2;
                merger.push(&Mark::from_span(&Span {
                    lane: Lane::Compute, work: Work::ALL[work], layer: None, micro_batch,
                    start: Seconds::new(start), end: Seconds::new(now), amount: None,
                }));
            }
            let marks = merger.finish();
            let kept: f64 = marks.iter().flat_map(Mark::parts).map(|(_, time)| time.get()).sum();
            prop_assert!((kept - sum).abs() < 1e-9);
            prop_assert!(marks.iter().all(|mark| mark.spans > 1 || mark.parts().len() <= 1));
            for pair in marks.windows(2) {
                let apart = pair[1].start - pair[0].end;
                prop_assert!(apart.get() > -1e-9);
                let length = pair[0].length() + pair[1].length() + apart;
                prop_assert!(length.get() >= 1.0, "{pair:?}");
            }
        }
    }
}
