//! Attention with separate heads of queries, keys and values (arXiv 1706.03762, 2305.13245).

use super::{Operator, Products, Role, latent};
use crate::model::transformer::{Architecture, AttentionBias, QkNorm};

/// Returns the projections of attention on one of `tp` GPUs: queries with their gate, keys and
/// values in one kernel, and the output: `H n_q d`, twice `H n_kv d`, `n_q d H`.
pub(super) fn products(shape: &Architecture, tp: f64) -> Products {
    let (hidden, query) = (f64::from(shape.hidden_size), shape.query_width());
    let key = shape.key_value_width_over(tp) * tp;
    let biased = shape.attention_bias != AttentionBias::None;
    let of_norm = |role, width, bias| Operator::by_columns(role, hidden, width, tp).biased(bias, biased);
    let kv_bias = shape.key_value_width();
    Products::new([
        of_norm(Role::Query, query, query),
        of_norm(Role::AttentionGate, query, query).joined().when(shape.gated_attention),
        of_norm(Role::Key, key, kv_bias).joined(),
        of_norm(Role::Value, key, kv_bias).joined(),
        Operator::by_rows(Role::Output, query, hidden, tp).biased(hidden, shape.attention_bias == AttentionBias::All),
        Operator::NONE,
    ])
}

/// Returns the elements of attention's vectors: a sink for each query head.
pub(super) fn vectors(shape: &Architecture) -> f64 {
    if shape.attention_sinks && !shape.latent.is_used() { f64::from(shape.num_attention_heads) } else { 0.0 }
}

/// Returns the parameters of the norms inside attention: of queries and keys, `2 d` per head or
/// `(n_q + n_kv) d`, and of latent ranks.
pub fn norm_params(shape: &Architecture) -> f64 {
    let heads = match shape.qk_norm {
        QkNorm::None => 0.0,
        QkNorm::PerHead => 2.0,
        QkNorm::Full => f64::from(shape.num_attention_heads) + f64::from(shape.num_key_value_heads),
    };
    heads * f64::from(shape.head_dim) + latent::norm_params(shape)
}
