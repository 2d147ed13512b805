//! Matrix products of single modules that are recomputed.

use super::layer::{matrices, routed_width, router_params};
use crate::model::setup::Setup;
use crate::model::transformer::Architecture;

/// Returns the weights of one layer, averaged over layers, whose products are recomputed for a
/// token: those of the MLP, of the experts with their router, of the shared experts, and latent
/// attention's up-projections. Norms and activations have none.
pub(super) fn weights_again(setup: &Setup) -> f64 {
    let (arch, modules) = (&setup.architecture, setup.modules());
    let (shares, across) = (arch.shares(), matrices(arch) * f64::from(arch.hidden_size));
    let dense = shares.dense() * f64::from(arch.intermediate_size);
    let shared = shares.moe * f64::from(arch.experts.shared_intermediate_size);
    let one = |weights: f64, again: bool| if again { weights } else { 0.0 };
    one(across * dense, modules.mlp || setup.kernels.tiled_mlp)
        + one(across * shared, modules.shared_experts || modules.moe)
        + one(across * routed_width(arch) + router_params(arch), modules.moe)
        + one(shares.attention * up_projections(arch), modules.mla_up_proj)
}

/// Returns the weights of latent attention's up-projections: `r_q n_q (d_nope + d_rope) + r_kv n_q
/// (d_nope + d_v)`, with H for `r_q` if queries have no rank (arXiv 2405.04434, equations 9 to 16).
fn up_projections(arch: &Architecture) -> f64 {
    let latent = arch.latent;
    let inner = if latent.q_lora_rank > 0 { latent.q_lora_rank } else { arch.hidden_size };
    let per_head = f64::from(latent.qk_nope_head_dim) + f64::from(latent.v_head_dim);
    let heads = f64::from(arch.num_attention_heads);
    f64::from(inner) * arch.query_width() + f64::from(latent.kv_lora_rank) * heads * per_head
}
