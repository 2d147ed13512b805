//! Activations that a layer drops when single modules are recomputed.

use super::Tensors;
use super::frozen::AdapterActivations;
use crate::model::setup::Setup;
use crate::model::transformer::LayerShares;

/// Products into a gated MLP's hidden width: gate and up.
const GATED_INPUTS: f64 = 2.0;
/// Products into an ungated MLP's hidden width.
const PLAIN_INPUTS: f64 = 1.0;

/// Returns the bytes per token of a layer that recomputed modules drop, averaged over layers with
/// the block shares `shares`:
///
/// - `core_attn` drops the scores; `mla_up_proj` queries, keys and values; `layernorm` the outputs
///   of norms;
/// - `mlp` drops all hidden tensors of a dense MLP, `shared_experts` those of shared experts;
/// - `moe_act` drops the tensors after the first products of routed experts, `moe` all tensors of
///   shared and routed experts, with the copies of tokens and the router's tensors.
///
/// The inputs of modules stay: the residual stream, or a norm's output. Tensors that frozen
/// matrices do not keep, and those of a tiled MLP, cannot be dropped again.
pub(super) fn dropped(setup: &Setup, t: &Tensors, frozen: &AdapterActivations, shares: &LayerShares) -> f64 {
    let (modules, norms) = (setup.modules(), setup.recomputed_norms());
    let [dense, shared, routed] = kept_of_mlps(t, frozen);
    let [_, _, routed_hidden] = t.hidden_by_kind;
    let inputs = if setup.architecture.gated_mlp { GATED_INPUTS } else { PLAIN_INPUTS };
    let one = |bytes: f64, dropped: bool| if dropped { bytes } else { 0.0 };
    one(t.scores, modules.core_attn)
        + one(t.query + 2.0 * t.key, modules.mla_up_proj)
        + t.norm_output * (shares.attention * norms.attention + shares.dense() * norms.mlp + shares.moe * norms.experts)
        + one(dense, modules.mlp && !setup.kernels.tiled_mlp)
        + one(shared, modules.shared_experts || modules.moe)
        + one(routed - inputs * routed_hidden, modules.moe_act)
        + one(routed + t.routed - t.narrow * t.copy - frozen.copies, modules.moe)
}

/// Returns the bytes per token of the hidden tensors that dense MLPs, shared experts and routed
/// experts keep: the input of the last product is one of them, narrower where products keep
/// narrower inputs, and not kept if the product is frozen.
pub(super) fn kept_of_mlps(t: &Tensors, frozen: &AdapterActivations) -> [f64; 3] {
    let [dense, shared, routed] = t.hidden_by_kind.map(|hidden| (t.wide - t.narrow) * hidden);
    let [dense_input, shared_input, routed_input] = frozen.mlp_inputs;
    [dense - dense_input, shared - shared_input, routed - routed_input]
}
