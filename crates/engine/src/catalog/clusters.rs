//! Clusters: a node design and a network.

pub mod centres;
pub mod clouds;
pub mod designs;
pub mod hosts;

use super::lists::{count, joined};
use super::{ClusterEntry, InterconnectEntry, accelerator, interconnect};
use crate::model::hardware::{Accelerator, Network};
use crate::scenario::Picked;

impl ClusterEntry {
    /// Returns the cluster's network, priced along its topology; `None` if the catalog lacks one of
    /// its interconnects, which a test rules out.
    pub fn network(&self) -> Option<Picked<Network>> {
        Some(self.joined_by(interconnect(self.intra_node)?, interconnect(self.inter_node)?))
    }

    /// Returns the cluster's network with these two interconnects.
    pub(crate) fn joined_by(&self, intra: &InterconnectEntry, inter: &InterconnectEntry) -> Picked<Network> {
        let values = Network { host: hosts::host(self.id), ..intra.nodes(self.gpus_per_node, inter) };
        Picked { id: self.id, values }
    }

    /// Returns the number of GPUs of a run that moves here with `now`: all of a single machine; of a cluster `now` where it fills nodes,
    /// else those of one node.
    pub fn usual_gpus(&self, now: u32) -> u32 {
        let fills_nodes = now > 0 && now.is_multiple_of(self.gpus_per_node.max(1));
        if self.is_single_machine() || !fills_nodes { self.gpus_per_node } else { now }
    }

    /// Whether it is one machine, rather than nodes of which there are more.
    pub fn is_single_machine(&self) -> bool {
        centres::SERVERS.iter().any(|server| server.id == self.id)
    }

    /// Whether it is the machine of a laboratory or a company, which nobody rents out.
    pub fn is_of_a_centre(&self) -> bool {
        centres::LIST.iter().any(|centre| centre.id == self.id)
    }

    /// Whether it is a product that one cloud rents out.
    pub fn is_of_a_cloud(&self) -> bool {
        clouds::LIST.iter().any(|cloud| cloud.id == self.id)
    }

    /// Returns the accelerator of its nodes; `None` if the catalog lacks it, which a test rules
    /// out.
    pub fn accelerator(&self) -> Option<Picked<Accelerator>> {
        accelerator(self.accelerator).map(super::AcceleratorEntry::pick)
    }
}

/// A node: key of the accelerator, number of GPUs, and key of the interconnect between them.
type Node = (&'static str, u32, &'static str);

const fn entry(
    id: &'static str,
    name: &'static str,
    node: Node,
    inter_node: &'static str,
    source: &'static str,
) -> ClusterEntry {
    let (accelerator, gpus_per_node, intra_node) = node;
    ClusterEntry { id, name, accelerator, gpus_per_node, intra_node, inter_node, source }
}

const A100_40GB_BY_4: Node = ("a100-40gb", 4, "nvlink3");
const A100_40GB_BY_8: Node = ("a100-40gb", 8, "nvlink3");
const A100_80GB_BY_8: Node = ("a100-80gb", 8, "nvlink3");
const H100_BY_8: Node = ("h100-sxm", 8, "nvlink4");
const H200_BY_8: Node = ("h200", 8, "nvlink4");
const B200_BY_8: Node = ("b200", 8, "nvlink5");
const B300_BY_8: Node = ("b300", 8, "nvlink5");
/// A rack of 18 trays of four is one NVLink domain, and so one node here.
const GB200_BY_72: Node = ("gb200", 72, "nvlink5");
const GB300_BY_72: Node = ("gb300", 72, "nvlink5");
const V100_BY_4: Node = ("v100-32gb", 4, "nvlink2");
const MI300X_BY_8: Node = ("mi300x", 8, "xgmi-mi300x");
const MI250X_BY_8: Node = ("mi250x", 8, "xgmi-mi250x");
const RTX_4090_BY_8: Node = ("rtx-4090", 8, "pcie4-x16-host");

/// The cluster of the first visit.
pub(crate) const A100_40GB_200G: ClusterEntry = entry(
    "a100-40gb-200g",
    "A100 40 GB x4, 200 Gbit/s",
    A100_40GB_BY_4,
    "ib-200",
    "FSDP bounds after Wang et al. 2025 (arXiv 2504.03655)",
);

/// The lists, in display order.
const LISTS: [&[ClusterEntry]; 4] = [designs::LIST, clouds::LIST, centres::LIST, centres::SERVERS];

/// Every cluster of the catalog.
pub const CLUSTERS: &[ClusterEntry] = &ALL;

static ALL: [ClusterEntry; count(&LISTS)] = joined(&LISTS, A100_40GB_200G);
