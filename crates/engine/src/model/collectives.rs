//! The cost of collectives on a two-level network (model.md section 4).
//!
//! Sizes are of the whole (unsharded) buffer, as in nccl-tests; the algorithm bandwidth follows from them.

pub mod all_to_all;
pub mod torus;

pub use all_to_all::{AllToAll, all_to_all};

use super::cost::{CollectiveKind, Cost, Traffic};
use super::hardware::{Network, Topology};
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// The ranks of one communicator and how they lie on nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Ranks, n.
    pub ranks: f64,
    /// Ranks on each node, r.
    pub ranks_per_node: f64,
    /// Share of the links inside the node that they use: below 1 on a torus.
    pub links: f64,
}

impl Group {
    /// `ranks` consecutive GPUs of `world`: as many to a node as it holds. Where groups smaller than a node do not divide it,
    /// some lie across two nodes, and those set the pace.
    pub fn consecutive(ranks: u32, world: u32, network: &Network) -> Self {
        let per_node = network.gpus_per_node.max(1);
        let straddles = world > per_node && ranks < per_node && !per_node.is_multiple_of(ranks.max(1));
        Self::over(ranks, if straddles { 2 } else { ranks.div_ceil(per_node) }).on(network, world)
    }

    /// Every `stride`-th of consecutive GPUs of `world`: the replicas of a group of `stride` GPUs.
    pub fn strided(ranks: u32, stride: u32, world: u32, network: &Network) -> Self {
        if stride <= 1 {
            return Self::consecutive(ranks, world, network);
        }
        let node = network.gpus_per_node.max(1);
        let reach = ranks.saturating_mul(stride);
        let straddles = world > node && reach < node && !node.is_multiple_of(reach.max(1));
        let nodes = ranks.div_ceil((node / stride).max(1));
        Self::over(ranks, if straddles { nodes.max(2).min(ranks.max(1)) } else { nodes }).on(network, world)
    }

    fn over(ranks: u32, nodes: u32) -> Self {
        Self { ranks: f64::from(ranks), ranks_per_node: f64::from(ranks) / f64::from(nodes.max(1)), links: 1.0 }
    }

    /// With the links that it uses, where a node of `world` GPUs is a torus.
    fn on(self, network: &Network, world: u32) -> Self {
        if network.torus == 0 {
            return self;
        }
        Self {
            links: torus::links(self.ranks_per_node as u32, network.gpus_per_node.min(world), network.torus),
            ..self
        }
    }

    /// Nodes that the group spans, m.
    pub fn nodes(&self) -> f64 {
        self.ranks / self.ranks_per_node
    }

    /// Whether its collectives cross nodes.
    pub fn crosses_nodes(&self) -> bool {
        self.ranks > self.ranks_per_node
    }
}

/// Whether a group's collectives are priced at the network between nodes.
pub fn uses_inter_node(network: &Network, group: Group) -> bool {
    group.ranks > 1.0 && (group.crosses_nodes() || network.topology == Topology::Flat)
}

/// Bus bandwidth of a ring over the group: `B_intra` on one node, else `min(B_intra, r B_nic)`, as rings leave each node
/// through all of its r rails. Effective rates: nominal times the measured efficiency.
///
/// A flat network prices every group at one card's `B_nic` (arXiv 2504.03655).
pub fn bus_bandwidth(network: &Network, group: Group) -> BytesPerSecond {
    let intra = network.intra_node * (network.intra_node_efficiency * group.links);
    let inter = network.inter_node * network.inter_node_efficiency;
    match network.topology {
        Topology::Flat => inter,
        Topology::Aware if group.crosses_nodes() => {
            let slower = 1.0 + network.node_decay * (group.nodes() - 1.0);
            intra.min(group.ranks_per_node * inter) / slower
        }
        Topology::Aware => intra,
    }
}

/// Time of an all-gather to `size` bytes: `(n-1)/n S/B + (m-1) α_inter + (n-m) α_intra`.
///
/// A flat network charges the whole of S and one latency a rank, `S/B_nic + n ε`, the transfer time of the FSDP bounds.
/// A group of one rank takes no time.
///
/// ```
/// # use engine::model::{collectives::{all_gather, Group}, hardware::{Host, Network, Topology}};
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
///     torus: 0,
///     topology: Topology::Aware,
///     host: Host::USUAL,
/// };
/// let time = all_gather(&network, Group::consecutive(8, 8, &network), Bytes::new(268_435_456.0));
/// assert!((time.ms() - 0.940).abs() < 0.001);
/// ```
pub fn all_gather(network: &Network, group: Group, size: Bytes) -> Seconds {
    Ring::of(network, group).all_gather(size)
}

/// What all-gathers of a group have in common, whatever their size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// The part of the buffer that passes through each rank.
    share: f64,
    bandwidth: BytesPerSecond,
    latency: Seconds,
    ranks: f64,
}

impl Ring {
    /// The ring over a group.
    pub fn of(network: &Network, group: Group) -> Self {
        let (share, latency) = match network.topology {
            Topology::Flat => (1.0, group.ranks * network.inter_node_latency),
            Topology::Aware => ((group.ranks - 1.0) / group.ranks, ring_latency(network, group)),
        };
        Self { share, latency, bandwidth: bus_bandwidth(network, group), ranks: group.ranks }
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
        C::new(size * self.share / self.bandwidth + self.latency, || {
            Traffic::new(CollectiveKind::Gather, size, self.ranks)
        })
    }
}

/// Time of a reduce-scatter of `size` bytes: the all-gather's, run backwards.
pub fn reduce_scatter(network: &Network, group: Group, size: Bytes) -> Seconds {
    all_gather(network, group, size)
}

/// Time of an all-reduce of `size` bytes: twice the all-gather's traffic (less where switches reduce), with the latency of a
/// ring or of a double binary tree between nodes, whichever is less, as NCCL chooses.
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
        Topology::Aware => {
            let moved = size * (network.all_reduce_passes * (group.ranks - 1.0) / group.ranks);
            let ring = 2.0 * ring_latency(network, group);
            moved / bus_bandwidth(network, group) + ring.min(tree_latency(network, group))
        }
    };
    C::new(time, || Traffic::new(CollectiveKind::AllReduce, size, group.ranks))
}

/// Time of an exchange in which every rank sends `outside` bytes to other nodes, from where they are passed on, and `inside` bytes
/// to GPUs in all: both at once, all messages at once.
pub fn forwarded(network: &Network, group: Group, inside: Bytes, outside: Bytes) -> Seconds {
    if group.ranks <= 1.0 {
        return Seconds::ZERO;
    }
    let card = network.inter_node * network.inter_node_efficiency;
    let (inside, outside) = match network.topology {
        Topology::Flat => (Bytes::ZERO, inside),
        Topology::Aware => (inside, outside),
    };
    let slower = 1.0 + network.node_decay * (group.nodes() - 1.0);
    let through = inside / (network.intra_node * network.intra_node_efficiency);
    let latency = if group.crosses_nodes() { network.inter_node_latency } else { Seconds::ZERO };
    through.max(outside / card * slower) + latency + network.intra_node_latency
}

/// Time to send `size` bytes to one other GPU, on another node or on the same: `α + S/B`.
pub fn point_to_point(network: &Network, crosses_nodes: bool, size: Bytes) -> Seconds {
    if crosses_nodes || network.topology == Topology::Flat {
        size / (network.inter_node * network.inter_node_efficiency) + network.inter_node_latency
    } else {
        size / (network.intra_node * network.intra_node_efficiency) + network.intra_node_latency
    }
}

/// Latency of one pass around a ring: each node is entered once, the other hops are inside nodes.
fn ring_latency(network: &Network, group: Group) -> Seconds {
    let nodes = group.nodes();
    (nodes - 1.0) * network.inter_node_latency + (group.ranks - nodes) * network.intra_node_latency
}

/// A hop of a tree over one of a ring, as it takes from two children and gives to both: all-reduces of 256 MB over 4 to 32 nodes
/// take this much more than `2 log2(m)` hops (ultra-scale playbook).
const TREE_HOP: f64 = 1.6;

/// Latency of a reduction up and a broadcast down a binary tree over the nodes, with a chain inside each.
fn tree_latency(network: &Network, group: Group) -> Seconds {
    let levels = TREE_HOP * f64::from((group.nodes() as u32).max(1).next_power_of_two().ilog2());
    2.0 * (levels * network.inter_node_latency + (group.ranks_per_node - 1.0) * network.intra_node_latency)
}
