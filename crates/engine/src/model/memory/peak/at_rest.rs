//! Gradients at rest at every point of the step.

use super::in_backward::InBackward;
use super::of_setup::OfSetup;
use super::point::{ByPoint, Ends, Point, Points};
use crate::model::software::RootUnit;
use crate::model::unit_params::Units;

/// The gradients of a stage that are at rest at each point: reduced, until the update.
pub(super) enum GradientsAtRest {
    /// All.
    Whole,
    /// Those alive until their own update in the backward pass.
    InBackward(InBackward),
    /// None before the update: FSDP reduces all units after the last backward pass.
    AtUpdate,
    /// FSDP allocates each unit's shard at its first reduction and frees it after the update.
    ByUnit(Shards),
}

/// The shards of gradients by unit.
pub(super) struct Shards {
    /// Bytes of one layer's.
    layer: f64,
    /// Parameters of the head, if it is a separate unit; and the bytes at rest of one of its
    /// gradients.
    head: f64,
    /// Parameters outside the layers if the embedding is a unit too, whose shard is allocated while
    /// the gradient still exists.
    root: f64,
    of_head: f64,
    /// Whether all gradients are at rest while the image encoder is computed.
    whole_at_tower: bool,
}

impl GradientsAtRest {
    /// Returns the gradients of a stage; `of_trained` is the number of trained parameters of a
    /// layer over the mean of all layers.
    pub(super) fn new(of: &OfSetup<'_>, trained: &Units, in_backward: Option<InBackward>, of_trained: f64) -> Self {
        if let Some(alive) = in_backward {
            return Self::InBackward(alive);
        }
        let by_unit = of.is_fsdp && !of.setup.offload.parameters && !of.is_deepspeed_zero3;
        if by_unit && of.keeps_gathered {
            return Self::AtUpdate;
        }
        // From the second micro-batch on, the shards of the first exist.
        if !by_unit || (of.accumulates && !of.reduces_once) {
            return Self::Whole;
        }
        let bytes = of.bytes.gradients;
        Self::ByUnit(Shards {
            layer: of_trained
                * bytes
                * (trained.layer / of.degrees.gradients + trained.expert / of.expert_degrees.gradients),
            head: if of.root_unit == RootUnit::Head { trained.head } else { 0.0 },
            root: if of.root_unit == RootUnit::Head { trained.root } else { 0.0 },
            of_head: bytes / of.degrees.gradients,
            whole_at_tower: of.passes_tower,
        })
    }

    /// Returns the bytes of gradients at rest, of which all take `whole` and one takes `each`.
    pub(super) fn bytes(&self, points: &Points, whole: f64, each: f64) -> ByPoint {
        match self {
            Self::Whole => ByPoint::all(whole),
            Self::AtUpdate => ByPoint::all(0.0).with(Point::Update, whole),
            Self::InBackward(alive) => ByPoint::all(0.0).plus(each, &alive.by_point()),
            Self::ByUnit(shards) => {
                let Shards { layer, of_head, whole_at_tower, .. } = *shards;
                let sum = ByPoint::all(0.0).plus(layer, &Shards::layers(points)).plus(of_head, &shards.heads());
                sum.with(Point::Update, whole).with_if(whole_at_tower, Point::Tower, whole)
            }
        }
    }

    /// Whether all gradients are at rest, with those of the root unit.
    pub(super) fn are_whole(&self, point: Point) -> bool {
        match self {
            Self::Whole => true,
            Self::AtUpdate => point == Point::Update,
            Self::InBackward(_) => false,
            Self::ByUnit(shards) => shards.are_whole(point),
        }
    }
}

impl Shards {
    pub(super) fn are_whole(&self, point: Point) -> bool {
        point == Point::Update || (point == Point::Tower && self.whole_at_tower)
    }

    /// Returns the layers whose gradients are at rest, but where all gradients are.
    pub(super) fn layers(points: &Points) -> ByPoint {
        let layers = points.layers;
        // The root unit's own gradients are not reduced yet.
        let ends = Ends { embedding: layers, root: layers, ..Ends::default() };
        ByPoint::new(ends, points.left.map(|left| layers - left), points.left.map(|left| layers - left + 1.0))
    }

    /// Returns the head's parameters whose gradients are reduced before those of the root unit.
    pub(super) fn heads(&self) -> ByPoint {
        let ends = Ends { embedding: self.head, root: self.root, ..Ends::default() };
        ByPoint::new(ends, [self.head; 4], [self.head; 4])
    }
}
