//! Mixtures of experts on many GPUs (docs/book/model/experts.md): how tokens reach their experts,
//! and what the experts compute.

pub mod choice;
pub mod exchange;
pub mod layer;
pub mod overlap;
pub mod routing;

pub use super::collectives::AllToAll;
pub use super::parallel::{Dispatcher, ExpertParallel};
use super::per_rank;
use super::setup::Setup;

/// Tokens that one GPU holds where a layer's experts begin: tensor parallelism shares them, `T /
/// tp`.
pub fn local_tokens(setup: &Setup) -> f64 {
    per_rank::tokens(setup) / f64::from(setup.mesh.tp.max(1))
}

/// Copies of tokens that one GPU sends to experts in one micro-batch and layer, `k f T / tp`.
pub fn copies(setup: &Setup) -> f64 {
    f64::from(setup.architecture.experts.top_k()) * setup.experts.capacity_factor * local_tokens(setup)
}

/// Copies that arrive at one GPU's experts, on average: its part of an expert-tensor group sees all
/// of that group's, `etp k f T / tp`, times the imbalance where it is the busiest.
pub fn received(setup: &Setup) -> f64 {
    copies(setup) * f64::from(setup.mesh.etp.max(1)) * setup.experts.imbalance
}

/// Routed experts on one GPU, `E / ep`.
pub fn local_experts(setup: &Setup) -> f64 {
    f64::from(setup.architecture.experts.num_experts) / f64::from(setup.mesh.ep.max(1))
}

/// Mean number of `parts` equal parts of the experts that a token with k experts is sent to: `parts
/// (1 - (1 - 1/parts)^k)`, as if each choice were independent, and under device-limited routing no
/// more than `topk_group` of `n_group`.
///
/// ```
/// # use engine::model::{experts::parts_reached, transformer::Experts};
/// // DeepSeek V3: 8 of 256 experts on 8 nodes, “each token will be sent to at most 4 nodes” (arXiv 2412.19437, section 2.1.2).
/// let experts = Experts { num_experts: 256, num_experts_per_tok: 8, n_group: 8, topk_group: 4, ..Experts::NONE };
/// assert_eq!(parts_reached(&experts, 8.0).round(), 4.0);
/// assert_eq!(parts_reached(&Experts { n_group: 0, ..experts }, 8.0).round(), 5.0);
/// // Over two nodes four groups are nearly always on both.
/// assert!(parts_reached(&experts, 2.0) > 1.8);
/// ```
pub fn parts_reached(experts: &super::transformer::Experts, parts: f64) -> f64 {
    let limited = experts.n_group > 1 && experts.topk_group > 0 && experts.topk_group < experts.n_group;
    if !limited {
        return reached(parts, experts.top_k());
    }
    let (groups, chosen) = (f64::from(experts.n_group), f64::from(experts.topk_group));
    if parts >= groups {
        // The chosen groups lie on their share of the parts.
        return reached(parts * chosen / groups, experts.top_k());
    }
    // Of the groups that a token uses, those on another part than the ones before.
    let used = reached(chosen, experts.top_k());
    let whole = used.floor();
    let (fewer, more) = (reached(parts, whole as u32), reached(parts, whole as u32 + 1));
    fewer + (used - whole) * (more - fewer)
}

/// Mean number of `parts` that so many independent choices fall on.
fn reached(parts: f64, choices: u32) -> f64 {
    let mut missed = 1.0;
    for _ in 0..choices {
        missed *= 1.0 - 1.0 / parts;
    }
    parts * (1.0 - missed)
}
