//! The cost of collectives on a two-level network (docs/book/model/collectives.md).
//!
//! Sizes are of the whole (unsharded) buffer, as in nccl-tests; the algorithm bandwidth follows
//! from them.

pub mod all_reduce;
pub mod all_to_all;
pub mod fabric;
pub mod group;
pub mod nccl;
pub mod ring;
pub mod torus;

pub use all_reduce::{all_reduce, all_reduce_cost};
pub use all_to_all::{AllToAll, all_to_all};
pub use group::Group;
pub use ring::{Ring, all_gather, reduce_scatter};

use super::hardware::{Network, Topology};
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Whether a group's collectives are priced at the network between nodes.
pub fn uses_inter_node(network: &Network, group: Group) -> bool {
    group.ranks > 1.0 && (group.crosses_nodes() || network.topology == Topology::Flat)
}

/// Bus bandwidth of a ring over the group: `B_intra` on one node, else `min(B_intra, r B_nic)`, as
/// rings leave each node through all of its r rails. Effective rates: nominal times the measured
/// efficiency.
///
/// A flat network prices every group at one card's `B_nic` (arXiv 2504.03655).
pub fn bus_bandwidth(network: &Network, group: Group) -> BytesPerSecond {
    match network.topology {
        Topology::Flat => network.inter_node * network.inter_node_efficiency,
        Topology::Aware if group.crosses_nodes() => {
            let carried = group.ranks_per_node * (network.inter_node * network.inter_node_efficiency);
            inside_rate(network, group).min(carried / fabric::slowdown(network, group)) / decay(network, group)
        }
        Topology::Aware => inside_rate(network, group),
    }
}

/// Returns the effective rate of one GPU inside the node, over the links that the group uses.
fn inside_rate(network: &Network, group: Group) -> BytesPerSecond {
    network.intra_node * (network.intra_node_efficiency * group.links)
}

/// Returns the effective rate of one card in rings and trees between nodes.
fn between_rate(network: &Network, group: Group) -> BytesPerSecond {
    let slower = fabric::slowdown(network, group) * decay(network, group);
    network.inter_node * (network.inter_node_efficiency / slower)
}

/// Returns the factor by which a byte takes longer on a fabric that loses speed with each node.
fn decay(network: &Network, group: Group) -> f64 {
    1.0 + network.node_decay * (group.nodes() - 1.0)
}

/// Levels of a binary tree over the nodes.
fn levels(group: Group) -> f64 {
    f64::from((group.nodes() as u32).max(1).next_power_of_two().ilog2())
}

/// Returns the time of an exchange in which every rank sends `outside` bytes to other nodes, which
/// are forwarded there, and `inside` bytes in all to GPUs. Both exchanges, and all messages, run
/// concurrently.
pub fn forwarded(network: &Network, group: Group, inside: Bytes, outside: Bytes) -> Seconds {
    if group.ranks <= 1.0 {
        return Seconds::ZERO;
    }
    let card = network.inter_node * network.inter_node_efficiency;
    let (inside, outside) = match network.topology {
        Topology::Flat => (Bytes::ZERO, inside),
        Topology::Aware => (inside, outside),
    };
    let slower = fabric::exchange_slowdown(network, group) * decay(network, group);
    let through = inside / inside_rate(network, group);
    let latency = if group.crosses_nodes() { network.inter_node_latency } else { Seconds::ZERO };
    through.max(outside / card * slower) + latency + network.intra_node_latency
}

/// Returns the time in which every rank sends `size` bytes to the next rank of its group, on
/// another node or on its own: `α + S/B`. Uplinks of leaf switches are shared, as in a ring.
///
/// ```
/// # use engine::model::{collectives::{Group, point_to_point}, hardware::{Network, Topology}};
/// # use links::decode;
/// # use engine::units::{Bytes, BytesPerSecond, Seconds};
/// # let network = decode("cluster=dgx-h100").scenario.setup().network;
/// // 400 GB/s inside a node and 50 between, 3 and 9 us: 1 GB to a neighbour on the same node.
/// let network = Network {
///     intra_node: BytesPerSecond::new(400e9), intra_node_efficiency: 1.0, intra_node_latency: Seconds::from_us(3.0),
///     inter_node: BytesPerSecond::new(50e9), inter_node_efficiency: 1.0, inter_node_latency: Seconds::from_us(9.0),
///     ..network
/// };
/// let sent = |topology, crosses_nodes| {
///     let group = Group { ranks: 2.0, ranks_per_node: 2.0, spacing: 1.0, links: 1.0 };
///     point_to_point(&Network { topology, ..network }, group, crosses_nodes, Bytes::new(1e9)).get()
/// };
/// assert_eq!(sent(Topology::Aware, false), 0.0025 + 3e-6);
/// // A flat network prices it at the card between nodes, as it does whatever leaves the node.
/// assert_eq!(sent(Topology::Flat, false), 0.02 + 9e-6);
/// assert_eq!(sent(Topology::Aware, true), 0.02 + 9e-6);
/// ```
pub fn point_to_point(network: &Network, group: Group, crosses_nodes: bool, size: Bytes) -> Seconds {
    let size = size * fabric::slowdown(network, group);
    if crosses_nodes || network.topology == Topology::Flat {
        size / (network.inter_node * network.inter_node_efficiency) + network.inter_node_latency
    } else {
        size / (network.intra_node * network.intra_node_efficiency) + network.intra_node_latency
    }
}
