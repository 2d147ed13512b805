//! Numbers of GPU and network beyond the first screen.

use super::{
    AxisUse, ChoiceOption, Group, PERCENT, Param, Scale, Unit, choice, count, number, option, position, switched, whole,
};
use crate::model::hardware::{Rails, Topology};
use crate::units::{BytesPerSecond, FlopsPerSecond, Seconds};

/// GPUs that share a node.
pub(in crate::params) const GPUS_PER_NODE: Param = Param {
    key: "node",
    label: "GPUs per node",
    csv: "gpus_per_node",
    group: Group::Network,
    help: "GPUs joined by NVLink, xGMI or PCIe: traffic among them stays off the network.",
    kind: count(
        Unit::None,
        (1.0, 16_384.0),
        |scenario| f64::from(scenario.network.values.gpus_per_node),
        |scenario, value| scenario.network.values.gpus_per_node = whole(value),
    ),
    ..Param::DEFAULT
}
.window(1.0, 128.0);

/// Link rate inside the node.
pub(in crate::params) const INTRA_NODE: Param = Param {
    key: "intra",
    label: "Intra-node bandwidth",
    csv: "intra_node_gb_per_s",
    group: Group::Network,
    help: "Rate of one GPU to the others of its node, in each direction: half of the total that NVLink data sheets print.",
    kind: number(
        Unit::GbPerS,
        (1.0, 10_000.0),
        Scale::Log,
        |scenario| scenario.network.values.intra_node.gb_per_s(),
        |scenario, value| scenario.network.values.intra_node = BytesPerSecond::from_gb_per_s(value),
    ),
    ..Param::DEFAULT
}
.window(10.0, 2000.0);

/// Rate of the GPU's memory.
pub(in crate::params) const MEMORY_BANDWIDTH: Param = Param {
    key: "hbm",
    label: "Memory bandwidth",
    csv: "memory_bandwidth_gb_per_s",
    group: Group::Hardware,
    help: "Peak rate of the GPU's own memory (HBM, GDDR): it sets the time of norms, activations and the optimizer step.",
    kind: number(
        Unit::GbPerS,
        (50.0, 50_000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.memory_bandwidth.gb_per_s(),
        |scenario, value| scenario.accelerator.values.memory_bandwidth = BytesPerSecond::from_gb_per_s(value),
    ),
    ..Param::DEFAULT
}
.window(200.0, 20_000.0);

/// Memory that the driver leaves to programs.
pub(in crate::params) const USABLE_MEMORY: Param = Param {
    key: "usable",
    label: "Usable memory",
    csv: "usable_memory_percent",
    group: Group::Hardware,
    help: "Share of the GPU’s memory that the driver leaves to programs, as PyTorch’s out-of-memory errors report it. Error \
           correction takes a sixteenth of GDDR memory; a desktop or another process on the GPU takes more.",
    kind: number(
        Unit::Percent,
        (50.0, 100.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.usable_percent,
        |scenario, value| scenario.accelerator.values.usable_percent = value,
    ),
    axis: AxisUse::Never,
    // Only the nominal memory can grow.
    knob: Some(|_| false),
    ..Param::DEFAULT
};

/// Dense 16-bit peak.
pub(in crate::params) const PEAK: Param = Param {
    key: "peak",
    label: "16-bit peak",
    csv: "peak_16bit_tflop_per_s",
    group: Group::Hardware,
    help: "Dense peak of one GPU in bf16 (fp16 where there is no bf16), without sparsity: the 100 % of MFU.",
    kind: number(
        Unit::Tflops,
        (1.0, 20_000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.peak_16bit.tflops(),
        |scenario, value| scenario.accelerator.values.peak_16bit = FlopsPerSecond::from_tflops(value),
    ),
    ..Param::DEFAULT
}
.window(20.0, 5000.0);

/// Latency between nodes.
pub(in crate::params) const INTER_NODE_LATENCY: Param = Param {
    key: "lat",
    label: "Inter-node latency",
    csv: "inter_node_latency_us",
    group: Group::Network,
    help: "Time of one hop between nodes before the first byte arrives. A ring over many nodes pays it once a hop.",
    kind: number(
        Unit::Us,
        (0.1, 1000.0),
        Scale::Log,
        |scenario| scenario.network.values.inter_node_latency.us(),
        |scenario, value| scenario.network.values.inter_node_latency = Seconds::from_us(value),
    ),
    ..Param::DEFAULT
}
.window(0.5, 100.0);

/// Fraction of the nominal network rate that collectives reach.
pub(in crate::params) const INTER_NODE_EFFICIENCY: Param = Param {
    key: "eff",
    label: "Inter-node efficiency",
    csv: "inter_node_efficiency_percent",
    group: Group::Network,
    help: "Share of the nominal link rate that large collectives reach between nodes: bus bandwidth of nccl-tests over the \
           link's rate.",
    kind: number(
        Unit::Percent,
        (1.0, 100.0),
        Scale::Linear,
        |scenario| scenario.network.values.inter_node_efficiency * PERCENT,
        |scenario, value| scenario.network.values.inter_node_efficiency = value / PERCENT,
    ),
    ..Param::DEFAULT
};

/// Oversubscription of the leaf switches.
pub(in crate::params) const OVERSUBSCRIPTION: Param = Param {
    key: "oversub",
    label: "Oversubscription",
    csv: "oversubscription",
    group: Group::Network,
    help: "Links of a leaf switch down to nodes for each one up to the rest of the fabric: 1 where it carries what all network \
           cards send at once. More slows groups that spread over leaves, all-to-alls most.",
    kind: number(
        Unit::None,
        (1.0, 64.0),
        Scale::Log,
        |scenario| scenario.network.values.fabric.oversubscription,
        |scenario, value| scenario.network.values.fabric.oversubscription = value,
    ),
    ..Param::DEFAULT
}
.window(1.0, 8.0);

/// The layouts of cards on leaves, in display order.
const RAIL_LAYOUTS: [Rails; 2] = [Rails::Optimised, Rails::TopOfRack];

/// The options of the layouts.
const RAIL_OPTIONS: &[ChoiceOption] = &[
    option(
        "yes",
        "By rails",
        "The same card of every node leads to the same leaf switch: 32 nodes share their leaves.",
    ),
    option(
        "no",
        "By racks",
        "All cards of a node lead to one leaf switch: as many nodes share it as fill its 32 ports.",
    ),
];

/// The leaf switches of a node's cards, with an effect if the fabric is oversubscribed.
pub(in crate::params) const RAILS: Param = Param {
    key: "rails",
    label: "Cards on leaf switches",
    csv: "rails",
    group: Group::Network,
    help: "Which leaf switches the network cards of a node lead to: nodes under the same ones reach each other at full rate, \
           however few links lead up.",
    kind: choice(
        RAIL_OPTIONS,
        |scenario| position(&RAIL_LAYOUTS, &scenario.network.values.fabric.rails),
        |scenario, index| {
            let fabric = &mut scenario.network.values.fabric;
            fabric.rails = RAIL_LAYOUTS.get(index).copied().unwrap_or(fabric.rails);
        },
    ),
    ..Param::DEFAULT
}
.when(|scenario| scenario.network.values.fabric.oversubscription > 1.0);

/// Whether GPUs of a node send together.
pub(in crate::params) const RELAYS: Param = Param {
    key: "pxn",
    label: "Relays by NVLink (PXN)",
    csv: "pxn",
    group: Group::Network,
    help: "Whether GPUs of a node hand messages for one GPU of another node to the GPU on its rail, which sends them together, as \
           NCCL does from version 2.12 on: small all-to-alls over many nodes have fewer messages.",
    kind: switched(
        |scenario| usize::from(scenario.network.values.relays),
        |scenario, index| {
            let relays = &mut scenario.network.values.relays;
            *relays = [false, true].get(index).copied().unwrap_or(*relays);
        },
    ),
    ..Param::DEFAULT
};

/// The topologies, in display order.
const TOPOLOGIES: [Topology; 2] = [Topology::Aware, Topology::Flat];

/// The options of the topology.
const TOPOLOGY_OPTIONS: &[ChoiceOption] = &[
    option("aware", "Nodes and rails", "Rings leave each node through all of its network cards, as NCCL builds them."),
    option("flat", "Flat network", "Every byte crosses one GPU's network link, as the closed-form FSDP bounds assume."),
];

/// The topology by which collectives are priced. The scenario's choice overrides the network's own
/// field.
pub(in crate::params) const TOPOLOGY: Param = Param {
    key: "topology",
    label: "Collectives priced by",
    csv: "topology",
    group: Group::Network,
    help: "How the time of a collective is computed: with the fast links inside each node, or as if there were none.",
    kind: choice(
        TOPOLOGY_OPTIONS,
        |scenario| position(&TOPOLOGIES, &scenario.topology),
        |scenario, index| scenario.topology = TOPOLOGIES.get(index).copied().unwrap_or(scenario.topology),
    ),
    ..Param::DEFAULT
};
