//! Work that the backward pass repeats when single modules of a layer are recomputed.

use super::blocks::Repeated;
use super::products::{Block, mlp, router_and_shared};
use crate::model::setup::Setup;
use crate::model::transformer::{Architecture, LayerShares};

/// Returns the recomputed work of attention: latent attention's up-projections, and its norms.
pub(super) fn recomputed_attention(setup: &Setup, tp: f64) -> Repeated {
    let again = setup.modules().mla_up_proj;
    let block = if again { up_projections(&setup.architecture, tp) } else { Block::NONE };
    Repeated { block, norms: setup.recomputed_norms().attention }
}

/// Returns the recomputed work of a dense MLP.
pub(super) fn recomputed_mlp(setup: &Setup, tp: f64) -> Repeated {
    let arch = &setup.architecture;
    let again = setup.modules().mlp || setup.kernels.tiled_mlp;
    let block = if again { mlp(arch, f64::from(arch.intermediate_size) / tp) } else { Block::NONE };
    Repeated { block, norms: setup.recomputed_norms().mlp }
}

/// Returns the recomputed work of the router and the shared experts; routed experts have their own
/// costs.
pub(super) fn recomputed_shared_experts(setup: &Setup, tp: f64) -> Repeated {
    let (arch, modules) = (&setup.architecture, setup.modules());
    let block = if modules.moe {
        router_and_shared(arch, tp)
    } else if modules.shared_experts {
        mlp(arch, f64::from(arch.experts.shared_intermediate_size) / tp)
    } else {
        Block::NONE
    };
    Repeated { block, norms: setup.recomputed_norms().experts }
}

/// Returns the pairs of tensor-parallel collectives that are repeated in one layer: those of blocks
/// that are recomputed as a whole.
pub(in crate::model) fn recomputed_collectives(setup: &Setup, shares: &LayerShares) -> f64 {
    let modules = setup.modules();
    let shared = setup.architecture.experts.shared_intermediate_size > 0;
    let one = |share: f64, again: bool| if again { share } else { 0.0 };
    one(shares.dense(), modules.mlp) + one(shares.moe, modules.shared_experts || modules.moe && shared)
}

/// Returns latent attention's up-projections: queries', and keys' and values'.
fn up_projections(arch: &Architecture, tp: f64) -> Block {
    let latent = arch.latent;
    let inner = f64::from(if latent.q_lora_rank > 0 { latent.q_lora_rank } else { arch.hidden_size });
    let rank = f64::from(latent.kv_lora_rank);
    let query = arch.query_width() / tp;
    let per_head = f64::from(latent.qk_nope_head_dim) + f64::from(latent.v_head_dim);
    let up = f64::from(arch.num_attention_heads) / tp * per_head;
    Block {
        weights: inner * query + rank * up,
        inner: inner + rank,
        outer: query + up,
        count: 2.0,
        hidden: 0.0,
        cast: inner + rank,
        aligned: 1.0,
    }
}
