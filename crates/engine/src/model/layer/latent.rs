//! Multi-head latent attention (DeepSeek V2, arXiv 2405.04434, equations 9 to 19): queries, keys
//! and values through low ranks.

use super::core::{Core, Kind, of_gate};
use super::{Operator, Products, Role};
use crate::model::transformer::Architecture;

/// Latent attention.
pub(super) const KIND: Kind = Kind {
    is_of: |shape| shape.latent.is_used(),
    products,
    core,
    vectors: |_| 0.0,
    norms: |shape| core(shape).normed_ranks,
};

/// Returns the products on one of `tp` GPUs: `H r_q` and `r_q n_q (d_nope + d_rope)`, or `H n_q
/// (d_nope + d_rope)` for queries without a rank; `H (r_kv + d_rope)`, `r_kv n_q (d_nope + d_v)`,
/// `n_q d_v H`, and the gate of the output. Ranks are on every GPU.
fn products(shape: &Architecture, tp: f64) -> Products {
    let (latent, core) = (&shape.latent, core(shape));
    let hidden = f64::from(shape.hidden_size);
    let (rank, query_rank) = (f64::from(latent.kv_lora_rank), f64::from(latent.q_lora_rank));
    let up = core.heads * (f64::from(latent.qk_nope_head_dim) + core.value);
    let (from_rank, from) = if query_rank > 0.0 { (Role::QueryFromRank, query_rank) } else { (Role::Query, hidden) };
    Products::new([
        Operator::whole(Role::ToRank, hidden, query_rank),
        Operator::by_columns(from_rank, from, core.query(), tp),
        Operator::whole(Role::ToRank, hidden, core.cached),
        Operator::by_columns(Role::KeyValueFromRank, rank, up, tp),
        Operator::by_rows(Role::Output, core.output(), hidden, tp),
        Operator::by_columns(Role::AttentionGate, hidden, core.output(), tp).when(shape.gated_attention),
    ])
}

/// Returns the core: each query head has keys and values of its own, and generation caches what
/// they come from, `r_kv + d_rope` (section 2.1.2).
fn core(shape: &Architecture) -> Core {
    let [rank, query_rank, nope, rope, value] = [
        shape.latent.kv_lora_rank,
        shape.latent.q_lora_rank,
        shape.latent.qk_nope_head_dim,
        shape.latent.qk_rope_head_dim,
        shape.latent.v_head_dim,
    ]
    .map(f64::from);
    let heads = f64::from(shape.num_attention_heads);
    Core {
        heads,
        key_heads: heads,
        head: nope + rope,
        value,
        after: of_gate(shape, heads * value),
        ranks: rank + query_rank + rope,
        normed_ranks: rank + query_rank,
        cached: rank + rope,
    }
}
