//! All-gathers and reduce-scatters: rings, and parallel aggregated trees (PAT) for groups with one
//! rank a node.

use super::nccl::{PAT_RANK_US, PAT_RATE, SLICES};
use super::{Group, bus_bandwidth, levels};
use crate::fitted;
use crate::model::cost::{CollectiveKind, Cost, Traffic};
use crate::model::hardware::{Network, Topology};
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Returns the time of an all-gather to `size` bytes S in a ring of n ranks: a start-up time, and
/// n-1 hops of a chunk of `S/n` each ([`hop`]). Of the hops of the slowest chunk m cross to another
/// of the m nodes, m-1 with one rank a node. The sum is `(n-1)/n S/B` and the part of the hops'
/// latencies that the second slices do not hide. With one rank a node NCCL from 2.23 on can gather
/// in `log2 n` steps instead, and uses the faster algorithm ([`PAT_RATE`]).
///
/// ```
/// # use catalog::cluster;
/// # use engine::model::collectives::{Group, all_gather};
/// # use engine::units::Bytes;
/// let p5 = cluster("p5").and_then(|entry| entry.network()).unwrap().values;
/// let bus = |gpus: u32, size: f64| {
///     let time = all_gather(&p5, Group::consecutive(gpus, gpus, &p5), Bytes::new(size));
///     (1.0 - 1.0 / f64::from(gpus)) * size / time.get() / 1e9
/// };
/// // 32 MB and 1 GB over 32 nodes: 12.4 and 222 GB/s (tests/measured/network_collectives_p5.csv).
/// assert!((bus(256, 33_554_432.0) / 12.38 - 1.0).abs() < 0.04);
/// assert!((bus(256, 1_073_741_824.0) / 222.4 - 1.0).abs() < 0.06);
/// ```
///
/// A flat network charges the whole of S and one latency a rank, `S/B_nic + n ε`, the transfer time
/// of the FSDP bounds. A group of one rank takes no time.
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
    Ring::new(network, group).all_gather(size)
}

/// Returns the time in which a chunk of `size` bytes c passes one hop of a ring with all links
/// busy: `max(α + c/(2 B), c/B)`. The chunk is sent as two slices, and the second crosses while the
/// first is forwarded: latency is exposed where a slice takes less time than the latency.
///
/// ```
/// # use engine::model::collectives::ring::hop;
/// # use engine::units::{Bytes, BytesPerSecond, Seconds};
/// let hop = |latency, size| hop(Seconds::from_us(latency), Bytes::new(size), BytesPerSecond::new(324e9)).us();
/// // Eight hops over p5.48xlarge, one of them between nodes, take 8 x 12.0, 18.9 and 31.9 us for chunks of 1, 4 and 8 MiB
/// // (all-gathers over 16 and 32 nodes, tests/measured/network_collectives_p5.csv).
/// let mean = |mebibytes: f64| (7.0 * hop(3.4, mebibytes * 1_048_576.0) + hop(60.0, mebibytes * 1_048_576.0)) / 8.0;
/// for (chunk, measured) in [(1.0, 12.0), (4.0, 18.9), (8.0, 31.9)] {
///     assert!((mean(chunk) / measured - 1.0).abs() < 0.05);
/// }
/// ```
pub fn hop(latency: Seconds, size: Bytes, bandwidth: BytesPerSecond) -> Seconds {
    size / bandwidth + exposed(latency, size, bandwidth)
}

/// Returns the part of a hop's latency that the transfer of its bytes does not hide.
fn exposed(latency: Seconds, size: Bytes, bandwidth: BytesPerSecond) -> Seconds {
    (latency - size / bandwidth / SLICES).max(Seconds::ZERO)
}

/// Properties of a group's all-gathers that do not depend on the buffer's size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Share of the buffer that passes through each rank.
    share: f64,
    bandwidth: BytesPerSecond,
    /// Start-up time, which no transfer hides.
    start: Seconds,
    /// Hops of a chunk inside a node and between nodes, and the latency of each.
    hops: [(f64, Seconds); 2],
    /// Latency of a tree at [`PAT_RATE`] of the ring's rate; `None` if the group cannot use trees.
    tree_latency: Option<Seconds>,
    ranks: f64,
}

/// Returns the latency of a tree that gathers from, or reduces to, groups with one rank on each
/// node: a start-up time, `log2 n` hops, and 2.8 us a rank; `None` if ranks share nodes.
fn pat_latency(network: &Network, group: Group) -> Option<Seconds> {
    let is_one_a_node = group.ranks_per_node <= 1.0 && network.topology == Topology::Aware;
    let ranks = group.ranks * Seconds::from_us(PAT_RANK_US);
    is_one_a_node.then(|| start(network) + levels(group) * network.inter_node_latency + ranks)
}

impl Ring {
    /// Returns the ring over a group.
    pub fn new(network: &Network, group: Group) -> Self {
        let (share, start, hops) = match network.topology {
            Topology::Flat => (1.0, group.ranks * network.inter_node_latency, [(0.0, Seconds::ZERO); 2]),
            Topology::Aware => ((group.ranks - 1.0) / group.ranks, start(network), hops(network, group)),
        };
        Self {
            share,
            start,
            hops,
            tree_latency: pat_latency(network, group),
            bandwidth: bus_bandwidth(network, group),
            ranks: group.ranks,
        }
    }

    /// Returns the exposed latency of the hops for a buffer of `size` bytes.
    fn exposed_hops(&self, size: Bytes) -> Seconds {
        let [inside, between] =
            self.hops.map(|(hops, latency)| hops * exposed(latency, size / self.ranks, self.bandwidth));
        inside + between
    }

    /// Returns the time of one pass around the ring, without the start-up time.
    pub(super) fn pass(&self, size: Bytes) -> Seconds {
        size * self.share / self.bandwidth + self.exposed_hops(size)
    }

    fn around(&self, size: Bytes) -> Seconds {
        self.start + self.pass(size)
    }

    fn by_tree(&self, size: Bytes) -> Option<Seconds> {
        self.tree_latency.map(|latency| size * self.share / self.bandwidth / PAT_RATE + latency)
    }

    /// Whether collectives of `size` bytes run over trees.
    pub fn is_tree(&self, size: Bytes) -> bool {
        self.by_tree(size).is_some_and(|time| time < self.around(size))
    }

    /// Returns the start-up time and the exposed latency of the ring's hops for `size` bytes.
    ///
    /// ```
    /// # use engine::model::{collectives::{Group, Ring}, hardware::Network};
    /// # use engine::units::{Bytes, Seconds};
    /// # let network = catalog::cluster("dgx-h100").and_then(|entry| entry.network()).unwrap().values;
    /// let (inside, between) = (Seconds::from_us(3.0), Seconds::from_us(9.0));
    /// let network = Network { intra_node_latency: inside, inter_node_latency: between, ..network };
    /// let ring = Ring::new(&network, Group::consecutive(16, 16, &network));
    /// let latency = |size| ring.latency(Bytes::new(size)).us();
    /// // Two nodes of eight: of 15 hops two are between nodes. Nothing hides them where nothing is sent, and large chunks hide all.
    /// assert!((latency(0.0) - latency(1e12) - (13.0 * 3.0 + 2.0 * 9.0)).abs() < 1e-9);
    /// // The start-up time is never hidden.
    /// assert!(latency(1e12) > 0.0);
    /// assert_eq!(latency(1e12), Ring::new(&network, Group::consecutive(2, 16, &network)).latency(Bytes::new(1e12)).us());
    /// ```
    pub fn latency(&self, size: Bytes) -> Seconds {
        self.start + self.exposed_hops(size)
    }

    /// Returns the latency of a tree; zero if the group cannot use trees.
    pub fn tree_latency(&self) -> Seconds {
        self.tree_latency.unwrap_or_default()
    }

    /// Returns the time of an all-gather to, or a reduce-scatter of, `size` bytes ([`all_gather`]).
    pub fn all_gather(&self, size: Bytes) -> Seconds {
        self.all_gather_cost(size)
    }

    /// Returns the cost of an all-gather to, or a reduce-scatter of, `size` bytes.
    pub fn all_gather_cost<C: Cost<Traffic>>(&self, size: Bytes) -> C {
        if self.ranks <= 1.0 {
            return C::default();
        }
        let around = self.around(size);
        let time = self.by_tree(size).map_or(around, |tree| tree.min(around));
        C::new(time, || Traffic::new(CollectiveKind::Gather, size, self.ranks))
    }
}

/// Returns the time of a reduce-scatter of `size` bytes, equal to that of an all-gather.
pub fn reduce_scatter(network: &Network, group: Group, size: Bytes) -> Seconds {
    all_gather(network, group, size)
}

/// Returns the hops of the slowest chunk inside nodes and between nodes, with their latencies. The
/// chunk does not pass the last of n hops, which is inside a node where ranks share nodes: `n-1-m`
/// and m hops, otherwise none and `m-1`.
fn hops(network: &Network, group: Group) -> [(f64, Seconds); 2] {
    let all = group.ranks - 1.0;
    let between = if group.crosses_nodes() { group.nodes().min(all) } else { 0.0 };
    [(all - between, network.intra_node_latency), (between, network.inter_node_latency)]
}

/// Returns the time before the first byte of a collective moves, about 20 us over NVLink: the
/// launch of its kernel, and NCCL's base latency of 8.4 us (`src/graph/tuning.cc`, `baseLat`).
pub(super) fn start(network: &Network) -> Seconds {
    fitted::COLLECTIVE_START_HOPS * network.intra_node_latency
}
