//! Explanations of the kinds of work in a step's timeline. The step is simulated event by event, so
//! sums are exact except for the slow-down of compute next to a collective.

use super::super::{Context, Explanation};
use super::{always, number, passes_once, scores, waits_for_data, when};
use crate::symbols::step::{gathers_by_tree, scatters_by_tree};
use engine::model::report::Work;
use engine::model::training::Sharding;
use engine::units::Seconds;

const PLAYED: &str = "docs/book/model/compute.md and docs/book/model/overlap.md.";
const NETWORK: &str = "docs/book/model/collectives.md; bus bandwidth as in nccl-tests.";
const KERNELS: &str = "Kernels that are slower for unmeasured shapes.";
const TRAFFIC: &str = "Congestion by other jobs, and colliding routes in the fabric.";

/// Whether every collective has the same size: a single pipeline stage, no experts, weights on the
/// GPU.
fn is_plain(c: &Context) -> bool {
    c.setup.mesh.pp == 1
        && c.peak.stage.params.held.expert <= 0.0
        // With several kinds of layers, the peak has the largest and the time has the mean.
        && !c.setup.architecture.pattern.is_used()
        && !c.setup.offload.parameters
        && matches!(c.setup.sharding, Sharding::Fsdp(_))
        && c.setup.mesh.shard_group() > 1
        && c.setup.network.topology == engine::model::hardware::Topology::Aware
}

fn scatters_alone(c: &Context) -> bool {
    is_plain(c) && c.setup.mesh.dp_replicate == 1
}

fn reduces_across(c: &Context) -> bool {
    c.plan.replicate_lane().get() > 0.0
}

pub(super) const WORK: &[Explanation] = &[
    number(
        "forward",
        "Forward",
        &[when(passes_once, "T_fwd ≈ m · l · t_fwd"), when(scores, "T_fwd ≈ m · (1 + n_scored) · l · t_fwd")],
        [
            "Forward passes of all layers: matrix products, attention and element-wise work, each at the rate that the GPU reaches for its size, but at least the host’s launch time. The step is simulated event by event: a layer is slower during a collective.",
            "docs/book/model/compute.md: a [roofline] for each class of operator.",
            KERNELS,
        ],
    ),
    number(
        "backward",
        "Backward",
        &[always("T_bwd ≈ m · l · t_bwd")],
        [
            "Backward passes of all layers: two products for each of the forward pass, and recomputation under [activation checkpointing]. The step is simulated event by event: a layer is slower during a collective.",
            "docs/book/model/compute.md: a [roofline] for each class of operator.",
            KERNELS,
        ],
    ),
    number(
        "head",
        "Head and loss",
        &[
            when(passes_once, "T_head = m · t_head"),
            // Passes without gradients have waits for the host of their own.
            when(
                |c| {
                    scores(c)
                        && c.plan.pass_waits_for_host() <= Seconds::ZERO
                        && c.plan.waits_for_host() <= Seconds::ZERO
                },
                "T_head = m · (1 + n_scored / 3) · t_head",
            ),
        ],
        [
            "The output head’s products with the whole vocabulary and the cross-entropy over it, forward and backward, on the stage that holds them.",
            PLAYED,
            KERNELS,
        ],
    ),
    number(
        "embedding",
        "Embedding",
        &[always("T_emb ≈ m · t_emb")],
        [
            "The look-up of each token’s row, forward, and the sum of gradients into the rows, backward: only memory traffic.",
            PLAYED,
            "Rows shared by many tokens, whose sums wait for each other.",
        ],
    ),
    number(
        "experts",
        "Experts",
        &[
            when(passes_once, "T_expert = m · l · t_expert"),
            when(scores, "T_expert = m · l · (t_expert + n_scored · t_expert_fwd)"),
        ],
        [
            "Products of the routed experts on the busiest GPU, and the sorting of their tokens.",
            "docs/book/model/experts.md; Tutel (arXiv 2206.03382), MegaBlocks (arXiv 2211.15841).",
            "An imbalance that changes from step to step.",
        ],
    ),
    number(
        "update",
        "Optimizer",
        &[always("T_update = t_update + T_after")],
        [
            "The update reads weights, gradients and state of this GPU’s shard and writes weights and state: memory traffic, but at least the host’s launch time. Muon and GaLore add products, and paged state crosses the host link in both directions.",
            PLAYED,
            "The norm for gradient clipping and its reduction; the decomposition that updates GaLore’s projection.",
        ],
    ),
    number(
        "all-gather-time",
        "All-gather",
        &[
            when(|c| is_plain(c) && !gathers_by_tree(c), "t_gather = (Z − 1) / Z · S_gather / B_bus + t_hops"),
            when(
                |c| is_plain(c) && gathers_by_tree(c),
                "t_gather = (Z − 1) / Z · S_gather / (e_tree · B_bus) + t_tree",
            ),
        ],
        [
            "The GPUs of the shard group exchange their shards of one layer’s weights: an [all-gather], before the layer’s forward pass and, if weights were freed, before its backward pass. It runs one layer ahead of compute; the part that compute does not hide is exposed. With one GPU per node, NCCL can gather along trees, in fewer steps.",
            NETWORK,
            TRAFFIC,
        ],
    ),
    number(
        "reduce-scatter-time",
        "Reduce-scatter",
        &[
            when(
                |c| scatters_alone(c) && !scatters_by_tree(c),
                "t_scatter = (Z − 1) / Z · S_scatter / B_bus + t_hops_back",
            ),
            when(
                |c| scatters_alone(c) && scatters_by_tree(c),
                "t_scatter = (Z − 1) / Z · S_scatter / (e_tree · B_bus) + t_tree",
            ),
        ],
        [
            "The gradients of one layer are summed over the shard group, and each GPU keeps its part: a [reduce-scatter] during the backward pass of earlier layers. The last one is exposed.",
            NETWORK,
            TRAFFIC,
        ],
    ),
    number(
        "all-reduce-time",
        "All-reduce",
        &[when(reduces_across, "T_across = m_reduce · (l · t_across + t_root)")],
        [
            "Gradients, or their shards, are summed over replicas: an [all-reduce] during the backward pass. Hybrid sharding has a second lane for it.",
            NETWORK,
            TRAFFIC,
        ],
    ),
    number(
        "dispatch",
        "Dispatch",
        &[when(passes_once, "T_a2a = m · l · t_a2a"), when(scores, "T_a2a = m · l · (t_a2a + n_scored · t_a2a_fwd)")],
        [
            "Tokens travel to the GPUs of their experts and back: an [all-to-all] each way, in both passes. Chunks or another micro-batch’s compute hide part of it.",
            "docs/book/model/experts.md; Tutel (arXiv 2206.03382).",
            TRAFFIC,
        ],
    ),
    number(
        "exchange",
        "Exchange",
        &[
            when(passes_once, "T_exchange = m · t_exchange"),
            when(scores, "T_exchange = m · (t_exchange + n_scored · t_exchange_fwd)"),
        ],
        [
            "Exchanges between kernels: all-gathers and reduce-scatters of [tensor parallelism], keys and values of [context parallelism], activations between stages.",
            PLAYED,
            TRAFFIC,
        ],
    ),
    number(
        "bubble-time",
        "Pipeline bubble",
        &[
            when(|c| !waits_for_data(c), "T_bubble = T_step − T_forward − T_backward − T_update"),
            when(waits_for_data, "T_bubble = T_step − T_forward − T_backward − T_update − T_data"),
        ],
        [
            "Time in which the stage that ends last waits for the others: (pp − 1) passes under 1F1B, 1/v of that if interleaved, less under the zero-bubble schedules. Uneven stages wait for the slowest.",
            "docs/book/model/overlap.md; arXiv 2104.04473, 2401.10241 and 2405.15362.",
            "Transfers between stages that overlap compute.",
        ],
    ),
];

/// Returns the key of the card of a kind of work.
pub const fn work_card_key(work: Work) -> &'static str {
    match work {
        Work::EmbeddingForward | Work::EmbeddingBackward => "embedding",
        Work::LayerForward => "forward",
        Work::Head => "head",
        Work::LayerBackward => "backward",
        Work::Experts => "experts",
        Work::OptimizerStep => "update",
        Work::AllGather => "all-gather-time",
        Work::ReduceScatter => "reduce-scatter-time",
        Work::AllReduce => "all-reduce-time",
        Work::Dispatch | Work::Combine => "dispatch",
        Work::Exchange => "exchange",
        Work::Bubble => "bubble-time",
    }
}
