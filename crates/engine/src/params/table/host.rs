//! The hosts of the GPUs: memory, drives, launch speed, data loaders.

use super::run::row;
use super::{Kind, Number, Param, Scale, Unit, number, whole};
use crate::units::{Bytes, BytesPerSecond};

/// Memory of a host.
pub(in crate::params) const HOST_MEMORY: Param = row(
    "hostmem",
    "Host memory",
    "host_memory_gib",
    "Memory of one host, for what is offloaded, for checkpoints that one rank gathers, and for models that every rank builds.",
    number(
        Unit::Gib,
        (1.0, 65_536.0),
        Scale::Log,
        |scenario| scenario.network.values.host.memory.gib(),
        |scenario, value| scenario.network.values.host.memory = Bytes::from_gib(value),
    ),
);

/// GPUs of a host.
pub(in crate::params) const HOST_GPUS: Param = row(
    "hostgpus",
    "GPUs per host",
    "gpus_per_host",
    "GPUs that share a host’s memory; 0 for all GPUs of a node. The node of a rack of 72 is its NVLink, its hosts are trays of four.",
    Kind::Number(Number {
        unit: Unit::None,
        min: 0.0,
        max: 100.0,
        scale: Scale::Linear,
        integer: true,
        bounds: None,
        get: |scenario| f64::from(scenario.network.values.host.gpus),
        set: |scenario, value| scenario.network.values.host.gpus = whole(value),
    }),
);

/// Bandwidth of a host's memory.
pub(in crate::params) const HOST_BANDWIDTH: Param = row(
    "hostbw",
    "Host memory bandwidth",
    "host_memory_gb_per_s",
    "What all memory channels of one host carry together, for optimizers that update there: its GPUs share it. 0 for no limit beside \
     their links.",
    Kind::Number(Number {
        unit: Unit::GbPerS,
        min: 0.0,
        max: 20_000.0,
        scale: Scale::Linear,
        integer: false,
        bounds: None,
        get: |scenario| scenario.network.values.host.bandwidth.gb_per_s(),
        set: |scenario, value| scenario.network.values.host.bandwidth = BytesPerSecond::from_gb_per_s(value),
    }),
);

/// Speed of a host's CPUs.
pub(in crate::params) const HOST_SPEED: Param = row(
    "hostspeed",
    "Host speed",
    "host_speed",
    "How fast one thread of the host's CPUs launches operators, over one of an EPYC 7742 (DGX A100): 1.45 for a Xeon 8480C (DGX H100). \
     It shows where kernels run faster than they are launched.",
    number(
        Unit::None,
        (0.1, 10.0),
        Scale::Log,
        |scenario| scenario.network.values.host.speed,
        |scenario, value| scenario.network.values.host.speed = value,
    ),
);

/// Rate of a host's data loaders.
pub(in crate::params) const LOADER: Param = row(
    "loader",
    "Data loader",
    "loader_sequences_per_s",
    "Sequences that data loaders hand each replica in a second: a step takes at least as long as its sequences take to come. \
     0: not a limit.",
    Kind::Number(Number {
        unit: Unit::None,
        min: 0.0,
        max: 1e6,
        scale: Scale::Linear,
        integer: false,
        bounds: None,
        get: |scenario| scenario.network.values.host.loader,
        set: |scenario, value| scenario.network.values.host.loader = value,
    }),
)
.knob(|scenario| scenario.network.values.host.loader > 0.0);

/// Bandwidth of a host's drives.
pub(in crate::params) const NVME_BANDWIDTH: Param = row(
    "nvmebw",
    "NVMe bandwidth",
    "host_nvme_gb_per_s",
    "What all NVMe drives of one host read or write together, for state that is offloaded to them: its GPUs share it.",
    number(
        Unit::GbPerS,
        (0.1, 1000.0),
        Scale::Log,
        |scenario| scenario.network.values.host.nvme.gb_per_s(),
        |scenario, value| scenario.network.values.host.nvme = BytesPerSecond::from_gb_per_s(value),
    ),
);
