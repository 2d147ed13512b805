//! Attention with separate heads of queries, keys and values (arXiv 1706.03762, 2305.13245).

use super::core::{Core, Kind, of_gate};
use super::{Operator, Products, Role};
use crate::model::transformer::{Architecture, AttentionBias};

/// Separate heads of queries, keys and values.
pub(super) const KIND: Kind = Kind { is_of: |_| true, products, core, vectors, norms: |_| 0.0 };

/// Returns the projections on one of `tp` GPUs: queries with their gate, keys and values in one
/// kernel, and the output: `H n_q d`, twice `H n_kv d`, `n_q d H`.
fn products(shape: &Architecture, tp: f64) -> Products {
    let (core, hidden) = (core(shape), f64::from(shape.hidden_size));
    let (query, key) = (core.query(), core.key_value_over(tp) * tp);
    let biased = shape.attention_bias != AttentionBias::None;
    let of_norm = |role, width, bias| Operator::by_columns(role, hidden, width, tp).biased(bias, biased);
    Products::new([
        of_norm(Role::Query, query, query),
        of_norm(Role::AttentionGate, query, query).joined().when(shape.gated_attention),
        of_norm(Role::Key, key, core.key_value()).joined(),
        of_norm(Role::Value, key, core.key_value()).joined(),
        Operator::by_rows(Role::Output, query, hidden, tp).biased(hidden, shape.attention_bias == AttentionBias::All),
        Operator::NONE,
    ])
}

fn core(shape: &Architecture) -> Core {
    let (heads, head) = (f64::from(shape.num_attention_heads), f64::from(shape.head_dim));
    Core {
        heads,
        key_heads: f64::from(shape.num_key_value_heads),
        head,
        value: head,
        after: of_gate(shape, heads * head),
        ranks: 0.0,
        normed_ranks: 0.0,
        cached: 0.0,
    }
}

/// Returns the sinks, one for each query head.
fn vectors(shape: &Architecture) -> f64 {
    if shape.attention_sinks { f64::from(shape.num_attention_heads) } else { 0.0 }
}
