//! The five controls of the first screen. Tests and screen readers find them by their labels.

use super::{Group, Kind, Number, Param, Scale, Unit, count, number, whole};
use crate::model::ladder;
use crate::scenario::Scenario;
use crate::units::{Bytes, BytesPerSecond};

/// Whether the size of the model is a free number.
fn is_on_ladder(scenario: &Scenario) -> bool {
    scenario.model.is_on_ladder()
}

/// Memory of one GPU.
pub(in crate::params) const GPU_MEMORY: Param = Param {
    key: "mem",
    label: "GPU memory",
    csv: "gpu_memory_gib",
    group: Group::Main,
    help: "Memory of one GPU, in GiB (2³⁰ bytes). Vendors' “80 GB” is 80 GiB.",
    kind: number(
        Unit::Gib,
        (8.0, 512.0),
        Scale::Log,
        |scenario| scenario.accelerator.values.memory.gib(),
        |scenario, value| scenario.accelerator.values.memory = Bytes::from_gib(value),
    ),
    ..Param::DEFAULT
}
.window(8.0, 288.0);

/// Inter-node link rate of one GPU.
pub(in crate::params) const LINK_BANDWIDTH: Param = Param {
    key: "link",
    label: "Link bandwidth",
    csv: "inter_node_gbit_per_s",
    group: Group::Main,
    help: "Network rate of one GPU to other nodes, in each direction (its share of the node's InfiniBand or Ethernet \
           cards). 8 Gbit/s are 1 GB/s.",
    kind: number(
        Unit::GbitPerS,
        (1.0, 3200.0),
        Scale::Log,
        |scenario| scenario.network.values.inter_node.gbit_per_s(),
        |scenario, value| scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(value),
    ),
    ..Param::DEFAULT
}
.window(10.0, 1600.0);

/// Tokens in one sequence.
pub(in crate::params) const SEQUENCE_LENGTH: Param = Param {
    key: "seq",
    label: "Sequence length",
    csv: "seq_len_tokens",
    group: Group::Main,
    help: "Tokens in one training sequence (context length). 8k means 8,192.",
    kind: count(
        Unit::Tokens,
        (128.0, 16_777_216.0),
        |scenario| f64::from(scenario.seq_len),
        |scenario, value| scenario.seq_len = whole(value),
    ),
    ..Param::DEFAULT
}
.window(512.0, 131_072.0);

/// Size of the model: nominal on the ladder of GPT-style shapes, otherwise along the model's
/// family.
pub(in crate::params) const MODEL_SIZE: Param = Param {
    key: "size",
    label: "Model size",
    csv: "model_params",
    group: Group::Main,
    help: "Parameters of the model. A named or imported model is scaled along its own family: layers and width grow as its \
           published sizes do, vocabulary, head width, grouping of keys, MLP ratio and experts stay.",
    kind: Kind::Number(Number {
        unit: Unit::Params,
        min: ladder::SIZES.0,
        max: ladder::SIZES.1,
        scale: Scale::Log,
        integer: false,
        bounds: Some(|scenario| scenario.model.sizes()),
        get: |scenario| scenario.model.size(),
        set: |scenario, size| scenario.model = scenario.model.resized(size),
    }),
    ..Param::DEFAULT
}
.window(1.3e9, 310e9).knob(is_on_ladder);

/// Number of GPUs.
pub(in crate::params) const GPUS: Param = Param {
    key: "gpus",
    label: "GPUs",
    csv: "gpus",
    group: Group::Main,
    help: "GPUs in the whole run: data-parallel ranks (world size). The model state is sharded over them.",
    kind: count(
        Unit::None,
        (1.0, 131_072.0),
        |scenario| f64::from(scenario.gpus),
        |scenario, value| scenario.gpus = whole(value),
    ),
    ..Param::DEFAULT
}
.window(2.0, 4096.0);
