//! The checkpointed layers, under recomputation of a share of them.

use crate::model::framework::Layers;
use crate::model::memory::activations::LayerBytes;
use crate::model::setup::Setup;

/// The checkpointed layers of a GPU: evenly spread, the second of two, as in torchtitan's
/// `selective_ac_option`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Checkpointed {
    /// Share of checkpointed layers.
    share: f64,
    /// Bytes that a whole layer and a checkpointed layer keep, over the mean layer.
    whole: f64,
    input: f64,
}

impl Checkpointed {
    /// Returns the checkpointed layers of a setup whose framework spreads them evenly.
    pub(super) fn new(setup: &Setup, layer: &LayerBytes) -> Option<Self> {
        let share = 1.0 - setup.kept_layers();
        let spreads = setup.traits().layers != Layers::Own;
        if !spreads || share <= 0.0 || share >= 1.0 || layer.kept <= 0.0 {
            return None;
        }
        let input = (layer.kept - (1.0 - share) * layer.whole) / share;
        Some(Self { share, whole: layer.whole / layer.kept, input: input / layer.kept })
    }

    /// Returns the number of checkpointed layers among the first `layers`.
    fn count_among(&self, layers: f64) -> f64 {
        (layers * self.share).floor()
    }

    /// Returns the activations that the first `layers` layers keep, in mean layers.
    pub(super) fn kept(&self, layers: f64) -> f64 {
        let checkpointed = self.count_among(layers);
        (layers - checkpointed) * self.whole + checkpointed * self.input
    }

    /// Whether the last of `layers` layers is recomputed.
    pub(super) fn is_last(&self, layers: f64) -> bool {
        self.count_among(layers) > self.count_among(layers - 1.0)
    }

    /// Returns the highest checkpointed layer among the first `layers`, counted from 1; 0 if there
    /// is none.
    pub(super) fn highest(&self, layers: f64) -> f64 {
        (self.count_among(layers) / self.share).ceil()
    }

    /// Returns the bytes that a checkpointed layer holds during its backward pass beyond its kept
    /// bytes, in mean layers.
    pub(super) fn again(&self) -> f64 {
        self.whole - self.input
    }
}
