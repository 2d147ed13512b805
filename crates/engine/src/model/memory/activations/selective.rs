//! What torchtitan's selective recomputation keeps: attention's output, and of the matrix products every other one's, from the first.

use super::Tensors;
use crate::model::setup::Setup;
use crate::model::software::AttentionKernel;
use crate::model::transformer::{FusedProjections, LayerShares};

/// Bytes per token that a layer keeps under it, beside the states of mixers.
pub(super) fn kept(setup: &Setup, t: &Tensors, element: f64, shares: &LayerShares) -> f64 {
    // Scores are of products that the policy does not name.
    let attention = if setup.kernels.attention == AttentionKernel::Unfused { 0.0 } else { t.attention };
    t.input + attention + every_second_output(setup, t, element, shares)
}

/// Bytes per token of every second matrix product's output, those of adapters among them, in the order of the forward pass.
fn every_second_output(setup: &Setup, t: &Tensors, element: f64, shares: &LayerShares) -> f64 {
    let is_dense = shares.moe <= 0.0 && shares.is_uniform();
    if setup.architecture.latent.is_used() {
        // Its ranks are kept, and expanded again.
        return t.input + t.latent + t.hidden_unrouted;
    }
    if !is_dense {
        return t.input + t.query + t.key + t.hidden_unrouted;
    }
    let arch = &setup.architecture;
    let has_adapters = setup.trained.has_adapters();
    let targets = setup.trained.targets.of();
    let inner = f64::from(setup.trained.rank) * element;
    let [query_value, key, output] = [targets.query_value, targets.key, targets.output];
    let is_one = arch.fused_projections == FusedProjections::All;
    let projections = if is_one {
        [Some((t.query + 2.0 * t.key_value, query_value)), None, None]
    } else {
        [(t.query, query_value), (t.key_value, key), (t.key_value, query_value)].map(Some)
    };
    let up = if arch.gated_mlp && is_one { 2.0 * t.hidden } else { t.hidden };
    let gate = (arch.gated_mlp && !is_one).then_some((t.hidden, targets.mlp));
    // A compiler drops what no backward pass reads: the last product's output.
    let last = (!setup.kernels.compile).then_some((t.input, targets.mlp));
    let products = projections.into_iter().flatten().chain([(t.input, output)]).chain(gate);
    let products = products.chain([(up, targets.mlp)]).chain(last);
    let (mut is_kept, mut kept) = (false, 0.0);
    for (output, has_adapter) in products {
        let of_adapter = if has_adapters && has_adapter { [Some(inner), Some(output)] } else { [None, None] };
        for output in core::iter::once(output).chain(of_adapter.into_iter().flatten()) {
            is_kept = !is_kept;
            kept += if is_kept { output } else { 0.0 };
        }
    }
    kept
}
