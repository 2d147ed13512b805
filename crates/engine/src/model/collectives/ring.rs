//! All-gathers and reduce-scatters: rings, and trees of aggregated messages (PAT) where a group has one rank a node.

use super::{Group, bus_bandwidth, levels};
use crate::model::cost::{CollectiveKind, Cost, Traffic};
use crate::model::hardware::{Network, Topology};
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Time of an all-gather to `size` bytes: `(n-1)/n S/B + (m-1) α_inter + (n-m) α_intra` in a ring over m nodes. With one rank a
/// node NCCL from 2.23 on can gather in `log2 n` steps instead, and takes whichever is faster ([`PAT_RATE`]).
///
/// A flat network charges the whole of S and one latency a rank, `S/B_nic + n ε`, the transfer time of the FSDP bounds.
/// A group of one rank takes no time.
///
/// ```
/// # use engine::model::{collectives::{all_gather, Group}, hardware::{Fabric, Host, Network, Topology}};
/// # use engine::units::{Bytes, BytesPerSecond, Seconds};
/// // H100 nodes of 8: 256 MiB gathered at a measured bus bandwidth of 249.8 GB/s take 0.94 ms
/// // (ultra-scale playbook's nccl-tests).
/// let network = Network {
///     gpus_per_node: 8,
///     intra_node: BytesPerSecond::from_gb_per_s(249.849),
///     inter_node: BytesPerSecond::from_gbit_per_s(400.0),
///     intra_node_latency: Seconds::ZERO,
///     inter_node_latency: Seconds::ZERO,
///     intra_node_efficiency: 1.0,
///     inter_node_efficiency: 1.0,
///     all_reduce_passes: 2.0,
///     node_decay: 0.0,
///     relays: true,
///     torus: 0,
///     topology: Topology::Aware,
///     fabric: Fabric::NON_BLOCKING,
///     host: Host::USUAL,
/// };
/// let time = all_gather(&network, Group::consecutive(8, 8, &network), Bytes::new(268_435_456.0));
/// assert!((time.ms() - 0.940).abs() < 0.001);
/// ```
pub fn all_gather(network: &Network, group: Group, size: Bytes) -> Seconds {
    if group.ranks <= 1.0 {
        return Seconds::ZERO;
    }
    Ring::of(network, group).all_gather(size)
}

/// What all-gathers of a group have in common, whatever their size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// The part of the buffer that passes through each rank.
    share: f64,
    bandwidth: BytesPerSecond,
    latency: Seconds,
    /// The latency of a tree, at [`PAT_RATE`] of the ring's rate; a ring's where there is none.
    tree_latency: Seconds,
    ranks: f64,
}

/// Rate of parallel aggregated trees (PAT) over a ring's, as NCCL prices them (`src/graph/tuning.cc`, from 2.23 on).
pub const PAT_RATE: f64 = 0.75;
/// Time of one rank's share of the buffer in such a tree, in the same place.
const PAT_RANK: Seconds = Seconds::from_us(2.8);

/// Latency of a tree that gathers from, or reduces to, groups with one rank on each node: `log2 n` hops, and 2.8 us a rank; `None`
/// where ranks share nodes.
fn pat_latency(network: &Network, group: Group) -> Option<Seconds> {
    let is_one_a_node = group.ranks_per_node <= 1.0 && network.topology == Topology::Aware;
    is_one_a_node.then(|| start(network) + levels(group) * network.inter_node_latency + group.ranks * PAT_RANK)
}

impl Ring {
    /// The ring over a group.
    pub fn of(network: &Network, group: Group) -> Self {
        let (share, latency) = match network.topology {
            Topology::Flat => (1.0, group.ranks * network.inter_node_latency),
            Topology::Aware => ((group.ranks - 1.0) / group.ranks, start(network) + around_ring(network, group)),
        };
        let bandwidth = bus_bandwidth(network, group);
        Self {
            share,
            latency,
            tree_latency: pat_latency(network, group).unwrap_or(latency),
            bandwidth,
            ranks: group.ranks,
        }
    }

    fn around(&self, size: Bytes) -> Seconds {
        size * self.share / self.bandwidth + self.latency
    }

    fn by_tree(&self, size: Bytes) -> Seconds {
        size * self.share / self.bandwidth / PAT_RATE + self.tree_latency
    }

    /// Whether collectives of `size` bytes run over trees.
    pub fn is_tree(&self, size: Bytes) -> bool {
        self.by_tree(size) < self.around(size)
    }

    /// Time of the ring's hops, and of a tree's.
    pub fn hops(&self) -> [Seconds; 2] {
        [self.latency, self.tree_latency]
    }

    /// Time of an all-gather to `size` bytes, or of a reduce-scatter of as many ([`all_gather`]).
    pub fn all_gather(&self, size: Bytes) -> Seconds {
        self.all_gather_cost(size)
    }

    /// The cost of an all-gather to `size` bytes, or of a reduce-scatter of as many.
    pub fn all_gather_cost<C: Cost<Traffic>>(&self, size: Bytes) -> C {
        if self.ranks <= 1.0 {
            return C::default();
        }
        let time = self.around(size).min(self.by_tree(size));
        C::new(time, || Traffic::new(CollectiveKind::Gather, size, self.ranks))
    }
}

/// Time of a reduce-scatter of `size` bytes: the all-gather's, run backwards.
pub fn reduce_scatter(network: &Network, group: Group, size: Bytes) -> Seconds {
    all_gather(network, group, size)
}

/// Latency of one pass around a ring: each node is entered once, the other hops are inside nodes.
pub(super) fn around_ring(network: &Network, group: Group) -> Seconds {
    let nodes = group.nodes();
    (nodes - 1.0) * network.inter_node_latency + (group.ranks - nodes) * network.intra_node_latency
}

/// Hops inside a node that a collective takes before its first byte moves, about 20 us over NVLink: the launch of its kernel, and
/// NCCL's base latency of 8.4 us (`src/graph/tuning.cc`, `baseLat`). All-gathers of 32 MB over two p5.48xlarge take that long
/// beside their bytes and hops.
const START_HOPS: f64 = 6.0;

/// Time before the first byte of a collective moves.
pub(super) fn start(network: &Network) -> Seconds {
    START_HOPS * network.intra_node_latency
}
