//! The memory parts of a stage at every point of a step, and the point at which it peaks.

use super::cache::Alive;
use super::inputs::PeakInputs;
use super::of_setup::OfSetup;
use super::point::{ByPoint, Point};
use super::unreduced::Unreduced;
use crate::model::report::{MemoryPart, MemoryParts, PeakMoment};
use crate::model::stages::Stage;
use crate::model::states::States;
use crate::units::Bytes;

/// The parts that differ from point to point, in bytes.
struct Parts {
    gradients: ByPoint,
    gathered: ByPoint,
    /// The prefetched layer, a part of the gathered weights.
    ahead: ByPoint,
    unreduced: ByPoint,
    activations: ByPoint,
    working_set: ByPoint,
    logits: ByPoint,
    teacher_pass: ByPoint,
    tower: Option<ByPoint>,
}

impl Parts {
    fn new(inputs: &PeakInputs<'_>) -> Self {
        let PeakInputs { of, points, kept, .. } = inputs;
        let (bytes, none) = (&of.bytes, ByPoint::all(0.0));
        let whole = inputs.states.gradients.get();
        let (gathered, ahead) = inputs.gathers.bytes(points);
        let Unreduced { computed, reduced, copied } = inputs.reductions.by_point(points);
        Self {
            gradients: inputs.at_rest.bytes(points, whole, bytes.gradients),
            gathered,
            ahead,
            unreduced: none
                .plus(bytes.gathered, &computed)
                .plus(bytes.reduced, &reduced)
                .plus(bytes.gradients, &copied),
            activations: none.plus(kept.mean, &kept.by_point(points)),
            working_set: inputs.working.by_point(points.left.map(|left| kept.working(left))),
            logits: inputs.logits.by_point(),
            teacher_pass: none.with(Point::Loss, inputs.teacher_pass.get()),
            tower: inputs
                .tower
                .map(|_| ByPoint::from_points(|point| inputs.tower_bytes(point).into_iter().sum::<Bytes>().get())),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &ByPoint> {
        let Self { gradients, gathered, ahead: _, unreduced, activations, working_set, logits, teacher_pass, tower } =
            self;
        [gradients, gathered, unreduced, activations, working_set, logits, teacher_pass].into_iter().chain(tower)
    }

    /// Returns the parts of the allocated memory at a point.
    fn at(&self, inputs: &PeakInputs<'_>, point: Point) -> MemoryParts {
        let of = |part: &ByPoint| Bytes::new(part.at(point));
        MemoryParts::default()
            .with(MemoryPart::Weights, inputs.states.weights)
            .with(MemoryPart::Gradients, of(&self.gradients))
            .with(MemoryPart::Optimizer, inputs.states.optimizer)
            .with(MemoryPart::GatheredWeights, of(&self.gathered))
            .with(MemoryPart::UnreducedGradients, of(&self.unreduced))
            .with(MemoryPart::Activations, of(&self.activations))
            .with(MemoryPart::WorkingSet, of(&self.working_set))
            .with(MemoryPart::Logits, of(&self.logits))
            .with(MemoryPart::Models, inputs.models + of(&self.teacher_pass))
            .with(MemoryPart::Tower, self.tower.as_ref().map_or(Bytes::ZERO, of))
    }
}

/// A stage with the tensors alive on one of its GPUs at its peak.
pub(super) struct StagePeak<'a> {
    pub(super) of: &'a OfSetup<'a>,
    pub(super) stage: &'a Stage,
    pub(super) states: States,
    pub(super) point: Point,
    pub(super) moment: PeakMoment,
    pub(super) alive: Alive,
    pub(super) parts: MemoryParts,
}

impl<'a> PeakInputs<'a> {
    /// Returns the peak of the stage: its parts at the point at which most is allocated.
    pub(super) fn peak(&self) -> StagePeak<'a> {
        let parts = Parts::new(self);
        let always = self.states.weights + self.states.optimizer + self.models;
        let sum = parts.iter().fold(self.absent(), |sum, part| sum.plus(1.0, part));
        let (point, most) = sum.largest();
        // The shards of reduced gradients, and the prefetched layer, are allocated on the streams
        // of FSDP's collectives.
        let on_compute_stream = if self.of.has_streams {
            sum.plus(-1.0, &parts.gradients).plus(-1.0, &parts.ahead).largest().1
        } else {
            most
        };
        let alive = self.alive([most, on_compute_stream].map(|most| always + Bytes::new(most)));
        StagePeak {
            of: self.of,
            stage: self.stage,
            states: self.states,
            point,
            moment: self.moment(point),
            alive,
            parts: parts.at(self, point),
        }
    }
}
