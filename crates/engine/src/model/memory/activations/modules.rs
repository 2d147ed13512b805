//! Activations that a layer drops when single modules are recomputed.

use super::Tensors;
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
/// The inputs of modules stay: the residual stream, or a norm's output.
pub(super) fn dropped(setup: &Setup, t: &Tensors, shares: &LayerShares) -> f64 {
    let (modules, norms) = (setup.modules(), setup.recomputed_norms());
    let [dense, shared, routed] = t.hidden_by_kind;
    // The input of an MLP's last product is one of its hidden tensors.
    let all = t.wide - t.narrow;
    let inputs = if setup.architecture.gated_mlp { GATED_INPUTS } else { PLAIN_INPUTS };
    let one = |bytes: f64, dropped: bool| if dropped { bytes } else { 0.0 };
    one(t.scores, modules.core_attn)
        + one(t.query + 2.0 * t.key, modules.mla_up_proj)
        + t.norm_output * (shares.attention * norms.attention + shares.dense() * norms.mlp + shares.moe * norms.experts)
        + one(all * dense, modules.mlp)
        + one(all * shared, modules.shared_experts || modules.moe)
        + one((all - inputs) * routed, modules.moe_act)
        + one(all * routed + t.routed - t.narrow * t.copy, modules.moe)
}
