//! Activations that torchtitan's selective recomputation keeps: attention's output, and the output
//! of every second matrix product, beginning with the first.

use super::tensors::Tensors;
use crate::model::layer::Layers;
use crate::model::setup::Setup;
use crate::model::transformer::{AttentionBias, FusedProjections};

/// Returns the bytes per token that a layer keeps, without the states of mixers.
pub(super) fn kept(setup: &Setup, t: &Tensors, layers: &Layers) -> f64 {
    // Scores come from products that the policy does not list.
    let attention = if setup.writes_scores() > 0.0 { 0.0 } else { t.attention.output };
    // Outputs of the reduce-scatters after both blocks are also kept.
    let reduced = if is_scattered(setup) { 2.0 * t.residual.input } else { 0.0 };
    t.residual.input + attention + reduced + every_second_output(setup, t, layers)
}

/// Whether the outputs of both blocks are partial sums that a tensor-parallel group reduces and
/// scatters along the sequence.
fn is_scattered(setup: &Setup) -> bool {
    setup.mesh.tp > 1 && setup.tensor.sequence_parallel
}

/// Returns the bytes per token of every second matrix product's output, including adapters, in the
/// order of the forward pass.
fn every_second_output(setup: &Setup, t: &Tensors, layers: &Layers) -> f64 {
    if t.attention.latent > 0.0 {
        // The low ranks are kept, and expanded again.
        return t.residual.input + t.attention.latent + t.mlps.unrouted();
    }
    if !layers.are_dense() {
        return t.residual.input + t.attention.query + t.attention.key_value + t.mlps.unrouted();
    }
    let arch = &setup.architecture;
    let has_adapters = setup.trained.has_adapters();
    let targets = setup.trained.targets.modules();
    let inner = f64::from(setup.trained.rank) * t.element;
    let [query_value, key, output] = [targets.query_value, targets.key, targets.output];
    let is_one = arch.fused_projections == FusedProjections::All;
    let projections = if is_one {
        [Some((t.attention.query + 2.0 * t.attention.key_value, query_value)), None, None]
    } else {
        [(t.attention.query, query_value), (t.attention.key_value, key), (t.attention.key_value, query_value)].map(Some)
    };
    let up = if arch.gated_mlp && is_one { 2.0 * t.mlps.width() } else { t.mlps.width() };
    let gate = (arch.gated_mlp && !is_one).then_some((t.mlps.width(), targets.mlp));
    // Under tensor parallelism a block's last product has full size before its reduction.
    let residual = if is_scattered(setup) { t.element * f64::from(arch.hidden_size) } else { t.residual.input };
    // A compiler drops tensors that no backward pass reads: the last product's output.
    let last = (!setup.kernels.compile).then_some((residual, targets.mlp));
    let bias = arch.attention_bias;
    let of_attention = projections.into_iter().flatten().map(|of| (of, bias != AttentionBias::None));
    let of_mlp = gate.into_iter().chain([(up, targets.mlp)]).chain(last).map(|of| (of, arch.mlp_bias));
    let products = of_attention.chain([((residual, output), bias == AttentionBias::All)]).chain(of_mlp);
    let (mut is_kept, mut kept) = (false, 0.0);
    for ((output, has_adapter), is_biased) in products {
        let of_adapter = if has_adapters && has_adapter { [Some(inner), Some(output)] } else { [None, None] };
        let own = (!is_biased || setup.keeps_biased_products()).then_some(output);
        for output in own.into_iter().chain(of_adapter.into_iter().flatten()) {
            is_kept = !is_kept;
            kept += if is_kept { output } else { 0.0 };
        }
    }
    kept
}
