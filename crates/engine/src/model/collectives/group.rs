//! The ranks of a communicator and their placement on nodes.

use super::torus;
use crate::model::hardware::Network;

/// The ranks of one communicator and their placement on nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Ranks, n.
    pub ranks: f64,
    /// Ranks on each node, r.
    pub ranks_per_node: f64,
    /// Distance from one node of the group to the next, in nodes: 1 for neighbours.
    pub spacing: f64,
    /// Share of the links inside the node that the group uses: below 1 on a torus.
    pub links: f64,
}

impl Group {
    /// Returns the group of `ranks` consecutive GPUs of `world`, as many on each node as it has. If
    /// groups smaller than a node do not divide it, some cross two nodes, and those set the pace. A
    /// domain of several hosts is used in multiples of the group: 16, 32 or 64 of a rack's 72 GPUs
    /// stay inside, as schedulers place them.
    ///
    /// ```
    /// # use catalog::cluster;
    /// # use engine::model::collectives::Group;
    /// let network = |id| cluster(id).and_then(|entry| entry.network()).unwrap().values;
    /// let rack = network("gb200-nvl72");
    /// for ranks in [4, 8, 16, 32, 64, 72] {
    ///     assert!(!Group::consecutive(ranks, 1152, &rack).crosses_nodes());
    /// }
    /// assert_eq!(Group::consecutive(256, 256, &rack).ranks_per_node, 64.0);
    /// // Three of eight GPUs: some groups have two on one node and one on the next.
    /// assert!(Group::consecutive(3, 24, &network("dgx-h100")).crosses_nodes());
    /// ```
    pub fn consecutive(ranks: u32, world: u32, network: &Network) -> Self {
        Self::strided(ranks, 1, world, network)
    }

    /// Returns the group of every `stride`-th GPU of `world`: the replicas of a group of `stride`
    /// GPUs.
    pub fn strided(ranks: u32, stride: u32, world: u32, network: &Network) -> Self {
        let (node, stride) = (network.gpus_per_node.max(1), stride.max(1));
        let reach = ranks.saturating_mul(stride);
        let straddles = !network.is_rack() && world > node && reach < node && !node.is_multiple_of(reach.max(1));
        let nodes = ranks.div_ceil((node / stride).max(1));
        let nodes = if straddles { nodes.max(2).min(ranks.max(1)) } else { nodes.max(1) };
        let ranks_per_node = f64::from(ranks) / f64::from(nodes);
        Self {
            ranks: f64::from(ranks),
            ranks_per_node,
            spacing: f64::from(stride.div_ceil(node)),
            links: torus::links(ranks_per_node as u32, node.min(world), network.torus),
        }
    }

    /// Nodes that the group spans, m.
    pub fn nodes(&self) -> f64 {
        self.ranks / self.ranks_per_node
    }

    /// Whether the group's collectives cross nodes.
    pub fn crosses_nodes(&self) -> bool {
        self.ranks > self.ranks_per_node
    }
}
