//! Clusters: a node design and a network.

use super::{ClusterEntry, InterconnectEntry, accelerator, interconnect};
use crate::model::hardware::{Accelerator, Network, Topology};
use crate::scenario::Picked;

impl ClusterEntry {
    /// The entry as a scenario's network, priced along its topology; `None` if the catalog lacks one of its
    /// interconnects, which a test rules out.
    pub fn network(&self) -> Option<Picked<Network>> {
        Some(self.joined_by(interconnect(self.intra_node)?, interconnect(self.inter_node)?))
    }

    /// The entry as a scenario's network over these two interconnects.
    pub(super) fn joined_by(&self, intra: &InterconnectEntry, inter: &InterconnectEntry) -> Picked<Network> {
        let values = Network {
            gpus_per_node: self.gpus_per_node,
            intra_node: intra.bandwidth,
            inter_node: inter.bandwidth,
            intra_node_latency: intra.latency,
            inter_node_latency: inter.latency,
            intra_node_efficiency: intra.efficiency,
            inter_node_efficiency: inter.efficiency,
            all_reduce_passes: 2.0,
            node_decay: 0.0,
            topology: Topology::Aware,
        };
        Picked { id: self.id, values }
    }

    /// The accelerator of its nodes; `None` if the catalog lacks it, which a test rules out.
    pub fn accelerator(&self) -> Option<Picked<Accelerator>> {
        accelerator(self.accelerator).map(super::AcceleratorEntry::pick)
    }
}

/// A node: accelerator, how many of them, and the interconnect between them.
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

/// The cluster of the first visit.
pub(super) const A100_40GB_200G: ClusterEntry = entry(
    "a100-40gb-200g",
    "A100 40 GB x4, 200 Gbit/s",
    A100_40GB_BY_4,
    "ib-200",
    "the first cluster of the FSDP bounds after Wang et al. 2025 (arXiv 2504.03655)",
);

/// Every cluster of the catalog.
pub const CLUSTERS: &[ClusterEntry] = &[
    A100_40GB_200G,
    entry(
        "a100-40gb-100g",
        "A100 40 GB x4, 100 Gbit/s",
        A100_40GB_BY_4,
        "ib-100",
        "the second cluster of the FSDP bounds after Wang et al. 2025 (arXiv 2504.03655)",
    ),
    entry(
        "dgx-a100-40",
        "DGX A100 40 GB",
        A100_40GB_BY_8,
        "ib-200",
        "NVIDIA DGX A100 data sheet (320 GB): eight HDR200 cards",
    ),
    entry(
        "dgx-a100-80",
        "DGX A100 80 GB",
        A100_80GB_BY_8,
        "ib-200",
        "NVIDIA DGX A100 data sheet (640 GB): eight HDR200 cards",
    ),
    entry("dgx-h100", "DGX H100", H100_BY_8, "ib-400", "NVIDIA DGX H100 data sheet: eight ConnectX-7 at 400 Gbit/s"),
    entry("dgx-h200", "DGX H200", H200_BY_8, "ib-400", "NVIDIA DGX H200 data sheet: eight ConnectX-7 at 400 Gbit/s"),
    entry(
        "dgx-b200",
        "DGX B200",
        ("b200", 8, "nvlink5"),
        "ib-400",
        "NVIDIA DGX B200 data sheet: eight ConnectX-7 at 400 Gbit/s",
    ),
    entry(
        "gb200-nvl72",
        "GB200 NVL72",
        ("gb200", 72, "nvlink5"),
        "ib-400",
        "NVIDIA GB200 NVL72 data sheet and DGX GB200 SuperPOD reference architecture: one ConnectX-7 at 400 Gbit/s \
         a GPU",
    ),
    entry(
        "mi300x-platform",
        "MI300X x8, 400 Gbit/s",
        ("mi300x", 8, "xgmi-mi300x"),
        "roce-400",
        "AMD Instinct MI300X platform data sheet: eight on one board; one card of 400 Gbit/s a GPU",
    ),
    entry(
        "selene",
        "Selene",
        A100_80GB_BY_8,
        "ib-200",
        "Narayanan et al. 2021 (arXiv 2104.04473), section 5: eight HDR200 cards a node",
    ),
    entry(
        "mosaicml-a100-40",
        "MosaicML A100 40 GB",
        A100_40GB_BY_8,
        "roce-200",
        "llm-foundry's benchmark tables: 1600 Gbit/s RoCE a node",
    ),
    entry(
        "mosaicml-a100-80",
        "MosaicML A100 80 GB",
        A100_80GB_BY_8,
        "roce-200",
        "llm-foundry's benchmark tables: 1600 Gbit/s RoCE a node",
    ),
    entry(
        "p4d",
        "AWS p4d.24xlarge",
        A100_40GB_BY_8,
        "efa-p4d",
        "AWS EC2 P4 instances: eight A100 40 GB, 400 Gbit/s EFA",
    ),
    entry(
        "p4de",
        "AWS p4de.24xlarge",
        A100_80GB_BY_8,
        "efa-p4d",
        "AWS EC2 P4 instances: eight A100 80 GB, 400 Gbit/s EFA",
    ),
    entry("p5", "AWS p5.48xlarge", H100_BY_8, "efa-p5", "AWS EC2 P5 instances: eight H100, 3200 Gbit/s EFA"),
    entry("p5e", "AWS p5e.48xlarge", H200_BY_8, "efa-p5", "AWS EC2 P5 instances: eight H200, 3200 Gbit/s EFA"),
    entry(
        "g5",
        "AWS g5.48xlarge",
        ("a10g", 8, "pcie4-x16"),
        "ethernet-100-of-8",
        "AWS EC2 G5 instances: eight A10G, 100 Gbit/s",
    ),
    entry(
        "azure-nd-a100-v4",
        "Azure ND A100 v4",
        A100_40GB_BY_8,
        "ib-200",
        "Azure ND A100 v4: eight A100 40 GB, 200 Gbit/s HDR a GPU",
    ),
    entry(
        "azure-ndm-a100-v4",
        "Azure NDm A100 v4",
        A100_80GB_BY_8,
        "ib-200",
        "Azure NDm A100 v4: eight A100 80 GB, 200 Gbit/s HDR a GPU",
    ),
    entry(
        "azure-nd-h100-v5",
        "Azure ND H100 v5",
        H100_BY_8,
        "ib-400",
        "Azure ND H100 v5: eight H100, 400 Gbit/s NDR a GPU",
    ),
    entry(
        "gcp-a3-high",
        "Google Cloud A3 High",
        H100_BY_8,
        "gpudirect-tcpx",
        "Google Cloud A3 High: eight H100, 800 Gbit/s for GPUs",
    ),
    entry(
        "gcp-a3-mega",
        "Google Cloud A3 Mega",
        H100_BY_8,
        "gpudirect-tcpxo",
        "Google Cloud A3 Mega: eight H100, 1600 Gbit/s for GPUs",
    ),
    entry(
        "juwels-booster",
        "JUWELS Booster",
        A100_40GB_BY_4,
        "ib-200",
        "JUWELS Booster user documentation: four A100 40 GB, four HDR200 cards a node",
    ),
    entry(
        "leonardo-booster",
        "Leonardo Booster",
        ("a100-64gb", 4, "nvlink3"),
        "ib-100",
        "LEONARDO's description (arXiv 2307.16885): four custom A100, two dual-port HDR100 cards a node",
    ),
    entry(
        "marenostrum-5",
        "MareNostrum 5 ACC",
        ("h100-64gb", 4, "nvlink4"),
        "ib-200",
        "BSC's MareNostrum 5 documentation: four H100 64 GB, four ConnectX-7 NDR200 a node",
    ),
    entry(
        "jupiter-booster",
        "JUPITER Booster",
        ("gh200-96gb", 4, "nvlink4"),
        "ib-200",
        "JUPITER technical overview (JSC): four GH200, four NDR200 cards a node",
    ),
    entry(
        "alps",
        "Alps",
        ("gh200-96gb", 4, "nvlink4"),
        "slingshot-200",
        "CSCS Alps documentation: four GH200, four Slingshot 11 cards a node",
    ),
    entry(
        "perlmutter",
        "Perlmutter",
        A100_40GB_BY_4,
        "slingshot-200",
        "NERSC Perlmutter architecture: four A100 40 GB, four Slingshot 11 cards a node",
    ),
    entry(
        "jean-zay-v100",
        "Jean Zay V100",
        ("v100-32gb", 4, "nvlink2"),
        "opa-100",
        "IDRIS Jean Zay documentation: four V100 32 GB, four Omni-Path 100 links a node",
    ),
    entry(
        "jean-zay-a100",
        "Jean Zay A100",
        A100_80GB_BY_8,
        "opa-50",
        "BigScience tr11 README: eight A100 80 GB, four Omni-Path links a node",
    ),
    entry(
        "workstation-2x-3090",
        "Workstation, RTX 3090 x2",
        ("rtx-3090", 2, "pcie4-x16"),
        "ethernet-10-of-2",
        "two cards on PCIe 4.0",
    ),
    entry(
        "workstation-4x-4090",
        "Workstation, RTX 4090 x4",
        ("rtx-4090", 4, "pcie4-x16"),
        "ethernet-10-of-4",
        "four cards on PCIe 4.0, one 10 Gbit/s port",
    ),
    entry(
        "server-8x-4090",
        "Server, RTX 4090 x8",
        ("rtx-4090", 8, "pcie4-x16"),
        "ethernet-100-of-8",
        "eight cards on PCIe 4.0, one 100 Gbit/s port",
    ),
    entry(
        "server-8x-l40s",
        "Server, L40S x8",
        ("l40s", 8, "pcie4-x16"),
        "ethernet-100-of-8",
        "eight cards on PCIe 4.0, one 100 Gbit/s port",
    ),
];
