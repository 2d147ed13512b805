//! Pipeline bubbles over the micro-batches of one step (docs/book/model/overlap.md).

use super::parallel::Schedule;
use super::stages::ByStage;
use crate::units::Seconds;

/// One stage's times for one micro-batch, including the transfer to its neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Number of stages with these times.
    pub count: f64,
    /// Forward pass.
    pub forward: Seconds,
    /// Backward pass.
    pub backward: Seconds,
    /// Part of both passes that delays other stages when weight gradients fill the bubble.
    pub pipeline_fill: Seconds,
}

impl StageTimes {
    /// Returns the time of both passes.
    pub fn both(&self) -> Seconds {
        self.forward + self.backward
    }
}

/// Returns the bubble, the time in which the slowest stage is idle over one step of
/// `micro_batches`; the stage's own passes take `micro_batches (t_f + t_b)`.
///
/// With even stages it is `(pp-1)(t_f + t_b)` for GPipe (arXiv 1811.06965) and 1F1B, the v-th part
/// of that for v interleaved chunks (arXiv 2104.04473), `(pp-1)(t_f + t_b - 2 t_w)` for ZB-H1 and
/// `(pp-1)(t_f + t_b - 3 t_w)` for ZB-V, with t_w the weight gradients (arXiv 2401.10241); `(pp/2 -
/// 1)(t_f + 2 t_b - 3 t_w)` for `DualPipe` (arXiv 2412.19437, table 2), and for `DualPipeV`, whose
/// pp GPUs hold 2 pp stages of half the time, `(pp - 1)/2` times that. With uneven stages the
/// passes of the other stages replace `pp-1` equal ones; in GPipe each of the two phases is limited
/// by its own slowest stage.
///
/// ```
/// # use engine::model::{parallel::Schedule, pipeline::{bubble, StageTimes}, stages::ByStage};
/// # use engine::units::Seconds;
/// // Eight even stages and 32 micro-batches: the bubble is 7/32 of the passes (arXiv 2104.04473, section 2.2).
/// let stage = StageTimes {
///     count: 8.0, forward: Seconds::from_ms(1.0), backward: Seconds::from_ms(2.0), pipeline_fill: Seconds::from_ms(1.0),
/// };
/// let waits = |schedule| bubble(schedule, 4, 32.0, &ByStage::only(stage)).ms();
/// assert_eq!(waits(Schedule::OneForwardOneBackward) / (32.0 * 3.0), 7.0 / 32.0);
/// assert_eq!(waits(Schedule::Interleaved), waits(Schedule::GPipe) / 4.0);
/// // ZB-H1 fills the bubble with gradients of weights, a third of the passes, twice: a third of 1F1B's is left.
/// assert!((waits(Schedule::ZeroBubble) - 7.0).abs() < 1e-12);
/// ```
pub fn bubble(schedule: Schedule, virtual_stages: u32, micro_batches: f64, stages: &ByStage<StageTimes>) -> Seconds {
    let slowest = slowest(stages);
    let others = sum(stages, StageTimes::both) - slowest.both();
    match schedule {
        Schedule::OneForwardOneBackward => others,
        Schedule::GPipe => {
            let longest = |time: fn(&StageTimes) -> Seconds| stages.iter().map(time).fold(Seconds::ZERO, Seconds::max);
            let forward = longest(|stage| stage.forward) - slowest.forward;
            let backward = longest(|stage| stage.backward) - slowest.backward;
            others + (micro_batches - 1.0) * (forward + backward)
        }
        Schedule::Interleaved => others / f64::from(virtual_stages.max(1)),
        Schedule::DualPipe | Schedule::DualPipeV => {
            let most = stages.iter().map(|stage| stage.pipeline_fill).fold(Seconds::ZERO, Seconds::max);
            let alone = if schedule == Schedule::DualPipe { 2.0 } else { 1.0 };
            (0.5 * (sum(stages, |stage| stage.pipeline_fill) - alone * most)).max(Seconds::ZERO)
        }
        Schedule::ZeroBubble | Schedule::ZeroBubbleV => {
            let most = stages.iter().map(|stage| stage.pipeline_fill).fold(Seconds::ZERO, Seconds::max);
            (sum(stages, |stage| stage.pipeline_fill) - most).max(Seconds::ZERO)
        }
    }
}

/// Returns the stage whose passes take longest, the earliest if several are equal.
pub fn slowest(stages: &ByStage<StageTimes>) -> StageTimes {
    stages.iter().fold(stages.first, |most, stage| if stage.both() > most.both() { *stage } else { most })
}

fn sum(stages: &ByStage<StageTimes>, time: impl Fn(&StageTimes) -> Seconds) -> Seconds {
    stages.iter().map(|stage| stage.count * time(stage)).sum()
}
