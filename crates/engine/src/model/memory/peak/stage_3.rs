//! What DeepSpeed's ZeRO stage 3 holds of weights and gradients, module by module, with the
//! defaults of its configuration (github deepspeedai/DeepSpeed, `runtime/zero/config.py`,
//! `partitioned_param_coordinator.py`, `stage3.py`).

use super::ledger::Ledger;
use super::point::Point;

/// Parameters that it fetches ahead (`stage3_prefetch_bucket_size`).
const PREFETCH: f64 = 5e7;
/// Parameters at most that it gathers beyond the module in work (`stage3_max_live_parameters`).
const MOST_LIVE: f64 = 1e9;
/// Parameters between two uses of a weight up to which it stays gathered
/// (`stage3_max_reuse_distance`).
const REUSE: f64 = 1e9;
/// From a weight's use in the forward pass to that in the backward pass, all that follows it is
/// used twice.
const THERE_AND_BACK: f64 = 2.0;

impl Ledger {
    /// Parameters gathered at a point: of the last layers and the head those that the backward pass
    /// uses again soon; else the layer in work and what is fetched ahead. `None` where all are
    /// released.
    pub(super) fn live(&self, point: Point) -> Option<f64> {
        let unit = self.params.held.padded_layer(1.0);
        let soon = REUSE / THERE_AND_BACK;
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
