//! Interconnects: the nominal rate of one GPU in one direction, a latency a hop, and what large collectives reach.

use super::InterconnectEntry;
use crate::units::{BytesPerSecond, Seconds};

/// One hop over NVLink in NCCL's ring with the Simple protocol (NCCL `src/graph/tuning.cc`, `hwLat`): 3.4 us.
const NVLINK_HOP: Seconds = Seconds::from_us(3.4);
/// One hop over PCIe in the same table: 5.7 us.
const PCIE_HOP: Seconds = Seconds::from_us(5.7);
/// One hop over the network, as full sharding over 512 to 2,048 GPUs shows it (fit to tests/measured/fsdp.csv); in
/// NCCL's table, for the wire alone, 9.6 us and 14 us in later versions.
const NETWORK_HOP: Seconds = Seconds::from_us(37.0);
/// One hop over a cloud's own transport or over TCP.
const CLOUD_HOP: Seconds = Seconds::from_us(37.0);

/// NVLink: a ring over A100 is held at 235 of 300 GB/s by NCCL's own model (`tuning.cc`); four V100 measure 124 of 150
/// GB/s (BigScience, all-reduce of 4 GB).
const NVLINK: f64 = 0.78;
/// NVLink 4 and later: eight H100 measure 250 of 450 GB/s in an all-gather of 256 MB (ultra-scale playbook); larger
/// messages reach more.
const NVLINK_4: f64 = 0.60;
/// Infinity Fabric: as NVLink 4, not calibrated by itself.
const XGMI: f64 = 0.60;
/// PCIe: protocol overhead and the way through host memory where GPUs cannot reach each other.
const PCIE: f64 = 0.60;
/// InfiniBand, `RoCE`, Slingshot: 0.66 of the nominal rate in the fit to tests/measured/fsdp.csv.
const FABRIC: f64 = 0.65;
/// EFA: two p5 nodes measure 184 of 400 GB/s a node in an all-gather of 256 MB, and fall with more nodes (ultra-scale
/// playbook).
const EFA: f64 = 0.46;
/// Omni-Path at Jean Zay: 10.6 of 50 GB/s a node on four nodes (BigScience, all-reduce of 4 GB).
const OMNI_PATH: f64 = 0.21;
/// Ethernet over TCP.
const TCP: f64 = 0.60;

const fn intra(
    id: &'static str,
    name: &'static str,
    gb_per_s: f64,
    cost: (Seconds, f64),
    source: &'static str,
) -> InterconnectEntry {
    let (latency, efficiency) = cost;
    InterconnectEntry {
        id,
        name,
        intra_node: true,
        bandwidth: BytesPerSecond::from_gb_per_s(gb_per_s),
        latency,
        efficiency,
        source,
    }
}

const fn inter(
    id: &'static str,
    name: &'static str,
    gbit_per_s: f64,
    cost: (Seconds, f64),
    source: &'static str,
) -> InterconnectEntry {
    let (latency, efficiency) = cost;
    InterconnectEntry {
        id,
        name,
        intra_node: false,
        bandwidth: BytesPerSecond::from_gbit_per_s(gbit_per_s),
        latency,
        efficiency,
        source,
    }
}

/// NVLink of the first visit.
pub(super) const NVLINK_3: InterconnectEntry = intra(
    "nvlink3",
    "NVLink 3 (A100)",
    300.0,
    (NVLINK_HOP, NVLINK),
    "NVIDIA A100 data sheet: 12 links, 600 GB/s both ways; a board of four joins each pair by 4 links, 100 \
         GB/s a direction, 300 in all",
);

/// The network of the first visit.
pub(super) const IB_200: InterconnectEntry =
    inter("ib-200", "InfiniBand, 200 Gbit/s a GPU", 200.0, (NETWORK_HOP, FABRIC), "HDR200 or NDR200, one card a GPU");

/// Every interconnect of the catalog: inside nodes first, then between them.
pub const INTERCONNECTS: &[InterconnectEntry] = &[
    intra(
        "nvlink2",
        "NVLink 2 (V100)",
        150.0,
        (NVLINK_HOP, NVLINK),
        "NVIDIA V100 data sheet: 6 links, 300 GB/s both ways",
    ),
    NVLINK_3,
    intra(
        "nvlink4",
        "NVLink 4 (H100, H200)",
        450.0,
        (NVLINK_HOP, NVLINK_4),
        "NVIDIA H100 data sheet: 18 links, 900 GB/s both ways",
    ),
    intra(
        "nvlink4-h800",
        "NVLink 4 (H800)",
        200.0,
        (NVLINK_HOP, NVLINK),
        "MegaScale-MoE (arXiv 2505.11432, Table 4): 400 GB/s both ways",
    ),
    intra(
        "nvlink5",
        "NVLink 5 (B200)",
        900.0,
        (NVLINK_HOP, NVLINK_4),
        "NVIDIA HGX B200 data sheet: 1.8 TB/s both ways",
    ),
    intra(
        "xgmi-mi300x",
        "Infinity Fabric (MI300X)",
        448.0,
        (NVLINK_HOP, XGMI),
        "AMD Instinct MI300X platform data sheet: 7 links of 128 GB/s both ways",
    ),
    intra("pcie4-x16", "PCIe 4.0 x16", 32.0, (PCIE_HOP, PCIE), "PCI Express 4.0: 16 lanes at 16 GT/s"),
    intra("pcie5-x16", "PCIe 5.0 x16", 64.0, (PCIE_HOP, PCIE), "PCI Express 5.0: 16 lanes at 32 GT/s"),
    inter(
        "ib-50",
        "InfiniBand, 50 Gbit/s a GPU",
        50.0,
        (NETWORK_HOP, FABRIC),
        "four cards of 100 Gbit/s for eight GPUs",
    ),
    inter(
        "ib-100",
        "InfiniBand, 100 Gbit/s a GPU",
        100.0,
        (NETWORK_HOP, FABRIC),
        "HDR100, or HDR200 shared by two GPUs",
    ),
    IB_200,
    inter("ib-400", "InfiniBand, 400 Gbit/s a GPU", 400.0, (NETWORK_HOP, FABRIC), "NDR, one ConnectX-7 a GPU"),
    inter("ib-800", "InfiniBand, 800 Gbit/s a GPU", 800.0, (NETWORK_HOP, FABRIC), "XDR, one ConnectX-8 a GPU"),
    inter(
        "roce-50",
        "RoCE, 50 Gbit/s a GPU",
        50.0,
        (NETWORK_HOP, FABRIC),
        "InternLM's training report: 4 cards of 100 Gbit/s for eight GPUs",
    ),
    inter(
        "roce-200",
        "RoCE, 200 Gbit/s a GPU",
        200.0,
        (NETWORK_HOP, FABRIC),
        "llm-foundry's benchmark tables: 1600 Gbit/s a node of eight",
    ),
    inter("roce-400", "RoCE, 400 Gbit/s a GPU", 400.0, (NETWORK_HOP, FABRIC), "one card of 400 Gbit/s a GPU"),
    inter(
        "slingshot-100",
        "Slingshot 11, 100 Gbit/s a GPU",
        100.0,
        (NETWORK_HOP, FABRIC),
        "four cards of 200 Gbit/s for eight GPUs",
    ),
    inter(
        "slingshot-200",
        "Slingshot 11, 200 Gbit/s a GPU",
        200.0,
        (NETWORK_HOP, FABRIC),
        "one card of 200 Gbit/s a GPU",
    ),
    inter(
        "opa-50",
        "Omni-Path, 50 Gbit/s a GPU",
        50.0,
        (NETWORK_HOP, OMNI_PATH),
        "four links of 100 Gbit/s for eight GPUs; efficiency measured by BigScience",
    ),
    inter(
        "opa-100",
        "Omni-Path, 100 Gbit/s a GPU",
        100.0,
        (NETWORK_HOP, OMNI_PATH),
        "four links of 100 Gbit/s for four GPUs; efficiency measured by BigScience",
    ),
    inter("efa-p4d", "EFA (p4d)", 50.0, (CLOUD_HOP, EFA), "AWS EC2 P4: 400 Gbit/s for eight GPUs"),
    inter(
        "efa-p5",
        "EFA v2 (p5)",
        400.0,
        (CLOUD_HOP, EFA),
        "AWS EC2 P5: 3200 Gbit/s for eight GPUs; efficiency measured by the ultra-scale playbook",
    ),
    inter(
        "gpudirect-tcpx",
        "GPUDirect-TCPX (A3 High)",
        100.0,
        (CLOUD_HOP, TCP),
        "Google Cloud A3 High: 800 Gbit/s for eight GPUs",
    ),
    inter(
        "gpudirect-tcpxo",
        "GPUDirect-TCPXO (A3 Mega)",
        200.0,
        (CLOUD_HOP, TCP),
        "Google Cloud A3 Mega: 1600 Gbit/s for eight GPUs",
    ),
    inter(
        "ethernet-10-of-2",
        "Ethernet 10 Gbit/s for two GPUs",
        5.0,
        (CLOUD_HOP, TCP),
        "IEEE 802.3ae, one port a node of two",
    ),
    inter(
        "ethernet-10-of-4",
        "Ethernet 10 Gbit/s for four GPUs",
        2.5,
        (CLOUD_HOP, TCP),
        "IEEE 802.3ae, one port a node of four",
    ),
    inter(
        "ethernet-25-of-4",
        "Ethernet 25 Gbit/s for four GPUs",
        6.25,
        (CLOUD_HOP, TCP),
        "IEEE 802.3by, one port a node of four",
    ),
    inter(
        "ethernet-100-of-8",
        "Ethernet 100 Gbit/s for eight GPUs",
        12.5,
        (CLOUD_HOP, TCP),
        "IEEE 802.3ba, one port a node of eight",
    ),
];
