//! A single layer of experts under every static choice of parallelism and pipelining (Tutel, arXiv
//! 2206.03382).

pub mod choice;
pub mod footprint;
pub mod of_setup;
pub mod parts;

use super::overlap::pipelined;
use super::routing::{self, Encode, Routed, Work};
use crate::model::collectives::all_to_all::is_two_dimensional;
use crate::model::collectives::{AllToAll, Group, all_gather, reduce_scatter};
use crate::model::hardware::Network;
use crate::model::layer::{Products, Role};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};
pub use choice::{Best, Choice, best, best_parallelism, best_pipelining};
pub use parts::{experts, gathered, one_way};

/// Layout of the experts' inputs after an all-to-all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Layout on arrival: one product for each sending GPU, with fewer rows the more GPUs there
    /// are.
    Conventional,
    /// All rows of an expert contiguous (Tutel's flexible all-to-all).
    Flexible,
}

/// One layer of experts and its hardware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoeLayer {
    /// Tokens of one GPU, T.
    pub tokens: f64,
    /// Experts that each token is sent to, k.
    pub top_k: f64,
    /// Capacity factor, slots of an expert over its even share, f.
    pub capacity_factor: f64,
    /// Experts in all, E.
    pub experts: u32,
    /// Elements of a token, M.
    pub hidden_size: f64,
    /// The products of one expert, of width F.
    pub expert: Products,
    /// Bytes of an element of activations, weights and gradients.
    pub element: f64,
    /// GPUs, W.
    pub gpus: u32,
    /// The links between the GPUs.
    pub network: Network,
    /// Rate of large matrix products.
    pub matmul_rate: FlopsPerSecond,
    /// Rows of one product at which the product reaches half of [`MoeLayer::matmul_rate`].
    pub half_saturation_rows: f64,
    /// Memory bandwidth that element-wise kernels reach.
    pub memory_rate: BytesPerSecond,
    /// Relative slowdown of an exchange per kernel when it overlaps with products, as the kernel
    /// has to wait for free multiprocessors.
    pub slowdown_per_kernel: f64,
    /// Exposed host time of a pass outside the experts.
    pub host: Seconds,
    /// The way in which tokens are written to expert slots.
    pub encode: Encode,
    /// The layout of the experts' inputs.
    pub layout: Layout,
}

/// The parts of one pass, each as if it ran alone, and the total time of the pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassTime {
    /// Gate, encode and decode, and host time: not overlapped.
    pub routing: Seconds,
    /// Dispatch and combine.
    pub all_to_all: Seconds,
    /// The experts' products and the element-wise work between them.
    pub experts: Seconds,
    /// Gathering weights, or reducing their gradients: not overlapped with the other parts.
    pub weights: Seconds,
    /// Total time of the pass.
    pub total: Seconds,
}

impl PassTime {
    /// Returns the exposed time of the exchanges.
    pub fn exposed(&self) -> Seconds {
        self.total - self.routing - self.experts - self.weights
    }
}

/// The time of one layer, forward and backward.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerTime {
    /// Forward.
    pub forward: PassTime,
    /// Backward.
    pub backward: PassTime,
}

impl LayerTime {
    /// Returns the time of both passes.
    pub fn total(&self) -> Seconds {
        self.forward.total + self.backward.total
    }

    /// Returns the exchanges of both passes, as if they ran alone.
    pub fn all_to_all(&self) -> Seconds {
        self.forward.all_to_all + self.backward.all_to_all
    }

    /// Returns the time of all parts except the exchanges.
    pub fn compute(&self) -> Seconds {
        let alone = |pass: &PassTime| pass.routing + pass.experts + pass.weights;
        alone(&self.forward) + alone(&self.backward)
    }
}

/// Products of the backward pass over those of the forward pass.
const BACKWARD: f64 = 2.0;
/// Kernels of an exchange: one of NCCL, and in two dimensions two of NCCL and two strided copies.
const KERNELS_LINEAR: f64 = 1.0;
const KERNELS_TWO_DIMENSIONAL: f64 = 4.0;
/// Relative slowdown of an exchange per kernel when it overlaps with products
/// ([`MoeLayer::slowdown_per_kernel`]), from Tutel's measurements: two-dimensional exchanges, of
/// four kernels, gain almost nothing from chunks at 16 to 128 GPUs, linear ones half of the gain of
/// full overlap (Table 6a).
pub const SLOWDOWN_PER_KERNEL: f64 = 0.1;

impl MoeLayer {
    /// Returns the GPUs that share one expert, `W/E`, at least 1: the largest r.
    pub fn gpus_per_expert(&self) -> u32 {
        (self.gpus / self.experts.max(1)).max(1)
    }

    /// Returns the experts of one GPU, `E/W`, at least 1.
    pub fn local_experts(&self) -> f64 {
        let share = f64::from(self.experts) / f64::from(self.gpus.max(1));
        if share > 1.0 { share } else { 1.0 }
    }

    /// Returns the copies of one GPU's tokens that go to experts, `k f T`.
    pub fn copies(&self) -> f64 {
        self.top_k * self.capacity_factor * self.tokens
    }

    /// Returns the width of an expert's hidden layer, F.
    pub fn width(&self) -> f64 {
        self.expert.get(Role::Down).inner
    }

    /// Returns the weights of one expert, `2 M F` or, gated, `3 M F` elements.
    pub fn expert_weights(&self) -> Bytes {
        Bytes::new(self.expert.weights() * self.element)
    }

    /// Returns the inputs of the gate and the encoding.
    pub fn routed(&self) -> Routed {
        Routed {
            tokens: self.tokens,
            copies: self.copies(),
            hidden_size: self.hidden_size,
            element: self.element,
            experts: f64::from(self.experts),
        }
    }

    fn group(&self, ranks: u32) -> Group {
        Group::consecutive(ranks, self.gpus, &self.network)
    }

    fn time(&self, work: Work) -> Seconds {
        work.flops / self.matmul_rate + work.moved / self.memory_rate
    }
}

/// Returns the time of one layer under one static choice, forward and backward (arXiv 2206.03382,
/// sections 3.1 and 3.2).
///
/// r = 0: every GPU gathers all E experts' weights and reduces all their gradients over W GPUs;
/// tokens stay in place. r >= 1: tokens go to their experts and back, `r k f T M` elements each way
/// in d chunks, every expert is split over r groups of GPUs, and each group gathers its part, `1/r`
/// of an expert, over `(W/E)/r` GPUs. Not counted: imbalance beyond the capacity factor, the
/// optimizer.
///
/// ```
/// # use engine::model::collectives::AllToAll;
/// # use engine::model::experts::layer::{Choice, layer_time};
/// # use catalog::expert_layers::table_2;
/// // Tutel, Table 2: on 64 GPUs all-to-all takes 46.3 % of a layer.
/// let layer = table_2(64);
/// let time = layer_time(&layer, Choice { r: 1, chunks: 1, algorithm: AllToAll::Linear });
/// assert!((time.all_to_all() / time.total() - 0.463).abs() < 0.2 * 0.463);
/// ```
pub fn layer_time(layer: &MoeLayer, choice: Choice) -> LayerTime {
    let routed = layer.routed();
    let weights = gathered(layer, choice.r);
    let ring = layer.group(weights.ranks);
    let forward = PassTime {
        routing: layer.host + layer.time(routing::gate(&routed)) + layer.time(routing::encode(&routed, layer.encode)),
        weights: all_gather(&layer.network, ring, weights.size),
        ..PassTime::default()
    };
    let backward = PassTime {
        routing: layer.host
            + layer.time(routing::gate_backward(&routed))
            + layer.time(routing::encode_backward(&routed, layer.encode)),
        weights: reduce_scatter(&layer.network, ring, weights.size),
        ..PassTime::default()
    };
    let experts = experts(layer, choice);
    let one_way = one_way(layer, choice);
    LayerTime {
        forward: with_experts(layer, choice, forward, one_way, experts),
        backward: with_experts(layer, choice, backward, one_way, BACKWARD * experts),
    }
}

fn with_experts(layer: &MoeLayer, choice: Choice, pass: PassTime, one_way: Seconds, experts: Seconds) -> PassTime {
    let kernels = if is_two_dimensional(layer.group(layer.gpus), choice.algorithm) {
        KERNELS_TWO_DIMENSIONAL
    } else {
        KERNELS_LINEAR
    };
    let slowdown = 1.0 + kernels * layer.slowdown_per_kernel;
    let total = pass.routing + pass.weights + pipelined(one_way, experts, choice.chunks(), slowdown);
    PassTime { all_to_all: 2.0 * one_way, experts, total, ..pass }
}
