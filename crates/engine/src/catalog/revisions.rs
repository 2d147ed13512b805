//! The numbers of earlier revisions that a later one changed: a link of revision 1 always means the
//! numbers of revision 1.

use super::accelerators::{efficiency, prices};
use super::{accelerator, cluster};
use crate::model::hardware::{Accelerator, Generation, Host};
use crate::scenario::{Model, Picked, Scenario};
use crate::units::{BytesPerSecond, FlopsPerSecond, Seconds};

const HOPPER: [f64; 2] = [0.61, 0.19];

/// Fractions that matrix products and attention reach.
fn kernels(gpu: &Picked<Accelerator>) -> [f64; 2] {
    match gpu.values.generation {
        Generation::Volta => [0.70, 0.31],
        Generation::Cdna2 | Generation::Cdna3 | Generation::Cdna4 => [0.50, 0.19],
        Generation::Hopper | Generation::Blackwell | Generation::BlackwellUltra => HOPPER,
        Generation::BlackwellGddr if gpu.id == "rtx-5090" => HOPPER,
        Generation::Turing
        | Generation::Ampere
        | Generation::AmpereGddr
        | Generation::Ada
        | Generation::BlackwellGddr
        | Generation::Gaudi
        | Generation::Tpu
        | Generation::Trainium => [0.80, 0.31],
    }
}

/// Corrected data sheets: memory in GB/s, dense TFLOP/s in 16 and 8 bits.
const SHEETS: [(&str, [f64; 3]); 2] = [("b200", [8000.0, 2250.0, 4500.0]), ("h100-nvl", [3900.0, 835.0, 1671.0])];
/// Microseconds per hop and the fraction that collectives reach, by prefix of the interconnect's
/// key.
const LINKS: [(&str, [f64; 2]); 10] = [
    ("nvlink2", [3.4, 0.78]),
    ("nvlink3", [3.4, 0.78]),
    ("nvlink4-h800", [3.4, 0.78]),
    ("nvlink", [3.4, 0.60]),
    ("xgmi", [3.4, 0.60]),
    ("pcie", [5.7, 0.60]),
    ("efa", [37.0, 0.46]),
    ("opa", [37.0, 0.21]),
    ("gpudirect", TCP),
    ("ethernet", TCP),
];
const TCP: [f64; 2] = [37.0, 0.60];
const FABRIC: [f64; 2] = [37.0, 0.65];
/// PCIe rates in GB/s, before the overhead of its encoding.
const RATES: [(&str, f64); 2] = [("pcie4-x16", 32.0), ("pcie5-x16", 64.0)];

fn value<T: Copy>(table: &[(&str, T)], fits: impl Fn(&str) -> bool) -> Option<T> {
    table.iter().find(|(key, _)| fits(key)).map(|(_, value)| *value)
}

/// Restores the numbers of a revision in the unedited catalog entries of a scenario.
pub fn restore(scenario: &mut Scenario, revision: u32) {
    if revision <= 6 {
        leonardo(scenario);
    }
    if revision <= 5 {
        h20(scenario);
    }
    if revision <= 4 {
        fourth(scenario);
    }
    if revision <= 3 {
        third(scenario);
    }
    if revision <= 2 {
        second(scenario);
    }
    if revision <= 1 {
        first(scenario);
    }
}

/// Settles what earlier revisions took from other numbers of the link: up to revision 4 products in 4 bits reached the share of their
/// peak that those in 8 bits did.
pub fn settle(scenario: &mut Scenario, revision: u32) {
    if revision <= 4 {
        let efficiency = &mut scenario.accelerator.values.efficiency;
        efficiency.matmul_4bit = efficiency.matmul_8bit;
    }
}

/// Up to revision 6 kernels reached the same shares of the A100's peaks on Leonardo, whose GPUs have more multiprocessors.
fn leonardo(scenario: &mut Scenario) {
    let gpu = &mut scenario.accelerator;
    if gpu.id == "a100-64gb" {
        gpu.values.efficiency = efficiency::AMPERE.efficiency;
    }
}

/// Up to revision 5 kernels reached the same shares of an H20's peaks as of an H100's, which power limits.
fn h20(scenario: &mut Scenario) {
    let gpu = &mut scenario.accelerator;
    if gpu.id == "h20" {
        gpu.values.efficiency = efficiency::HOPPER.efficiency;
    }
}

/// Restores the numbers of revision 4.
fn fourth(scenario: &mut Scenario) {
    fourth_networks(scenario);
    other_silicon(scenario);
    attention(scenario);
    host_bandwidth(scenario);
}

/// Interconnects that revision 5 measured anew: microseconds per hop, the fraction that collectives reach, and the passes of an
/// all-reduce, by prefix of the key.
const NETWORKS_4: [(&str, [f64; 3]); 6] = [
    ("pcie4-x16-host", [5.7, 0.60, 2.0]),
    ("nvlink4-h800", [3.4, 0.72, 2.0]),
    ("nvlink4", [3.4, 0.58, 1.15]),
    ("nvlink5", [3.4, 0.58, 1.15]),
    ("efa", [400.0, 0.67, 2.0]),
    ("gpudirect-tcpxo", [37.0, 0.60, 2.0]),
];

/// Restores the networks of revision 4.
fn fourth_networks(scenario: &mut Scenario) {
    scenario.network.values.relays = false;
    let Some(entry) = cluster(scenario.network.id) else { return };
    let network = &mut scenario.network.values;
    if let Some([hop, reached, passes]) = value(&NETWORKS_4, |key| entry.intra_node.starts_with(key)) {
        (network.intra_node_latency, network.intra_node_efficiency) = (Seconds::from_us(hop), reached);
        network.all_reduce_passes = passes;
    }
    if let Some([hop, reached, _]) = value(&NETWORKS_4, |key| entry.inter_node.starts_with(key)) {
        (network.inter_node_latency, network.inter_node_efficiency) = (Seconds::from_us(hop), reached);
    }
}

/// Revision 4 took a slice of TPUs for a switch, borrowed the fractions of the peaks of TPUs, Gaudi and AMD's accelerators, and had no
/// products in int8.
fn other_silicon(scenario: &mut Scenario) {
    let network = &mut scenario.network.values;
    network.torus = 0;
    if let Some(entry) = cluster(scenario.network.id)
        && entry.inter_node.starts_with("dcn-")
    {
        (network.inter_node_efficiency, network.node_decay) = (0.60, 0.0);
    }
    let gpu = &mut scenario.accelerator;
    if accelerator(gpu.id).is_none() {
        return;
    }
    let [matmul, matmul_8bit, attention, tuned] = match gpu.values.generation {
        Generation::Cdna3 | Generation::Cdna4 => [0.50, 0.50, 0.19, 0.19],
        Generation::Gaudi | Generation::Tpu => [0.72, 0.72, 0.33, 0.44],
        _ => return,
    };
    let efficiency = &mut gpu.values.efficiency;
    (efficiency.matmul, efficiency.matmul_8bit) = (matmul, matmul_8bit);
    (efficiency.attention, efficiency.attention_tuned) = (attention, tuned);
    if gpu.values.generation == Generation::Tpu {
        (gpu.values.peak_8bit, gpu.values.peak_4bit) = (gpu.values.peak_16bit, gpu.values.peak_16bit);
    }
}

/// Attention with tuned kernels, which was fitted to sequences of 2K to 8K alone, and 8-bit products beside it.
fn attention(scenario: &mut Scenario) {
    let gpu = &mut scenario.accelerator;
    if accelerator(gpu.id).is_some() {
        let efficiency = &mut gpu.values.efficiency;
        let (tuned, products) = match gpu.values.generation {
            Generation::Hopper => (0.19, 0.75),
            Generation::Blackwell => (0.235, 0.60),
            Generation::BlackwellUltra => (0.21, 0.80),
            _ => return,
        };
        (efficiency.attention_tuned, efficiency.matmul_8bit) = (tuned, products);
    }
}

/// Up to revision 4 a host's memory was as fast as the links to its GPUs.
fn host_bandwidth(scenario: &mut Scenario) {
    scenario.network.values.host.bandwidth = BytesPerSecond::from_gb_per_s(0.0);
}

/// Restores the numbers of revision 3: an hour of every accelerator cost the same, and products of cards with GDDR memory reached
/// what the A100's and the B200's do.
fn third(scenario: &mut Scenario) {
    scenario.run.price_per_gpu_hour = prices::UNLISTED;
    let gpu = &mut scenario.accelerator;
    if accelerator(gpu.id).is_some() {
        match gpu.values.generation {
            Generation::Ada => gpu.values.efficiency.matmul = 0.72,
            Generation::BlackwellGddr => gpu.values.efficiency.matmul = 0.55,
            _ => {}
        }
    }
}

/// Restores the numbers of revision 2: all of a GPU's memory was usable, and every node one host of
/// 2 TiB.
fn second(scenario: &mut Scenario) {
    scenario.accelerator.values.usable_percent = 100.0;
    let bandwidth = scenario.network.values.host.bandwidth;
    scenario.network.values.host = Host { bandwidth, ..Host::USUAL };
}

/// Restores the numbers of revision 1 in the unedited catalog entries of a scenario. Revision 1 had
/// no sliding windows: a model that has one becomes a custom model without it.
fn first(scenario: &mut Scenario) {
    let gpu = &mut scenario.accelerator;
    if accelerator(gpu.id).is_some() {
        let [matmul, attention] = kernels(gpu);
        let efficiency = &mut gpu.values.efficiency;
        (efficiency.matmul, efficiency.attention) = (matmul, attention);
        (efficiency.memory, efficiency.half_saturation_tokens) = (0.80, 330.0);
        efficiency.launch_per_layer = Seconds::from_ms(0.2);
        if let Some([memory, peak_16bit, peak_8bit]) = value(&SHEETS, |key| gpu.id == key) {
            gpu.values.memory_bandwidth = BytesPerSecond::from_gb_per_s(memory);
            gpu.values.peak_16bit = FlopsPerSecond::from_tflops(peak_16bit);
            gpu.values.peak_8bit = FlopsPerSecond::from_tflops(peak_8bit);
        }
    }
    if let Some(entry) = cluster(scenario.network.id) {
        let network = &mut scenario.network.values;
        let link = |id: &str| value(&LINKS, |key| id.starts_with(key)).unwrap_or(FABRIC);
        let ([inside, inside_reached], [between, between_reached]) = (link(entry.intra_node), link(entry.inter_node));
        (network.intra_node_latency, network.intra_node_efficiency) = (Seconds::from_us(inside), inside_reached);
        (network.inter_node_latency, network.inter_node_efficiency) = (Seconds::from_us(between), between_reached);
        if let Some(rate) = value(&RATES, |key| entry.intra_node.starts_with(key)) {
            network.intra_node = BytesPerSecond::from_gb_per_s(rate);
        }
    }
    if let Model::Preset { mut architecture, .. } = scenario.model
        && architecture.sliding_window > 0
    {
        (architecture.sliding_window, architecture.global_every) = (0, 0);
        scenario.model = Model::Custom { architecture };
    }
}
