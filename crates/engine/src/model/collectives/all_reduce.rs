//! All-reduces: a ring, a double binary tree, or switches that reduce, whichever is faster, as NCCL chooses.

use super::ring::{around_ring, start};
use super::{Group, all_gather, between_rate, bus_bandwidth, inside_rate, levels};
use crate::model::cost::{CollectiveKind, Cost, Traffic};
use crate::model::hardware::{Network, Topology};
use crate::units::{Bytes, Seconds};

/// A hop of a tree over one of a ring, as it takes from two children and gives to both: all-reduces of 256 MB over 4 to 32 nodes
/// take this much more than `2 log2(m)` hops (ultra-scale playbook).
const TREE_HOP: f64 = 1.6;
/// Passes of an all-reduce in a ring.
const RING_PASSES: f64 = 2.0;
/// GPUs of a communicator in a node up to which its switches do not reduce (NCCL `src/transport/nvls.cc`).
pub const NO_SWITCH: f64 = 2.0;

/// Time of an all-reduce of `size` bytes S: the faster of a ring and a tree.
///
/// - Ring: `2 (n-1)/n S/B`, twice around.
/// - Inside a node with more than two ranks, switches that reduce take fewer passes than 2 (NVLS).
/// - Tree over the nodes: a card carries the sum of its node up and the result down, `2 S / (r B_nic)`; over two nodes, which only
///   swap their sums, once that (NCCL `src/graph/tuning.cc`). Inside the nodes the same bytes take the passes of above.
///
/// ```
/// # use engine::catalog::cluster;
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

/// The cost of an all-reduce of `size` bytes ([`all_reduce`]).
pub fn all_reduce_cost<C: Cost<Traffic>>(network: &Network, group: Group, size: Bytes) -> C {
    if group.ranks <= 1.0 {
        return C::default();
    }
    let time = match network.topology {
        Topology::Flat => 2.0 * all_gather(network, group, size),
        Topology::Aware => start(network) + around(network, group, size).min(by_tree(network, group, size)),
    };
    C::new(time, || Traffic::new(CollectiveKind::AllReduce, size, group.ranks))
}

/// Twice around a ring; inside a node, by its switches.
fn around(network: &Network, group: Group, size: Bytes) -> Seconds {
    let passes = if group.crosses_nodes() { RING_PASSES } else { inside_passes(network, group) };
    let moved = size * (passes * (group.ranks - 1.0) / group.ranks);
    moved / bus_bandwidth(network, group) + 2.0 * around_ring(network, group)
}

/// Up a tree over the nodes and down again.
fn by_tree(network: &Network, group: Group, size: Bytes) -> Seconds {
    let inside =
        size * (inside_passes(network, group) * (group.ranks - 1.0) / group.ranks) / inside_rate(network, group);
    let moved = if group.crosses_nodes() {
        let crossings = if group.nodes() <= 2.0 { 1.0 } else { 2.0 };
        inside.max(size * crossings / (group.ranks_per_node * between_rate(network, group)))
    } else {
        inside
    };
    moved + tree_latency(network, group)
}

/// Passes over the links inside a node.
fn inside_passes(network: &Network, group: Group) -> f64 {
    let passes = network.all_reduce_passes;
    if group.ranks_per_node > NO_SWITCH { passes } else { passes.max(RING_PASSES) }
}

/// Latency of a reduction up and a broadcast down a binary tree over the nodes, with a chain inside each.
fn tree_latency(network: &Network, group: Group) -> Seconds {
    let hops = TREE_HOP * levels(group);
    2.0 * (hops * network.inter_node_latency + (group.ranks_per_node - 1.0) * network.intra_node_latency)
}
