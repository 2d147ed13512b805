//! Weights that DeepSpeed's ZeRO stage 3 gathers, module by module, with the defaults of its
//! configuration (github deepspeedai/DeepSpeed, `runtime/zero/config.py`,
//! `partitioned_param_coordinator.py`, `stage3.py`).

use super::point::{ByPoint, Ends, Points};
use crate::model::unit_params::Units;

/// Parameters that stage 3 prefetches (`stage3_prefetch_bucket_size`).
const PREFETCH: f64 = 5e7;
/// Maximum number of parameters gathered beyond the current module (`stage3_max_live_parameters`).
const MOST_LIVE: f64 = 1e9;
/// Maximum number of parameters between two uses of a weight for which it stays gathered
/// (`stage3_max_reuse_distance`).
const REUSE: f64 = 1e9;
/// Uses of each later weight between a weight's use in the forward pass and in the backward pass.
const FORWARD_AND_BACKWARD: f64 = 2.0;

/// Returns the parameters gathered at each point: those of the last layers and the head that the
/// backward pass soon uses again, otherwise the current layer and prefetched ones.
pub(super) fn live_params(held: &Units, points: &Points) -> ByPoint {
    let (unit, all, soon) = (held.padded_layer(1.0), held.all(), REUSE / FORWARD_AND_BACKWARD);
    let in_layer = |left: f64| {
        let passed = held.head + (held.layers - left) * unit;
        (soon - passed).max(unit.min(MOST_LIVE) + PREFETCH).min(all)
    };
    let ends = Ends { loss: soon.max(held.head).min(all), after_head: in_layer(held.layers + 1.0), ..Ends::default() };
    let layers = points.left.map(in_layer);
    ByPoint::new(ends, layers, layers)
}
