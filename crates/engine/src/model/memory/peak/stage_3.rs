//! Weights and gradients of DeepSpeed's ZeRO stage 3, module by module, with the defaults of its
//! configuration (github deepspeedai/DeepSpeed, `runtime/zero/config.py`,
//! `partitioned_param_coordinator.py`, `stage3.py`).

use super::inputs::PeakInputs;
use super::point::Point;

/// Parameters that stage 3 prefetches (`stage3_prefetch_bucket_size`).
const PREFETCH: f64 = 5e7;
/// Maximum number of parameters gathered beyond the current module (`stage3_max_live_parameters`).
const MOST_LIVE: f64 = 1e9;
/// Maximum number of parameters between two uses of a weight for which it stays gathered
/// (`stage3_max_reuse_distance`).
const REUSE: f64 = 1e9;
/// Uses of each later weight between a weight's use in the forward pass and in the backward pass.
const FORWARD_AND_BACKWARD: f64 = 2.0;

impl PeakInputs {
    /// Returns the parameters gathered at a point: those of the last layers and the head that the
    /// backward pass soon uses again, otherwise the current layer and prefetched ones. `None` if
    /// all are released.
    pub(super) fn live(&self, point: Point) -> Option<f64> {
        let unit = self.params.held.padded_layer(1.0);
        let soon = REUSE / FORWARD_AND_BACKWARD;
        let live = match point {
            Point::Loss => soon.max(self.params.held.head),
            Point::InLayer(left) | Point::AfterLayer(left) => {
                let passed = self.params.held.head + (self.params.held.layers - left) * unit;
                (soon - passed).max(unit.min(MOST_LIVE) + PREFETCH)
            }
            Point::Start | Point::Gather | Point::Embedding | Point::Tower | Point::Root | Point::Update => {
                return None;
            }
        };
        Some(live.min(self.params.held.all()))
    }
}
