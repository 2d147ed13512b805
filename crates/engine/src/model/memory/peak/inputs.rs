//! The sizes of a stage from which its memory at every point of a step is computed.

use super::at_rest::GradientsAtRest;
use super::gathers::Gathers;
use super::in_backward::InBackward;
use super::kept::KeptActivations;
use super::messages::message_buffers;
use super::of_setup::{OfLayers, OfSetup};
use super::point::{ByPoint, Ends, Point, Points};
use super::unreduced::{Reductions, whole_table};
use super::working_set::{LogitBytes, WorkingSet};
use crate::model::memory::other_models::OtherModels;
use crate::model::memory::teacher;
use crate::model::memory::tower::TowerMemory;
use crate::model::report::PeakMoment;
use crate::model::software::RootUnit;
use crate::model::stages::Stage;
use crate::model::states::{States, base, gpu_states};
use crate::model::training::{Reshard, Sharding};
use crate::units::Bytes;

/// The sizes of a stage from which its parts at every point are computed.
pub(super) struct PeakInputs<'a> {
    pub(super) of: &'a OfSetup<'a>,
    pub(super) stage: &'a Stage,
    pub(super) points: Points,
    pub(super) states: States,
    /// Allocated at the start and never freed: the frozen base at rest, models besides the trained
    /// one, and buffers of messages.
    pub(super) base: Bytes,
    /// Models besides the trained one.
    pub(super) models: Bytes,
    /// Memory of the teacher's pass beyond that of the loss, which follows it.
    pub(super) teacher_pass: Bytes,
    pub(super) gathers: Gathers,
    pub(super) at_rest: GradientsAtRest,
    pub(super) reductions: Reductions,
    pub(super) kept: KeptActivations,
    pub(super) working: WorkingSet,
    pub(super) logits: LogitBytes,
    /// The image encoder, on the stage that has it.
    pub(super) tower: Option<TowerMemory>,
}

impl<'a> PeakInputs<'a> {
    pub(super) fn new(of: &'a OfSetup<'a>, of_layers: &OfLayers, stage: &'a Stage) -> Self {
        let (setup, params) = (of.setup, &stage.params);
        // Trained parameters per layer are the mean over all layers, including frozen ones.
        let (held, below) = (params.held.layers, params.below);
        let of_trained = if held > below { held / (held - below) } else { 1.0 };
        let models = OtherModels::new(setup, stage).total();
        let has_tower = setup.architecture.tower.is_used() && stage.embedding;
        let tower = has_tower.then(|| TowerMemory::new(setup, stage));
        let working = WorkingSet::new(of, of_layers, stage);
        let kept = KeptActivations::new(of, of_layers, stage);
        let points = Points::new(held, below, kept.second_layer());
        let logits = LogitBytes::new(of, stage);
        let teacher_pass = (teacher::pass_memory(setup, stage) - Bytes::new(logits.at_loss)).max(Bytes::ZERO);
        Self {
            of,
            stage,
            teacher_pass,
            states: gpu_states(setup, params),
            base: base(setup, params)
                + models
                + message_buffers(setup, stage)
                + tower.map_or(Bytes::ZERO, |tower| tower.frozen),
            models,
            gathers: Gathers::new(of, params, &points),
            at_rest: GradientsAtRest::new(of, &params.trained, InBackward::new(setup, params), of_trained),
            reductions: Reductions::new(of, stage, of_trained, working.computed_in_layer),
            kept,
            working,
            logits,
            tower,
            points,
        }
    }

    /// Returns minus infinity for each point that the stage does not have, or that coincides with
    /// another, and 0 for all others.
    pub(super) fn absent(&self) -> ByPoint {
        let (layers, left) = (self.points.layers, self.points.left);
        let [last, second, last_with_prefetch, first] = left;
        // A stage with only the head has no layers; with few layers, several points coincide.
        let has_layers = layers > self.points.below;
        let has_second = has_layers && second != last;
        let has_prefetch = has_layers && last_with_prefetch != last && last_with_prefetch != second;
        let has_first = has_layers && first != last && first != second && first != last_with_prefetch;
        let by_units = self.of.has_streams && self.of.setup.sharding == Sharding::Fsdp(Reshard::Always);
        let head = self.stage.params.trained.head;
        let own_head = (by_units || self.of.keeps_gathered) && self.of.root_unit == RootUnit::Head && head > 0.0;
        let gathers_head = by_units && matches!(self.of.root_unit, RootUnit::Head | RootUnit::Freed);
        let updates_head = matches!(self.at_rest, GradientsAtRest::InBackward(alive) if alive.head > 0.0);
        let ties = self.of.setup.architecture.tie_word_embeddings && self.stage.embedding && self.stage.head;
        let copies_embedding = whole_table(self.of.setup, self.stage) > 0.0 && self.stage.params.trained.root > head;
        let in_tower = self.tower.is_some_and(|tower| tower.working > Bytes::ZERO);
        let unless = |is_met: bool| if is_met { 0.0 } else { f64::NEG_INFINITY };
        let layers = [has_layers, has_second, has_prefetch, has_first].map(unless);
        let ends = Ends {
            update: 0.0,
            loss: 0.0,
            start: unless(by_units),
            gather: unless(gathers_head),
            after_head: unless(own_head || updates_head),
            embedding: unless(by_units && (ties && head > 0.0 || copies_embedding)),
            root: 0.0,
            tower: unless(in_tower),
        };
        ByPoint::new(ends, layers, layers)
    }

    /// Returns the moment of a point.
    pub(super) fn moment(&self, point: Point) -> PeakMoment {
        match point {
            Point::Update => PeakMoment::Optimizer,
            Point::Start | Point::Gather | Point::Loss => PeakMoment::Loss,
            Point::Tower if !self.of.passes_tower => PeakMoment::Loss,
            _ => PeakMoment::Backward,
        }
    }

    /// Returns the memory of encoder and projection: at rest, gathered, activations. Their
    /// gradients at rest exist together with those of the root unit, and when all gradients are
    /// kept until the update.
    pub(super) fn tower_bytes(&self, point: Point) -> [Bytes; 3] {
        let Some(tower) = &self.tower else { return [Bytes::ZERO; 3] };
        let at_rest = tower.at_rest(self.at_rest.are_whole(point));
        match point {
            Point::Tower => [at_rest, tower.gathered + tower.gathered_unit, tower.kept + tower.working],
            Point::Embedding | Point::Root | Point::Update => [at_rest, Bytes::ZERO, Bytes::ZERO],
            _ => [at_rest, tower.gathered, tower.kept],
        }
    }
}
