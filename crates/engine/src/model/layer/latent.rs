//! Multi-head latent attention (DeepSeek V2, arXiv 2405.04434, equations 9 to 19): queries, keys
//! and values through low ranks.

use super::{Operator, Products, Role};
use crate::model::transformer::Architecture;

/// Returns the products of latent attention on one of `tp` GPUs: `H r_q` and `r_q n_q (d_nope +
/// d_rope)`, or `H n_q (d_nope + d_rope)` for queries without a rank; `H (r_kv + d_rope)`, `r_kv n_q
/// (d_nope + d_v)`, `n_q d_v H`, and the gate of the output. Ranks are on every GPU.
pub(super) fn products(shape: &Architecture, tp: f64) -> Products {
    let latent = &shape.latent;
    let (hidden, heads) = (f64::from(shape.hidden_size), f64::from(shape.num_attention_heads));
    let (rank, query_rank) = (f64::from(latent.kv_lora_rank), f64::from(latent.q_lora_rank));
    let up = heads * (f64::from(latent.qk_nope_head_dim) + f64::from(latent.v_head_dim));
    let width = shape.attention_output_width();
    let (from_rank, from) = if query_rank > 0.0 { (Role::QueryFromRank, query_rank) } else { (Role::Query, hidden) };
    Products::new([
        Operator::whole(Role::ToRank, hidden, query_rank),
        Operator::by_columns(from_rank, from, shape.query_width(), tp),
        Operator::whole(Role::ToRank, hidden, rank + f64::from(latent.qk_rope_head_dim)),
        Operator::by_columns(Role::KeyValueFromRank, rank, up, tp),
        Operator::by_rows(Role::Output, width, hidden, tp),
        Operator::by_columns(Role::AttentionGate, hidden, width, tp).when(shape.gated_attention),
    ])
}

/// Returns the parameters of the norms of both ranks: `r_q + r_kv`.
pub(super) fn norm_params(shape: &Architecture) -> f64 {
    if shape.latent.is_used() { normed_width(shape) } else { 0.0 }
}

/// Returns the width of the ranks that have a norm, `r_q + r_kv`.
pub fn normed_width(shape: &Architecture) -> f64 {
    f64::from(shape.latent.kv_lora_rank) + f64::from(shape.latent.q_lora_rank)
}

/// Returns the width of what the projections to the ranks give, `r_q + r_kv + d_rope`; 0 without
/// latent attention.
pub fn rank_width(shape: &Architecture) -> f64 {
    if shape.latent.is_used() { normed_width(shape) + f64::from(shape.latent.qk_rope_head_dim) } else { 0.0 }
}

/// Returns the width of the keys and values of a token that generation caches: `r_kv + d_rope`
/// (arXiv 2405.04434, section 2.1.2).
pub fn cached_width(shape: &Architecture) -> f64 {
    f64::from(shape.latent.kv_lora_rank) + f64::from(shape.latent.qk_rope_head_dim)
}
