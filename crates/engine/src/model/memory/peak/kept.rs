//! Activations kept from the forward to the backward pass, at a point of the step.

use super::checkpointed::Checkpointed;
use super::of_setup::{OfLayers, OfSetup};
use super::point::{ByPoint, Ends, Points};
use crate::model::stages::Stage;

/// The activations that a stage keeps.
pub(super) struct KeptActivations {
    layers: f64,
    /// Layers that gradients do not reach.
    below: f64,
    /// Bytes that the mean layer keeps.
    pub(super) mean: f64,
    /// Kept activations of the last layer, over the mean layer.
    last: f64,
    /// Kept activations of the largest kind of layer beyond the mean layer, over it and over the
    /// other layers.
    more: f64,
    /// Layers of the other micro-batches in flight.
    in_flight: f64,
    /// Bytes that a layer holds in its backward pass beyond its kept activations.
    working: f64,
    is_offloaded: bool,
    /// Kept activations that a layer leaves until the end of the backward pass: its input and the
    /// input's gradient.
    left_behind: f64,
    /// Whether the end of a backward pass is that of any micro-batch, not of the step's last.
    ends_any: bool,
    /// The checkpointed layers, if only some are recomputed.
    checkpointed: Option<Checkpointed>,
}

impl KeptActivations {
    pub(super) fn new(of: &OfSetup<'_>, of_layers: &OfLayers, stage: &Stage) -> Self {
        let OfLayers { mean, in_work, last_kept, .. } = of_layers;
        let (layers, below) = (stage.params.held.layers, stage.params.below);
        let checkpointed = Checkpointed::new(of.setup, mean);
        let others = layers - below - 1.0;
        let varies = mean.kept > 0.0 && others > 0.0 && checkpointed.is_none();
        Self {
            layers,
            below,
            mean: mean.kept * of.tokens,
            last: *last_kept,
            more: if varies { (in_work.kept / mean.kept - 1.0) / others } else { 0.0 },
            in_flight: (stage.in_flight - 1.0) * (layers - below),
            working: (in_work.whole - in_work.kept) * of.tokens,
            is_offloaded: of.setup.offload.activations,
            left_behind: if of.setup.keeps_inputs_of_frozen_units() { 2.0 } else { 0.0 },
            ends_any: of.keeps_gathered,
            checkpointed,
        }
    }

    /// Returns the layers whose activations are kept at each point, in mean layers, with those of
    /// the other micro-batches in flight.
    pub(super) fn by_point(&self, points: &Points) -> ByPoint {
        let all = self.first_layers(self.layers);
        let none_left = self.first_layers(0.0);
        let root = if self.ends_any { none_left } else { 0.0 };
        let behind = |left: f64| self.left_behind * (self.layers - left);
        let (embedding, tower) = (behind(self.below), none_left + behind(self.below));
        let root = root + behind(self.below);
        let ends = Ends { gather: all, loss: all, after_head: all, embedding, tower, root, ..Ends::default() };
        ByPoint::new(
            ends,
            points.left.map(|left| self.first_layers(left) + self.more_in_current(left) + behind(left)),
            // The gradient of the input is part of the working set.
            points.left.map(|left| self.first_layers(left - 1.0) + behind(left) + self.left_behind / 2.0),
        )
    }

    /// Returns the first `layers` layers and those of the other micro-batches in flight: with
    /// activations in host memory, two layers' are on the GPU, those of the current layer and of
    /// the one being transferred.
    fn first_layers(&self, layers: f64) -> f64 {
        const LAYERS_HERE: f64 = 2.0;
        // If layers differ in kind, the last one is finished first.
        let layers = if self.is_last_finished(layers) { layers + 1.0 - self.last } else { layers };
        let alive = match &self.checkpointed {
            _ if layers <= self.below => 0.0,
            Some(some) => some.kept(layers) - some.kept(self.below),
            None => layers - self.below,
        };
        let here = alive + self.in_flight;
        if self.is_offloaded && here > LAYERS_HERE { LAYERS_HERE } else { here }
    }

    /// Whether all layers but the last are left.
    fn is_last_finished(&self, left: f64) -> bool {
        left == self.layers - 1.0
    }

    /// Returns the part of the current layer that the mean of the layers left lacks, if the current
    /// one is of the largest kind: none while all layers are left, and the whole difference where
    /// it is the only one.
    fn more_in_current(&self, left: f64) -> f64 {
        let is_known = self.last != 1.0 && self.is_last_finished(left);
        if is_known { 0.0 } else { self.more * (self.layers - left) }
    }

    /// Returns the bytes that the current layer, the last of `layers`, holds beyond its kept
    /// activations.
    pub(super) fn working(&self, layers: f64) -> f64 {
        match &self.checkpointed {
            Some(some) if some.is_last(layers) => some.again() * self.mean,
            Some(_) => 0.0,
            None => self.working,
        }
    }

    /// Returns the first layer after the last one, in the order of the backward pass, at which
    /// memory can peak: the next one, or the next one that is recomputed.
    pub(super) fn second_layer(&self) -> f64 {
        let next = self.layers - 1.0;
        match &self.checkpointed {
            Some(some) if some.highest(next) > self.below => some.highest(next),
            _ if next > self.below => next,
            _ => self.layers,
        }
    }
}
