//! Clusters: a node design and a network. Rows of `data/clusters.toml`.

pub mod hosts;

use super::{ClusterEntry, InterconnectEntry, Price, accelerator, interconnect};
use engine::fitted;
use engine::model::hardware::{Accelerator, Host, Network};
use engine::scenario::Picked;
use engine::units::{Bytes, BytesPerSecond};

/// Kind of owner and offer of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterKind {
    /// A node design or a pod that its maker sells.
    Design,
    /// A product that one cloud rents out.
    Cloud,
    /// The machine of a laboratory or a company.
    Centre,
    /// A single machine.
    Server,
}

/// Every cluster of the catalog.
pub const CLUSTERS: &[ClusterEntry] = &ALL;

include!(concat!(env!("OUT_DIR"), "/clusters.rs"));

impl ClusterEntry {
    /// Returns the cluster's network, priced along its topology; `None` if the catalog lacks one of
    /// its interconnects, which a test rules out.
    pub fn network(&self) -> Option<Picked<Network>> {
        Some(self.joined_by(interconnect(self.intra_node)?, interconnect(self.inter_node)?))
    }

    /// Returns the cluster's network with two given interconnects.
    pub(crate) fn joined_by(&self, intra: &InterconnectEntry, inter: &InterconnectEntry) -> Picked<Network> {
        let values = Network { host: self.host, ..intra.nodes(self.gpus_per_node, inter) };
        Picked { id: self.id, values }
    }

    /// Returns the number of GPUs of a run that moves to this cluster with `now` GPUs: all GPUs of
    /// a single machine; in a cluster, `now` if it fills nodes, else the GPUs of one node.
    pub fn usual_gpus(&self, now: u32) -> u32 {
        let fills_nodes = now > 0 && now.is_multiple_of(self.gpus_per_node.max(1));
        if self.is_single_machine() || !fills_nodes { self.gpus_per_node } else { now }
    }

    /// Whether the cluster is one machine.
    pub fn is_single_machine(&self) -> bool {
        self.kind == ClusterKind::Server
    }

    /// Whether PCIe joins the GPUs of a node: cards that are also sold individually.
    pub fn is_of_pcie_cards(&self) -> bool {
        self.intra_node.starts_with("pcie")
    }

    /// Whether the cluster belongs to a laboratory or a company and cannot be rented.
    pub fn is_of_a_centre(&self) -> bool {
        self.kind == ClusterKind::Centre
    }

    /// Whether the cluster is a product that one cloud rents out.
    pub fn is_of_a_cloud(&self) -> bool {
        self.kind == ClusterKind::Cloud
    }

    /// Returns the accelerator of the nodes; `None` if the catalog lacks it, which a test rules
    /// out.
    pub fn accelerator(&self) -> Option<Picked<Accelerator>> {
        accelerator(self.accelerator).map(super::AcceleratorEntry::pick)
    }
}
