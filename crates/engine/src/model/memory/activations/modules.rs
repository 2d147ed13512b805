//! Activations that a layer drops when single modules are recomputed.

use super::frozen::AdapterActivations;
use super::tensors::Tensors;
use crate::model::layer::{Block, Layers};
use crate::model::setup::Setup;
use crate::model::training::RecomputeModules;

/// Returns the bytes per token of a layer that recomputed modules drop, averaged over these
/// layers:
///
/// - `core_attn` drops the scores; `mla_up_proj` queries, keys and values; `layernorm` the outputs
///   of norms;
/// - `mlp` drops all hidden tensors of a dense MLP, `shared_experts` those of shared experts;
/// - `moe_act` drops the tensors after the first products of routed experts, `moe` all tensors of
///   shared and routed experts, with the copies of tokens and the router's tensors.
///
/// The inputs of modules stay: the residual stream, or a norm's output. Tensors that frozen
/// matrices do not keep, and those of a tiled MLP, cannot be dropped again.
pub(super) fn dropped(
    setup: &Setup,
    modules: RecomputeModules,
    t: &Tensors,
    frozen: &AdapterActivations,
    layers: &Layers,
) -> f64 {
    let norms = layers.sum(|block| setup.recomputed_norms(modules, block));
    let [dense, shared, routed] = t.mlps.kept(frozen.mlp_inputs);
    // Products into an MLP's hidden width.
    let inputs = if setup.architecture.gated_mlp { 2.0 } else { 1.0 } - t.mlps.saved_inputs;
    let one = |bytes: f64, dropped: bool| if dropped { bytes } else { 0.0 };
    let of_experts = |bytes, dropped| one(bytes, dropped && !setup.is_tiled(Block::Routed));
    one(t.attention.scores, modules.core_attn)
        + one(t.attention.query + 2.0 * t.attention.key, modules.mla_up_proj)
        + t.residual.norm_output * norms
        + one(dense, modules.mlp && !setup.is_tiled(Block::Mlp))
        + of_experts(shared, modules.shared_experts || modules.moe)
        + of_experts(routed - inputs * t.mlps.routed, modules.moe_act)
        + of_experts(routed + frozen.around_experts(t), modules.moe)
}
