//! Time by kind of work over a whole step.

use super::playback::Playback;
use crate::model::report::{Lane, Span, Work};
use crate::units::Seconds;

/// Returns the time by kind of work over the whole step, and the lanes with any span. Identical
/// micro-batches are played once.
pub fn time_by_work(playback: &Playback) -> ([Seconds; Work::ALL.len()], [bool; Lane::ALL.len()]) {
    let mut sums = [Seconds::ZERO; Work::ALL.len()];
    let mut lanes = [false; Lane::ALL.len()];
    let mut add = |span: Span, times: f64| {
        if let (Some(sum), Some(lane)) = (sums.get_mut(span.work as usize), lanes.get_mut(span.lane as usize)) {
            *sum += times * (span.end - span.start);
            *lane = true;
        }
    };
    let all = playback.micro_batches();
    let kinds = [(0, 1), (1, all.saturating_sub(2)), (all.saturating_sub(1), u32::from(all > 1))];
    for (micro_batch, times) in kinds.into_iter().filter(|kind| kind.1 > 0) {
        playback.micro_batch(micro_batch, &mut |span| add(span, f64::from(times)));
    }
    (sums, lanes)
}
