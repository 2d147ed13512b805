//! MLPs, gated (arXiv 2002.05202) or not.

use super::{Operator, Products, Role};
use crate::model::transformer::Architecture;

/// Returns the products of an MLP of this width on one of `tp` GPUs: `H F` twice if it is gated,
/// otherwise once, in one kernel, and `F H`.
pub(super) fn products(shape: &Architecture, width: f64, is_biased: bool, tp: f64) -> Products {
    between(f64::from(shape.hidden_size), width, shape.gated_mlp, is_biased, tp)
}

/// Returns the products of an MLP from `hidden` channels and back.
pub fn between(hidden: f64, width: f64, is_gated: bool, is_biased: bool, tp: f64) -> Products {
    let into = |role| Operator::by_columns(role, hidden, width, tp).biased(width, is_biased);
    let up = into(Role::Up);
    Products::three([
        into(Role::Gate).when(is_gated),
        if is_gated { up.joined() } else { up },
        // Without a width there is no MLP.
        Operator::by_rows(Role::Down, width, hidden, tp).biased(hidden, is_biased).when(width > 0.0),
    ])
}
