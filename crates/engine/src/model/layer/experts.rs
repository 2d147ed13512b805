//! The second block of an expert layer (docs/book/model/experts.md): the router and what every
//! token passes, and one routed expert.

use super::{Operator, Products, Role, Split, mlp};
use crate::model::transformer::Architecture;

/// Returns the products that every token passes on one of `tp` GPUs: the shared experts' MLP, the
/// router, whose tokens sequence parallelism splits, and the products to the latent width of routed
/// experts and back.
pub(super) fn beside(shape: &Architecture, tp: f64) -> Products {
    let experts = &shape.experts;
    let hidden = f64::from(shape.hidden_size);
    let (scores, latent) = (f64::from(experts.num_experts), f64::from(experts.latent_size));
    let shared = mlp::products(shape, f64::from(experts.shared_intermediate_size), experts.expert_bias, tp);
    let [gate, up, down] = shared.first_three();
    let router = Operator { split: Split::Tokens, ..Operator::by_columns(Role::Router, hidden, scores, tp) };
    let there = Operator::by_columns(Role::ExpertLatent, hidden, latent, tp);
    let back = Operator::by_columns(Role::ExpertLatent, latent, hidden, tp).when(latent > 0.0);
    Products::new([gate, up, down, router, there, back])
}

/// Returns the products of one routed expert on one of `etp` GPUs.
pub(super) fn one(shape: &Architecture, etp: f64) -> Products {
    let (hidden, experts) = (f64::from(shape.expert_hidden_size()), &shape.experts);
    mlp::between(hidden, f64::from(experts.moe_intermediate_size), shape.gated_mlp, experts.expert_bias, etp)
}

/// Returns the elements of the vectors: a bias of the router for each expert, and a gate of the
/// shared experts over the width of the model.
pub(super) fn vectors(shape: &Architecture) -> f64 {
    let experts = &shape.experts;
    let when = |is: bool, elements: u32| if is { f64::from(elements) } else { 0.0 };
    when(experts.router_bias, experts.num_experts) + when(experts.shared_expert_gate, shape.hidden_size)
}
