//! Counts of token routing: tokens, copies and experts on one GPU (docs/book/model/experts.md).

use super::per_rank;
use super::setup::Setup;
use super::transformer::Experts;

/// Returns the tokens that one GPU holds at the start of a layer's experts: tensor parallelism
/// splits them, `T / tp`.
pub fn local_tokens(setup: &Setup) -> f64 {
    per_rank::tokens(setup) / f64::from(setup.mesh.tp.max(1))
}

/// Returns the token copies that one GPU sends to experts in one micro-batch and layer, `k f T /
/// tp`.
pub fn copies(setup: &Setup) -> f64 {
    f64::from(setup.architecture.experts.top_k()) * setup.experts.capacity_factor * local_tokens(setup)
}

/// Returns the copies that arrive at one GPU's experts: each GPU of an expert-tensor group receives
/// all copies of the group, `etp k f T / tp`, times the load imbalance on the busiest GPU.
pub fn received(setup: &Setup) -> f64 {
    copies(setup) * f64::from(setup.mesh.etp.max(1)) * setup.experts.imbalance
}

/// Returns the routed experts on one GPU, `E / ep`.
pub fn local_experts(setup: &Setup) -> f64 {
    f64::from(setup.architecture.experts.num_experts) / f64::from(setup.mesh.ep.max(1))
}

/// Returns the mean number of parts that a token with k experts is sent to, of `parts` equal parts
/// of the experts: `parts (1 - (1 - 1/parts)^k)`, as for independent choices, and under
/// device-limited routing at most `topk_group` of `n_group`.
///
/// ```
/// # use engine::model::{routing::parts_reached, transformer::Experts};
/// // DeepSeek V3: 8 of 256 experts on 8 nodes, “each token will be sent to at most 4 nodes” (arXiv 2412.19437, section 2.1.2).
/// let experts = Experts { num_experts: 256, num_experts_per_tok: 8, n_group: 8, topk_group: 4, ..Experts::NONE };
/// assert_eq!(parts_reached(&experts, 8.0).round(), 4.0);
/// assert_eq!(parts_reached(&Experts { n_group: 0, ..experts }, 8.0).round(), 5.0);
/// // Over two nodes four groups are nearly always on both.
/// assert!(parts_reached(&experts, 2.0) > 1.8);
/// ```
pub fn parts_reached(experts: &Experts, parts: f64) -> f64 {
    let limited = experts.n_group > 1 && experts.topk_group > 0 && experts.topk_group < experts.n_group;
    if !limited {
        return reached(parts, experts.top_k());
    }
    let (groups, chosen) = (f64::from(experts.n_group), f64::from(experts.topk_group));
    if parts >= groups {
        // The chosen groups cover a proportional share of the parts.
        return reached(parts * chosen / groups, experts.top_k());
    }
    // Count of parts that hold the groups used by a token.
    let used = reached(chosen, experts.top_k());
    let whole = used.floor();
    let (fewer, more) = (reached(parts, whole as u32), reached(parts, whole as u32 + 1));
    fewer + (used - whole) * (more - fewer)
}

/// Returns the mean number of `parts` that `choices` independent choices reach.
fn reached(parts: f64, choices: u32) -> f64 {
    let mut missed = 1.0;
    for _ in 0..choices {
        missed *= 1.0 - 1.0 / parts;
    }
    parts * (1.0 - missed)
}
