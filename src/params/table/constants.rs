//! Constants of the hardware that come with a catalog entry: links and JSON can hold them, the page has no control for them.

use super::{Group, Param, Scale, Unit, always, number};
use crate::units::{FlopsPerSecond, Seconds};

/// One hundred percent.
const PERCENT: f64 = 100.0;

/// Dense fp8 peak.
pub const PEAK_8BIT: Param = Param {
    key: "peak8",
    label: "8-bit peak",
    csv: "peak_8bit_tflop_per_s",
    group: Group::Hardware,
    help: "Dense peak of one GPU in fp8, without sparsity; the 16-bit peak where there is no fp8 unit.",
    kind: number(
        Unit::Tflops,
        (1.0, 40_000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.peak_8bit.tflops(),
        |scenario, value| scenario.accelerator.values.peak_8bit = FlopsPerSecond::from_tflops(value),
    ),
    applies: always,
};

/// Dense fp32 peak.
pub const PEAK_32BIT: Param = Param {
    key: "peak32",
    label: "32-bit peak",
    csv: "peak_32bit_tflop_per_s",
    group: Group::Hardware,
    help: "Dense peak of fp32 matrix products as PyTorch runs them by default, without TF32.",
    kind: number(
        Unit::Tflops,
        (0.5, 20_000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.peak_32bit.tflops(),
        |scenario, value| scenario.accelerator.values.peak_32bit = FlopsPerSecond::from_tflops(value),
    ),
    applies: always,
};

/// Fraction of the peak that matrix products reach.
pub const MATMUL: Param = Param {
    key: "matmul",
    label: "Matrix product efficiency",
    csv: "matmul_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the dense peak that large matrix products reach.",
    kind: number(
        Unit::Percent,
        (1.0, 100.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.efficiency.matmul * PERCENT,
        |scenario, value| scenario.accelerator.values.efficiency.matmul = value / PERCENT,
    ),
    applies: always,
};

/// Fraction of the peak that attention reaches.
pub const ATTENTION: Param = Param {
    key: "attn",
    label: "Attention efficiency",
    csv: "attention_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the dense peak that flash attention reaches in the forward pass.",
    kind: number(
        Unit::Percent,
        (1.0, 100.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.efficiency.attention * PERCENT,
        |scenario, value| scenario.accelerator.values.efficiency.attention = value / PERCENT,
    ),
    applies: always,
};

/// Fraction of the memory bandwidth that element-wise kernels reach.
pub const ELEMENTWISE: Param = Param {
    key: "elem",
    label: "Memory bandwidth efficiency",
    csv: "memory_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the peak memory bandwidth that element-wise kernels reach.",
    kind: number(
        Unit::Percent,
        (1.0, 100.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.efficiency.memory * PERCENT,
        |scenario, value| scenario.accelerator.values.efficiency.memory = value / PERCENT,
    ),
    applies: always,
};

/// Tokens at half efficiency.
pub const HALF_SATURATION: Param = Param {
    key: "half",
    label: "Half-saturation tokens",
    csv: "half_saturation_tokens",
    group: Group::Hardware,
    help: "Tokens in a micro-batch at which matrix products reach half of their efficiency: small batches run slower.",
    kind: number(
        Unit::Tokens,
        (0.0, 100_000.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.efficiency.half_saturation_tokens,
        |scenario, value| scenario.accelerator.values.efficiency.half_saturation_tokens = value,
    ),
    applies: always,
};

/// Host time for one layer and pass.
pub const LAUNCH: Param = Param {
    key: "launch",
    label: "Launch time per layer",
    csv: "launch_per_layer_us",
    group: Group::Hardware,
    help: "Host time to launch one layer's kernels in one pass: a floor under the layer's compute time.",
    kind: number(
        Unit::Us,
        (0.0, 100_000.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.efficiency.launch_per_layer.us(),
        |scenario, value| scenario.accelerator.values.efficiency.launch_per_layer = Seconds::from_us(value),
    ),
    applies: always,
};

/// Latency inside the node.
pub const INTRA_NODE_LATENCY: Param = Param {
    key: "intralat",
    label: "Latency inside the node",
    csv: "intra_node_latency_us",
    group: Group::Hardware,
    help: "Time of one hop between GPUs of a node before the first byte arrives.",
    kind: number(
        Unit::Us,
        (0.0, 1000.0),
        Scale::Linear,
        |scenario| scenario.network.values.intra_node_latency.us(),
        |scenario, value| scenario.network.values.intra_node_latency = Seconds::from_us(value),
    ),
    applies: always,
};

/// Fraction of the nominal rate inside the node that collectives reach.
pub const INTRA_NODE_EFFICIENCY: Param = Param {
    key: "intraeff",
    label: "Efficiency inside the node",
    csv: "intra_node_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the nominal link rate that large collectives reach inside the node.",
    kind: number(
        Unit::Percent,
        (1.0, 100.0),
        Scale::Linear,
        |scenario| scenario.network.values.intra_node_efficiency * PERCENT,
        |scenario, value| scenario.network.values.intra_node_efficiency = value / PERCENT,
    ),
    applies: always,
};
