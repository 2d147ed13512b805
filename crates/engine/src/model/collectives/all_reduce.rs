//! All-reduces: the fastest of a ring, a double binary tree and in-switch reduction, as NCCL
//! chooses.

use super::nccl::{self, NO_SWITCH, RING_HOP_US, SWITCH_HOP_US, TREE_RATE};
use super::ring::{Ring, start};
use super::{Group, all_gather, between_rate, inside_rate, levels};
use crate::model::cost::{CollectiveKind, Cost, Traffic};
use crate::model::hardware::{Network, Topology};
use crate::units::{Bytes, Seconds};

/// Passes of an all-reduce in a ring.
const RING_PASSES: f64 = 2.0;

/// Returns the time of an all-reduce of `size` bytes S: the faster of a ring and a tree, after a
/// start-up time.
///
/// - Ring: `2 (n-1)/n S/B`, two passes, each with the exposed latency of its hops
///   ([`super::ring::hop`]).
/// - Tree over the nodes: a card carries the sum of its node up and the result down, `2 S / (r
///   B_nic)`; half of that over two nodes, which only swap their sums (NCCL `src/graph/tuning.cc`).
///   Inside the nodes, the bytes are reduced by [`by_switches`] or [`by_tree`].
///
/// ```
/// # use catalog::cluster;
/// # use engine::model::collectives::{Group, all_reduce};
/// # use engine::units::Bytes;
/// let p5 = cluster("p5").and_then(|entry| entry.network()).unwrap().values;
/// let bus = |gpus: u32| {
///     let (size, ranks) = (8_589_934_592.0, f64::from(gpus));
///     let time = all_reduce(&p5, Group::consecutive(gpus, gpus, &p5), Bytes::new(size));
///     2.0 * (ranks - 1.0) / ranks * size / time.get() / 1e9
/// };
/// // 8 GB over two and over eight nodes: 478 and 355 GB/s (tests/measured/network_collectives_p5.csv).
/// assert!((bus(16) / 477.71 - 1.0).abs() < 0.08);
/// assert!((bus(64) / 355.36 - 1.0).abs() < 0.11);
/// ```
pub fn all_reduce(network: &Network, group: Group, size: Bytes) -> Seconds {
    all_reduce_cost(network, group, size)
}

/// Returns the cost of an all-reduce of `size` bytes ([`all_reduce`]).
pub fn all_reduce_cost<C: Cost<Traffic>>(network: &Network, group: Group, size: Bytes) -> C {
    if group.ranks <= 1.0 {
        return C::default();
    }
    let time = match network.topology {
        Topology::Flat => 2.0 * all_gather(network, group, size),
        Topology::Aware => {
            let tree = if has_switches(network, group) { by_switches } else { by_tree };
            start(network) + around(network, group, size).min(tree(network, group, size))
        }
    };
    C::new(time, || Traffic::new(CollectiveKind::AllReduce, size, group.ranks))
}

/// Returns the time of an all-reduce in a ring: two passes.
fn around(network: &Network, group: Group, size: Bytes) -> Seconds {
    RING_PASSES * Ring::new(network, group).pass(size)
}

/// Returns the passes of a node's share of the buffer over a network card in a tree over the nodes:
/// up and down; one if two nodes swap their sums.
fn crossings(group: Group) -> f64 {
    match group.nodes() {
        nodes if nodes <= 1.0 => 0.0,
        nodes if nodes <= 2.0 => 1.0,
        _ => 2.0,
    }
}

/// Returns the time of a double binary tree over the nodes with a chain inside each: `max(2 (n-1)/n
/// S/B_intra, 2 S/(r B_nic)) / (0.92 c(S))` and `2 (log2(m) α_inter + (r-1) α_intra)`, with c for
/// filling and draining ([`nccl::corrected`]).
///
/// ```
/// # use catalog::cluster;
/// # use engine::model::collectives::{Group, all_reduce::by_tree};
/// # use engine::units::Bytes;
/// // NCCL's own estimate for 32 MB over 16 nodes: 0.7 of 0.92 of the ring's rate.
/// let a100 = cluster("dgx-a100-80").and_then(|entry| entry.network()).unwrap().values;
/// let time = by_tree(&a100, Group::consecutive(128, 128, &a100), Bytes::new(33_554_432.0));
/// let card = a100.inter_node.get() * a100.inter_node_efficiency;
/// let hops = 2.0 * (4.0 * a100.inter_node_latency + 7.0 * a100.intra_node_latency);
/// assert!((time.get() - hops.get() - 2.0 * 33_554_432.0 / (8.0 * card) / 0.92 / 0.7).abs() < 1e-9);
/// ```
pub fn by_tree(network: &Network, group: Group, size: Bytes) -> Seconds {
    let ring = RING_PASSES * (group.ranks - 1.0) / group.ranks / inside_rate(network, group).get();
    let cards = crossings(group) / (group.ranks_per_node * between_rate(network, group)).get();
    let taken = nccl::corrected(size.get()) / TREE_RATE;
    let hops =
        levels(group) * network.inter_node_latency + (group.ranks_per_node - 1.0).max(0.0) * network.intra_node_latency;
    Seconds::new(taken * ring.max(cards)) + 2.0 * hops
}

/// Returns the time of an all-reduce that the switches inside nodes reduce, with a tree over the
/// nodes (NVLS, NVLS tree), as a pipeline of rounds of K bytes ([`nccl::round`]): `S-K` bytes at
/// the rate of the slowest stage, and K bytes through each stage, `(S-K) max(p (n-1)/n/B_intra,
/// 2/(r B_nic)) + K (p (n-1)/n/B_intra + 2 log2(m)/(r B_nic))`, with p the passes over the links
/// inside (1.5), and the latencies of NCCL's table relative to those of a ring's hops: `25/3.4
/// α_intra + 2 log2(m) 20.9/14 α_inter`.
///
/// ```
/// # use catalog::cluster;
/// # use engine::model::collectives::{Group, all_reduce};
/// # use engine::units::Bytes;
/// let p5 = cluster("p5").and_then(|entry| entry.network()).unwrap().values;
/// let bus = |gpus: u32, size: f64| {
///     let time = all_reduce(&p5, Group::consecutive(gpus, gpus, &p5), Bytes::new(size));
///     2.0 * (1.0 - 1.0 / f64::from(gpus)) * size / time.get() / 1e9
/// };
/// // With the start, 128 MB over two nodes: 305 GB/s (tests/measured/network_collectives_p5.csv). 256 MB in a node: 436 (ultra-scale playbook).
/// assert!((bus(16, 134_217_728.0) / 305.13 - 1.0).abs() < 0.06);
/// assert!((bus(8, 268_435_456.0) / 435.97 - 1.0).abs() < 0.06);
/// ```
pub fn by_switches(network: &Network, group: Group, size: Bytes) -> Seconds {
    let inside = network.all_reduce_passes * (group.ranks - 1.0) / group.ranks / inside_rate(network, group).get();
    let card = 1.0 / (group.ranks_per_node * between_rate(network, group)).get();
    let round = nccl::round(size.get(), group.ranks_per_node, group.nodes());
    let steady = (size.get() - round) * inside.max(crossings(group) * card);
    let through = round * (inside + 2.0 * levels(group) * card);
    let ([inside_switch, between_switch], [inside_ring, between_ring]) = (SWITCH_HOP_US, RING_HOP_US);
    Seconds::new(steady + through)
        + inside_switch / inside_ring * network.intra_node_latency
        + 2.0 * levels(group) * (between_switch / between_ring) * network.inter_node_latency
}

/// Whether the group's nodes have switches that reduce.
fn has_switches(network: &Network, group: Group) -> bool {
    group.ranks_per_node > NO_SWITCH && network.all_reduce_passes < RING_PASSES
}
