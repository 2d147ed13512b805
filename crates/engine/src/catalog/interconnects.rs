//! Interconnects: the nominal rate of one GPU in one direction, the latency per hop, and the
//! fraction that large collectives reach.

pub mod between;
pub mod inside;

use super::InterconnectEntry;
use super::lists::{count, joined};
use crate::units::{BytesPerSecond, Seconds};

/// One hop over NVLink in NCCL's ring with the Simple protocol (NCCL `src/graph/tuning.cc`,
/// `hwLat`): 3.4 us.
const NVLINK_HOP: Seconds = Seconds::from_us(3.4);
/// One hop over PCIe in the same table: 5.7 us.
const PCIE_HOP: Seconds = Seconds::from_us(5.7);
/// One hop over the network, fitted to full sharding over up to 1,024 GPUs (tests/measured/modalities.csv). NCCL's table has 14 us, the wire
/// and the card: with it those runs come out twice as much too fast.
const NETWORK_HOP: Seconds = Seconds::from_us(37.0);
/// One hop over a cloud's own transport or over TCP.
const CLOUD_HOP: Seconds = Seconds::from_us(37.0);

/// One hop over EFA version 2 and later: with [`EFA`] fitted to all-gathers of 32 MB to 2 GB over 2 to 32 p5.48xlarge
/// (tests/measured/network_collectives_p5.csv).
const EFA_HOP: Seconds = Seconds::from_us(60.0);
/// One more node of the ultra-scale playbook's cluster, and of the first EFA. An all-gather of 256 MB over 1, 2, 4 ... 64 nodes of
/// eight H100 has a bus bandwidth of 250, 185, 119, 69, 55, 28, 11 GB/s there: 0.36 ms more per node. Four p4d take 70 ms for an all-reduce of 1 GB (NCCL issue 527).
const SLOW_EFA_HOP: Seconds = Seconds::from_us(360.0);
/// One hop with GPUDirect-TCPXO: all-reduces of 16 MB to 8 GB over two A3 Mega take 0.66 ms and their bytes' time
/// (ztan's A3 Mega log, 16 H100).
const TCPXO_HOP: Seconds = Seconds::from_us(190.0);

/// NVLink: a ring over A100 is held at 235 of 300 GB/s by NCCL's own model (`tuning.cc`); four V100
/// measure 124 of 150 GB/s (BigScience, all-reduce of 4 GB).
const NVLINK: f64 = 0.72;
/// NVLink 4 and later: 360 of 450 GB/s in a ring over eight H100, as NVIDIA expects (nccl-tests issue 326); NCCL's own
/// model has 371 of 450 and 722 of 900 GB/s (`src/graph/topo.h`).
const NVLINK_4: f64 = 0.80;
/// One hop over a TPU's torus, and the fraction that collectives reach: assumed; published runs hide most of them.
const ICI_HOP: Seconds = Seconds::from_us(1.0);
const ICI: f64 = NVLINK;
/// `NeuronLink`: fitted to AWS's tables of Trainium 1.
const NEURONLINK: f64 = 0.50;
/// Infinity Fabric: as NVLink 4, not calibrated by itself.
const XGMI: f64 = 0.60;
/// PCIe, where GPUs access each other: protocol overhead, and the links that several share on their way.
const PCIE: f64 = 0.60;
/// PCIe, where drivers do not let GPUs access each other (GeForce): every byte is written to host memory and read from it. Pairs of
/// A40 copy 20 GB/s both ways together so, 10 of 31.5 GB/s each way, where they copy 40 to 50 otherwise (nccl-tests issue 74).
const PCIE_BY_HOST: f64 = 0.32;
/// InfiniBand, `RoCE`, Slingshot: collectives measured alone (tests/measured/network_collectives.csv). What they lose
/// beside compute is apart ([`crate::fitted::RATE_BESIDE`]).
const FABRIC: f64 = 0.70;
/// EFA: all-gathers and all-to-alls over p5.48xlarge, 40 of 50 GB/s a card ([`EFA_HOP`]).
const EFA: f64 = 0.81;
/// The first EFA, of p4d: fitted; its collectives lose speed with each node ([`SLOW_EFA_HOP`]).
const SLOW_EFA: f64 = 0.67;
/// GPUDirect-TCPXO: 8 GB reduced over two A3 Mega in 47.5 ms are 23.2 of 25 GB/s a card ([`TCPXO_HOP`]).
const TCPXO: f64 = 0.92;
/// The network between slices of TPUs, and how much longer a byte takes for each further slice: `MaxText`'s 16B to 128B on 1 to 32
/// slices of 256 v5e (tests/measured/silicon/maxtext.csv).
const DCN: f64 = 0.68;
const DCN_DECAY: f64 = 0.10;
/// Omni-Path at Jean Zay: 10.6 of 50 GB/s a node on four nodes (BigScience, all-reduce of 4 GB).
const OMNI_PATH: f64 = 0.21;
/// Ethernet over TCP.
const TCP: f64 = 0.60;

/// Passes of an all-reduce in a ring.
const RING: f64 = 2.0;
/// Passes of an all-reduce with in-switch reduction (NVLS): a bus bandwidth of 480 GB/s where a ring has 360, as two
/// p5.48xlarge show (478 GB/s at 8 GB, tests/measured/network_collectives_p5.csv).
const NVLS: f64 = 1.5;
/// Returns the interconnect with in-switch reduction.
const fn reducing(entry: InterconnectEntry) -> InterconnectEntry {
    InterconnectEntry { all_reduce_passes: NVLS, ..entry }
}

/// Returns the network between slices of TPUs.
const fn between_slices(entry: InterconnectEntry) -> InterconnectEntry {
    InterconnectEntry { node_decay: DCN_DECAY, ..entry }
}

/// Returns the interconnect of a slice of TPUs on so many axes.
const fn on_torus(axes: u32, entry: InterconnectEntry) -> InterconnectEntry {
    InterconnectEntry { torus: axes, ..entry }
}

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
        all_reduce_passes: RING,
        node_decay: 0.0,
        torus: 0,
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
        all_reduce_passes: RING,
        node_decay: 0.0,
        torus: 0,
        source,
    }
}

/// NVLink of the first visit's nodes.
pub(crate) const NVLINK_3: InterconnectEntry = intra(
    "nvlink3",
    "NVLink 3 (A100)",
    300.0,
    (NVLINK_HOP, NVLINK),
    "NVIDIA A100 data sheet: 12 links, 600 GB/s both ways",
);

/// The network of the first visit.
pub(crate) const IB_200: InterconnectEntry =
    inter("ib-200", "InfiniBand, 200 Gbit/s a GPU", 200.0, (NETWORK_HOP, FABRIC), "HDR200 or NDR200, one card a GPU");

/// The lists, in display order.
const LISTS: [&[InterconnectEntry]; 2] = [inside::LIST, between::LIST];

/// Every interconnect of the catalog: inside nodes first, then between them.
pub const INTERCONNECTS: &[InterconnectEntry] = &ALL;

static ALL: [InterconnectEntry; count(&LISTS)] = joined(&LISTS, NVLINK_3);
