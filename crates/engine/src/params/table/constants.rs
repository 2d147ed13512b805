//! Constants of the hardware that come with a catalog entry: links and JSON contain them, but the
//! page has no control for them.

use super::{Group, PERCENT, Param, Scale, Unit, count, number, whole};
use crate::model::software::AttentionKernel;
use crate::model::training::{ComputeFormat, PrecisionPolicy};
use crate::scenario::Scenario;
use crate::units::{BytesPerSecond, FlopsPerSecond, Seconds};

/// A fraction of a peak that kernels reach, for a field of the accelerator's efficiencies, in
/// percent.
macro_rules! reached {
    ($field:ident) => {
        number(
            Unit::Percent,
            (1.0, 100.0),
            Scale::Linear,
            |scenario| scenario.accelerator.values.efficiency.$field * PERCENT,
            |scenario, value| scenario.accelerator.values.efficiency.$field = value / PERCENT,
        )
    };
}

/// For rows about products in 8 and 4 bits.
fn in_few_bits(scenario: &Scenario) -> bool {
    scenario.compute_format != ComputeFormat::AsPolicy || scenario.kernels.attention == AttentionKernel::Flash8bit
}

/// For rows about products in 4 bits.
fn in_4_bits(scenario: &Scenario) -> bool {
    scenario.compute_format == ComputeFormat::Fp4
}

/// For rows about products in 32 bits.
fn in_32_bits(scenario: &Scenario) -> bool {
    scenario.recipe == PrecisionPolicy::Fp32
}

/// For rows about attention kernels tuned to the GPU.
fn with_tuned_attention(scenario: &Scenario) -> bool {
    matches!(scenario.kernels.attention, AttentionKernel::FlashTuned | AttentionKernel::Flash8bit)
}

/// Dense fp8 peak.
pub(in crate::params) const PEAK_8BIT: Param = Param {
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
    ..Param::DEFAULT
}
.window(40.0, 10_000.0)
.relevant(in_few_bits);

/// Dense 4-bit peak.
pub(in crate::params) const PEAK_4BIT: Param = Param {
    key: "peak4",
    label: "4-bit peak",
    csv: "peak_4bit_tflop_per_s",
    group: Group::Hardware,
    help: "Dense peak of one GPU in 4 bits, without sparsity; the 8-bit peak where there is no such unit.",
    kind: number(
        Unit::Tflops,
        (1.0, 80_000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.peak_4bit.tflops(),
        |scenario, value| scenario.accelerator.values.peak_4bit = FlopsPerSecond::from_tflops(value),
    ),
    ..Param::DEFAULT
}
.window(80.0, 20_000.0)
.relevant(in_few_bits);

/// Dense fp32 peak.
pub(in crate::params) const PEAK_32BIT: Param = Param {
    key: "peak32",
    label: "32-bit peak",
    csv: "peak_32bit_tflop_per_s",
    group: Group::Hardware,
    help: "Dense peak of fp32 matrix products as PyTorch runs them by default, without TF32, and of scans of state mixers element by element.",
    kind: number(
        Unit::Tflops,
        (0.5, 20_000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.peak_32bit.tflops(),
        |scenario, value| scenario.accelerator.values.peak_32bit = FlopsPerSecond::from_tflops(value),
    ),
    ..Param::DEFAULT
}
.relevant(computes_in_32_bits);

/// For rows about fp32 compute: the recipe, or scans of recurrent mixers under any recipe.
fn computes_in_32_bits(scenario: &Scenario) -> bool {
    in_32_bits(scenario) || scenario.model.architecture().recurrent.is_used()
}

/// Link rate to host memory.
pub(in crate::params) const HOST_LINK: Param = Param {
    key: "hostlink",
    label: "Host link",
    csv: "host_link_gb_per_s",
    group: Group::Hardware,
    help: "Rate of one GPU to host memory in each direction (PCIe, NVLink-C2C): what offloading pays.",
    kind: number(
        Unit::GbPerS,
        (1.0, 2000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.host_link.gb_per_s(),
        |scenario, value| scenario.accelerator.values.host_link = BytesPerSecond::from_gb_per_s(value),
    ),
    ..Param::DEFAULT
}
.window(4.0, 900.0);

/// Power at full load.
pub(in crate::params) const POWER: Param = Param {
    key: "power",
    label: "Power",
    csv: "power_w",
    group: Group::Hardware,
    help: "Power of one GPU at full load: its board's, or its share of the module's.",
    kind: number(
        Unit::Watt,
        (10.0, 10_000.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.power,
        |scenario, value| scenario.accelerator.values.power = value,
    ),
    ..Param::DEFAULT
};

/// Fraction of the peak that matrix products reach.
pub(in crate::params) const MATMUL: Param = Param {
    key: "matmul",
    label: "Matmul efficiency",
    csv: "matmul_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the dense peak that large matmuls reach.",
    kind: reached!(matmul),
    ..Param::DEFAULT
};

/// Fraction of the 8-bit peak that matrix products reach.
pub(in crate::params) const MATMUL_8BIT: Param = Param {
    key: "matmul8",
    label: "8-bit matmul efficiency",
    csv: "matmul_8bit_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the dense 8-bit peak that large matmuls reach, casts apart.",
    kind: reached!(matmul_8bit),
    ..Param::DEFAULT
}
.relevant(in_few_bits);

/// Fraction of the 4-bit peak that matrix products reach.
pub(in crate::params) const MATMUL_4BIT: Param = Param {
    key: "matmul4",
    label: "4-bit matmul efficiency",
    csv: "matmul_4bit_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the dense 4-bit peak that large matmuls reach, casts apart.",
    kind: reached!(matmul_4bit),
    ..Param::DEFAULT
}
.relevant(in_4_bits);

/// Fraction of the peak that attention reaches.
pub(in crate::params) const ATTENTION: Param = Param {
    key: "attn",
    label: "Attention efficiency",
    csv: "attention_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the dense peak that flash attention kernels not tuned to the GPU reach in the forward pass.",
    kind: reached!(attention),
    ..Param::DEFAULT
};

/// Fraction of the peak that tuned attention reaches.
pub(in crate::params) const ATTENTION_TUNED: Param = Param {
    key: "attntuned",
    label: "Tuned attention efficiency",
    csv: "attention_tuned_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the dense peak that attention kernels tuned to the GPU reach in the forward pass.",
    kind: reached!(attention_tuned),
    ..Param::DEFAULT
}
.relevant(with_tuned_attention);

/// Fraction of the memory bandwidth that element-wise kernels reach.
pub(in crate::params) const ELEMENTWISE: Param = Param {
    key: "elem",
    label: "Memory efficiency",
    csv: "memory_efficiency_percent",
    group: Group::Hardware,
    help: "Share of the peak memory bandwidth that element-wise kernels reach.",
    kind: reached!(memory),
    ..Param::DEFAULT
};

/// Tokens at half efficiency.
pub(in crate::params) const HALF_SATURATION: Param = Param {
    key: "half",
    label: "Half-saturation tokens",
    csv: "half_saturation_tokens",
    group: Group::Hardware,
    help: "Tokens in a micro-batch at which matmuls reach half of their efficiency; smaller micro-batches run slower.",
    kind: number(
        Unit::Tokens,
        (0.0, 100_000.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.efficiency.half_saturation_tokens,
        |scenario, value| scenario.accelerator.values.efficiency.half_saturation_tokens = value,
    ),
    ..Param::DEFAULT
}
.window(0.0, 2000.0);

/// Host time for one layer and pass.
pub(in crate::params) const LAUNCH: Param = Param {
    key: "launch",
    label: "Launch time per layer",
    csv: "launch_per_layer_us",
    group: Group::Hardware,
    help: "CPU time to launch one layer's kernels in one pass: a lower bound of the layer's compute time.",
    kind: number(
        Unit::Us,
        (0.0, 100_000.0),
        Scale::Linear,
        |scenario| scenario.accelerator.values.efficiency.launch_per_layer.us(),
        |scenario, value| scenario.accelerator.values.efficiency.launch_per_layer = Seconds::from_us(value),
    ),
    ..Param::DEFAULT
}
.window(0.0, 2000.0);

/// Latency inside the node.
pub(in crate::params) const INTRA_NODE_LATENCY: Param = Param {
    key: "intralat",
    label: "Intra-node latency",
    csv: "intra_node_latency_us",
    group: Group::Network,
    help: "Time of one hop between GPUs of a node before the first byte arrives.",
    kind: number(
        Unit::Us,
        (0.0, 1000.0),
        Scale::Linear,
        |scenario| scenario.network.values.intra_node_latency.us(),
        |scenario, value| scenario.network.values.intra_node_latency = Seconds::from_us(value),
    ),
    ..Param::DEFAULT
}
.window(0.0, 20.0);

/// Fraction of the nominal rate inside the node that collectives reach.
pub(in crate::params) const INTRA_NODE_EFFICIENCY: Param = Param {
    key: "intraeff",
    label: "Intra-node efficiency",
    csv: "intra_node_efficiency_percent",
    group: Group::Network,
    help: "Share of the nominal link rate that large collectives reach inside the node.",
    kind: number(
        Unit::Percent,
        (1.0, 100.0),
        Scale::Linear,
        |scenario| scenario.network.values.intra_node_efficiency * PERCENT,
        |scenario, value| scenario.network.values.intra_node_efficiency = value / PERCENT,
    ),
    ..Param::DEFAULT
};

/// Passes of an all-reduce.
pub(in crate::params) const ALL_REDUCE_PASSES: Param = Param {
    key: "arpasses",
    label: "All-reduce passes",
    csv: "all_reduce_passes",
    group: Group::Network,
    help: "Passes over the links that an all-reduce takes: 2 in a ring, less where switches reduce (NVLS).",
    kind: number(
        Unit::None,
        (1.0, 4.0),
        Scale::Linear,
        |scenario| scenario.network.values.all_reduce_passes,
        |scenario, value| scenario.network.values.all_reduce_passes = value,
    ),
    ..Param::DEFAULT
};

/// Slow-down with each additional node.
pub(in crate::params) const NODE_DECAY: Param = Param {
    key: "nodedecay",
    label: "Slowdown per extra node",
    csv: "node_decay_percent",
    group: Group::Network,
    help: "How much longer a byte takes between nodes for each node beyond the second: 0 % where the fabric holds its rate.",
    kind: number(
        Unit::Percent,
        (0.0, 100.0),
        Scale::Linear,
        |scenario| scenario.network.values.node_decay * PERCENT,
        |scenario, value| scenario.network.values.node_decay = value / PERCENT,
    ),
    ..Param::DEFAULT
}
.window(0.0, 5.0);

/// Axes of the torus.
pub(in crate::params) const TORUS: Param = Param {
    key: "torus",
    label: "Axes of the torus",
    csv: "torus_axes",
    group: Group::Network,
    help: "Axes on which a TPU's links join it to its neighbours: collectives use the links of the axes they run over. 0: switches.",
    kind: count(
        Unit::None,
        (0.0, 3.0),
        |scenario| f64::from(scenario.network.values.torus),
        |scenario, value| scenario.network.values.torus = whole(value),
    ),
    ..Param::DEFAULT
};
