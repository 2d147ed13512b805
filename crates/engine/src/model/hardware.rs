//! Hardware of a training run: one accelerator and the network between many.

use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};

include!(concat!(env!("OUT_DIR"), "/generations.rs"));

/// The way in which silicon multiplies matrices in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// By matrix units of this format.
    Native,
    /// By other units, at a rate that the accelerator states.
    Emulated,
    /// Not at all: programs refuse the format.
    Absent,
    /// Natively on boards with a peak in the format.
    ByBoard,
}

/// Facts of a generation.
struct Known {
    link: &'static str,
    boards: &'static str,
    capability: Option<f64>,
    bf16: Units,
    fp8: Units,
    is_fitted: bool,
}

impl Generation {
    #[allow(clippy::indexing_slicing, reason = "the build writes one row for each generation")]
    const fn known(self) -> &'static Known {
        &KNOWN[self as usize]
    }

    /// Returns the name in links.
    pub const fn link(self) -> &'static str {
        self.known().link
    }

    /// Names the generation by its best-known accelerators.
    pub const fn boards(self) -> &'static str {
        self.known().boards
    }

    /// Returns how the silicon multiplies in bf16.
    pub const fn bf16(self) -> Units {
        self.known().bf16
    }

    /// Returns how the silicon multiplies in fp8.
    pub const fn fp8(self) -> Units {
        self.known().fp8
    }

    /// Whether the fractions of the peaks that kernels reach were fitted to runs on this silicon:
    /// of at least two publications, which leave them uncertain by less than 30 %. Other
    /// silicon borrows them.
    pub const fn is_fitted(self) -> bool {
        self.known().is_fitted
    }

    /// Whether the silicon is NVIDIA's with a compute capability in a range.
    const fn is_capable(self, from: f64, below: f64) -> bool {
        matches!(self.known().capability, Some(capability) if from <= capability && capability < below)
    }

    /// Whether the silicon is NVIDIA's and older than Ampere: FlashAttention 2 and later do not
    /// run.
    pub const fn is_before_ampere(self) -> bool {
        self.is_capable(0.0, 8.0)
    }

    /// Whether the silicon is NVIDIA's and older than Hopper (compute capability below 9.0).
    pub const fn is_before_hopper(self) -> bool {
        self.is_capable(0.0, 9.0)
    }

    /// Whether the silicon is NVIDIA's and runs CUDA.
    pub const fn has_cuda(self) -> bool {
        self.is_capable(0.0, f64::INFINITY)
    }

    /// Whether the silicon is NVIDIA's, Hopper or newer.
    pub const fn is_from_hopper(self) -> bool {
        self.is_capable(9.0, f64::INFINITY)
    }
}

/// One GPU (or other accelerator), by its data sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accelerator {
    /// The silicon.
    pub generation: Generation,
    /// Nominal memory.
    pub memory: Bytes,
    /// Share of the memory that the driver leaves to programs, in percent, the unit of links, which
    /// restore it bit by bit.
    pub usable_percent: f64,
    /// Peak memory bandwidth.
    pub memory_bandwidth: BytesPerSecond,
    /// Dense peak in the 16-bit training format (bf16, or fp16 without bf16 units), without
    /// sparsity.
    pub peak_16bit: FlopsPerSecond,
    /// Dense peak in fp8; equal to the 16-bit peak without an fp8 unit.
    pub peak_8bit: FlopsPerSecond,
    /// Dense peak in 4 bits; equal to the 8-bit peak without such a unit.
    pub peak_4bit: FlopsPerSecond,
    /// Dense peak of fp32 matrix products as PyTorch runs them by default (no TF32).
    pub peak_32bit: FlopsPerSecond,
    /// Whether CPU and GPU share one memory, as on a Mac, a DGX Spark or an MI300A.
    pub unified: bool,
    /// Link rate to host memory in one direction (PCIe, `NVLink-C2C`).
    pub host_link: BytesPerSecond,
    /// Power at full load: the board's, or its share of the module's, in watts.
    pub power: f64,
    /// Fractions of the peaks that kernels reach.
    pub efficiency: Efficiency,
}

impl Accelerator {
    /// Returns the memory that a program can use: the capacity that the driver reports, and the
    /// limit of a run.
    ///
    /// ```
    /// let h100 = catalog::accelerator("h100-sxm").unwrap().values;
    /// assert_eq!(h100.memory.gib(), 80.0);
    /// assert!((h100.usable_memory().gib() - 79.11).abs() < 1e-9);
    /// ```
    pub fn usable_memory(&self) -> Bytes {
        const PERCENT: f64 = 100.0;
        self.memory * (self.usable_percent / PERCENT)
    }

    /// Whether bf16 products run on other units than fp16's.
    pub fn emulates_bf16(&self) -> bool {
        self.generation.bf16() == Units::Emulated
    }

    /// Returns the share of the 16-bit peak that emulated bf16 reaches: as measured, else that of
    /// the units which fp32 products run on, an upper bound.
    pub fn emulated_bf16(&self) -> f64 {
        let measured = self.efficiency.emulated_bf16;
        if measured > 0.0 { measured } else { (self.peak_32bit / self.peak_16bit).min(1.0) }
    }

    /// Returns the accelerator as products in bf16 find it: all of them run at the emulated rate
    /// where it has no bf16 units.
    #[must_use]
    pub fn computing_in_bf16(self) -> Self {
        if !self.emulates_bf16() {
            return self;
        }
        let share = self.emulated_bf16();
        Self {
            efficiency: Efficiency { matmul: share, attention: share, attention_tuned: share, ..self.efficiency },
            ..self
        }
    }
}

/// Fractions of an accelerator's peaks that kernels reach, and the cost of launches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// Fraction of the dense peak reached by large matrix products.
    pub matmul: f64,
    /// Fraction of the 8-bit peak reached by large matrix products, without casts.
    pub matmul_8bit: f64,
    /// Fraction of the 4-bit peak reached by large matrix products, without casts.
    pub matmul_4bit: f64,
    /// Fraction of the dense peak reached by flash attention kernels not tuned to the GPU, forward.
    pub attention: f64,
    /// Fraction of the dense peak reached by attention kernels tuned to the GPU, forward.
    pub attention_tuned: f64,
    /// Fraction of the 16-bit peak that bf16 products reach on silicon without bf16 units, by
    /// measurement; 0 on silicon that has them, or if nobody measured it.
    pub emulated_bf16: f64,
    /// Fraction of the peak memory bandwidth reached by element-wise kernels.
    pub memory: f64,
    /// Tokens at which matrix products reach half of their efficiency.
    pub half_saturation_tokens: f64,
    /// Host time to launch one layer's kernels in one pass, a lower bound of its compute time.
    pub launch_per_layer: Seconds,
}

impl Efficiency {
    /// Kernels that reach every peak, and launches without cost.
    pub const IDEAL: Self = Self {
        matmul: 1.0,
        matmul_8bit: 1.0,
        matmul_4bit: 1.0,
        attention: 1.0,
        attention_tuned: 1.0,
        emulated_bf16: 0.0,
        memory: 1.0,
        half_saturation_tokens: 0.0,
        launch_per_layer: Seconds::ZERO,
    };
}

/// The topology by which collectives are priced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Rings leave each node through all of its network cards: `min(B_intra, r B_nic)`.
    Aware,
    /// Every byte crosses one network card at its full size, as the FSDP bounds assume.
    Flat,
}

/// The wiring of a node's network cards to leaf switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rails {
    /// Rails: card i of every node connects to the same leaf switch.
    Optimised,
    /// All cards of a node connect to one leaf switch.
    TopOfRack,
}

/// The switches between nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Downlinks of a leaf switch to nodes for each uplink to the rest of the fabric: 1 if the
    /// uplinks carry the traffic of all cards.
    pub oversubscription: f64,
    /// The wiring of cards to leaf switches.
    pub rails: Rails,
}

impl Fabric {
    /// A fabric with rails that carries the traffic of all cards at once.
    pub const NON_BLOCKING: Self = Self { oversubscription: 1.0, rails: Rails::Optimised };
}

/// A machine with its own memory, and the GPUs that share it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// GPUs of a host; 0 if one host has all GPUs of a node.
    pub gpus: u32,
    /// The host's memory.
    pub memory: Bytes,
    /// Bandwidth of all memory channels together; 0 if the links to the GPUs are the limit.
    pub bandwidth: BytesPerSecond,
    /// Rate at which all NVMe drives together read or write.
    pub nvme: BytesPerSecond,
    /// Speed of one CPU thread at launching operators, over that of an EPYC 7742.
    pub speed: f64,
    /// Sequences per second that the data loaders deliver to each GPU; 0 for no limit.
    pub loader: f64,
}

impl Host {
    /// 2 TiB for all GPUs of a node, as in a DGX H100 (its data sheet): two CPUs with eight
    /// channels of DDR5-4800. The drives are those of a DGX-2: eight of 3.2 GB/s, of which two read
    /// above 6 GB/s together (NVIDIA's guide to GPUDirect Storage, section 3.1).
    pub const USUAL: Self = Self {
        gpus: 0,
        memory: Bytes::from_gib(2048.0),
        bandwidth: BytesPerSecond::from_gb_per_s(614.4),
        nvme: BytesPerSecond::from_gb_per_s(25.6),
        speed: crate::fitted::HOST_SAPPHIRE_RAPIDS,
        loader: 0.0,
    };
    /// Least limit of [`Self::bandwidth`], a hundredth of one channel of DDR4, so that no time is
    /// infinite.
    pub const LEAST_BANDWIDTH: BytesPerSecond = BytesPerSecond::from_gb_per_s(0.1);
    /// Least limit of [`Self::loader`]: a sequence every 17 minutes.
    pub const LEAST_LOADER: f64 = 1e-3;

    /// Returns the host with limits that are zero or at least the least ones.
    #[must_use]
    pub fn with_possible_limits(self) -> Self {
        let bandwidth = if self.bandwidth > BytesPerSecond::ZERO {
            self.bandwidth.max(Self::LEAST_BANDWIDTH)
        } else {
            self.bandwidth
        };
        let loader = if self.loader > 0.0 { self.loader.max(Self::LEAST_LOADER) } else { self.loader };
        Self { bandwidth, loader, ..self }
    }
}

/// The links between GPUs: rates per GPU and per direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// GPUs that share a node (an NVLink or xGMI domain).
    pub gpus_per_node: u32,
    /// Link rate of one GPU inside the node.
    pub intra_node: BytesPerSecond,
    /// Link rate of one GPU to other nodes.
    pub inter_node: BytesPerSecond,
    /// Latency of one hop inside the node.
    pub intra_node_latency: Seconds,
    /// Latency of one hop between nodes.
    pub inter_node_latency: Seconds,
    /// Fraction of `intra_node` that large collectives reach.
    pub intra_node_efficiency: f64,
    /// Fraction of `inter_node` that large collectives reach.
    pub inter_node_efficiency: f64,
    /// Passes over the links that an all-reduce takes: 2 in a ring, fewer with in-switch reduction
    /// (NVLS).
    pub all_reduce_passes: f64,
    /// Increase of the time per byte between nodes for each node beyond the second, as a share: 0
    /// on a fabric without decay.
    pub node_decay: f64,
    /// Whether GPUs of a node forward messages for one GPU of another node to the GPU on its rail,
    /// which sends them together (PXN, NCCL from 2.12 on).
    pub relays: bool,
    /// Axes of the torus that connects the GPUs of a node: 0 for switches that connect all pairs.
    pub torus: u32,
    /// The topology by which collectives are priced.
    pub topology: Topology,
    /// The switches between nodes.
    pub fabric: Fabric,
    /// The machines that hold the GPUs.
    pub host: Host,
}

impl Network {
    /// Returns the GPUs that share a host's memory: a node has at least one host.
    pub fn gpus_per_host(&self) -> u32 {
        let node = self.gpus_per_node.max(1);
        if self.host.gpus == 0 { node } else { self.host.gpus.min(node) }
    }

    /// Whether a node, a domain of links, has several hosts, like a rack with trays: runs use as
    /// many of its GPUs as their groups fill.
    pub fn is_rack(&self) -> bool {
        self.gpus_per_host() < self.gpus_per_node.max(1)
    }

    /// Returns the size of the largest group of `gpus` GPUs, `inner` apart, inside a node: as many
    /// as the node holds, and in a rack a divisor of the run.
    pub fn widest_inside(&self, gpus: u32, inner: u32) -> u32 {
        let inner = inner.max(1);
        let most = (self.gpus_per_node / inner).max(1);
        let divides = |size: &u32| (gpus / inner).is_multiple_of((*size).max(1));
        if self.is_rack() { (1..=most).rev().find(divides).unwrap_or(most) } else { most }
    }

    /// Returns the links at their nominal rates, without latency, decay or in-switch reduction.
    #[must_use]
    pub fn ideal(self, topology: Topology) -> Self {
        Self {
            intra_node_latency: Seconds::ZERO,
            inter_node_latency: Seconds::ZERO,
            intra_node_efficiency: 1.0,
            inter_node_efficiency: 1.0,
            all_reduce_passes: 2.0,
            node_decay: 0.0,
            topology,
            fabric: Fabric::NON_BLOCKING,
            ..self
        }
    }
}
