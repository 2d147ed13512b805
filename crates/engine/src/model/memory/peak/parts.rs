//! The memory parts of a stage at every point of a step, and the point at which it peaks.

use super::inputs::PeakInputs;
use super::point::{ByPoint, Peak, Point};
use super::unreduced::Unreduced;
use crate::model::report::{MemoryPart, MemoryParts};
use crate::units::Bytes;

/// The parts that differ from point to point, in bytes.
pub(super) struct Parts {
    gradients: ByPoint,
    gathered: ByPoint,
    /// The prefetched layer, a part of the gathered weights.
    ahead: ByPoint,
    unreduced: ByPoint,
    activations: ByPoint,
    working_set: ByPoint,
    logits: ByPoint,
    tower: Option<ByPoint>,
}

impl Parts {
    pub(super) fn new(inputs: &PeakInputs<'_>) -> Self {
        let PeakInputs { of, points, kept, .. } = inputs;
        let (bytes, none) = (&of.bytes, ByPoint::all(0.0));
        let whole = inputs.states.gradients.get();
        let (gathered, ahead) = inputs.gathers.bytes(points);
        let Unreduced { computed, reduced, copied } = inputs.reductions.by_point(of, &inputs.stage.params, points);
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
            tower: inputs
                .tower
                .map(|_| ByPoint::from_points(|point| inputs.tower_bytes(point).into_iter().sum::<Bytes>().get())),
        }
    }

    /// Returns the point at which most is allocated.
    pub(super) fn peak(&self, inputs: &PeakInputs<'_>) -> Peak {
        let always = inputs.states.weights + inputs.states.optimizer + inputs.models;
        let mut sum = inputs.absent();
        for part in
            [&self.gradients, &self.gathered, &self.unreduced, &self.activations, &self.working_set, &self.logits]
                .into_iter()
                .chain(&self.tower)
        {
            sum = sum.plus(1.0, part);
        }
        let (point, most) = sum.largest();
        // The shards of reduced gradients, and the prefetched layer, are allocated on the streams
        // of FSDP's collectives.
        let on_compute_stream = if inputs.of.has_streams {
            sum.plus(-1.0, &self.gradients).plus(-1.0, &self.ahead).largest().1
        } else {
            most
        };
        Peak {
            point,
            moment: inputs.moment(point),
            allocated: always + Bytes::new(most),
            compute: always + Bytes::new(on_compute_stream),
        }
    }

    /// Returns the bytes of activations kept at a point.
    pub(super) fn activations(&self, point: Point) -> f64 {
        self.activations.at(point)
    }

    /// Returns the parts of the allocated memory at a point.
    pub(super) fn at(&self, inputs: &PeakInputs<'_>, point: Point) -> MemoryParts {
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
            .with(MemoryPart::Models, inputs.models)
            .with(MemoryPart::Tower, self.tower.as_ref().map_or(Bytes::ZERO, of))
    }
}
