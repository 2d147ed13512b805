//! Which layers run their forward pass again, where a share of them does.

use crate::model::framework::Layers;
use crate::model::memory::activations::LayerBytes;
use crate::model::setup::Setup;
use crate::model::training::Recompute;

/// The checkpointed layers among those of a GPU: evenly spread, the second of two, as torchtitan's
/// `selective_ac_option` counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Checkpointed {
    /// Their share of all layers.
    share: f64,
    /// What a whole layer keeps, and a checkpointed one, over the mean layer.
    whole: f64,
    input: f64,
}

impl Checkpointed {
    /// Those of a setup that spreads them so.
    pub(super) fn of(setup: &Setup, layer: &LayerBytes) -> Option<Self> {
        let share = 1.0 - setup.kept_layers();
        let spreads = setup.recompute == Recompute::Fraction && setup.traits().layers != Layers::Own;
        if !spreads || share <= 0.0 || share >= 1.0 || layer.kept <= 0.0 {
            return None;
        }
        let input = (layer.kept - (1.0 - share) * layer.whole) / share;
        Some(Self { share, whole: layer.whole / layer.kept, input: input / layer.kept })
    }

    /// Checkpointed layers among the first so many.
    fn among(&self, layers: f64) -> f64 {
        (layers * self.share).floor()
    }

    /// What the first so many layers keep, in mean layers.
    pub(super) fn kept(&self, layers: f64) -> f64 {
        let checkpointed = self.among(layers);
        (layers - checkpointed) * self.whole + checkpointed * self.input
    }

    /// Whether the last of so many layers runs again.
    pub(super) fn is_last(&self, layers: f64) -> bool {
        self.among(layers) > self.among(layers - 1.0)
    }

    /// The highest checkpointed layer among the first so many, counted from 1; 0 where there is
    /// none.
    pub(super) fn highest(&self, layers: f64) -> f64 {
        (self.among(layers) / self.share).ceil()
    }

    /// What a checkpointed layer holds in work beyond what it keeps, in mean layers.
    pub(super) fn again(&self) -> f64 {
        self.whole - self.input
    }
}
