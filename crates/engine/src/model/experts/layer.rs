//! One layer of experts by itself, under every static choice of parallelism and pipelining (Tutel,
//! arXiv 2206.03382).

pub mod choice;
pub mod footprint;
pub mod of_setup;
pub mod parts;

use super::overlap::pipelined;
use super::routing::{self, Encode, Routed, Work};
use crate::model::collectives::all_to_all::is_two_dimensional;
use crate::model::collectives::{AllToAll, Group, all_gather, reduce_scatter};
use crate::model::hardware::Network;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};
pub use choice::{Best, Choice, best, best_parallelism, best_pipelining};
pub use parts::{experts, gathered, one_way};

/// Layout of the experts' inputs after an all-to-all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// As it arrives: one product for each sending GPU, of ever fewer rows as GPUs are added.
    Conventional,
    /// All rows of an expert together (Tutel's flexible all-to-all).
    Flexible,
}

/// One layer of experts and what it runs on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoeLayer {
    /// Tokens of one GPU, T.
    pub tokens: f64,
    /// Experts that each token is sent to, k.
    pub top_k: f64,
    /// Places at an expert over its even share, f.
    pub capacity_factor: f64,
    /// Experts in all, E.
    pub experts: u32,
    /// Elements of a token, M.
    pub hidden_size: f64,
    /// Width of an expert's hidden layer, F.
    pub intermediate_size: f64,
    /// Whether experts have a gate projection (three matrices instead of two).
    pub gated: bool,
    /// Bytes of an element of activations, weights and gradients.
    pub element: f64,
    /// GPUs, W.
    pub gpus: u32,
    /// The links between them.
    pub network: Network,
    /// Rate of large matrix products.
    pub matmul_rate: FlopsPerSecond,
    /// Rows of one product at which it reaches half of that rate.
    pub half_saturation_rows: f64,
    /// Memory bandwidth that element-wise kernels reach.
    pub memory_rate: BytesPerSecond,
    /// By how much each kernel of an exchange slows the exchange beside products: it waits for room
    /// on the GPU.
    pub slowdown_per_kernel: f64,
    /// Host time of a pass outside the experts that nothing hides.
    pub host: Seconds,
    /// How tokens are written to their places.
    pub encode: Encode,
    /// How the experts' inputs lie.
    pub layout: Layout,
}

/// The parts of one pass, each as if it ran alone, and how long the pass takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassTime {
    /// Gate, encode and decode, and host time: nothing runs beside them.
    pub routing: Seconds,
    /// Dispatch and combine.
    pub all_to_all: Seconds,
    /// The experts' products and what is between them.
    pub experts: Seconds,
    /// Gathering weights, or reducing their gradients: before or after the rest.
    pub weights: Seconds,
    /// The pass.
    pub total: Seconds,
}

impl PassTime {
    /// Of the exchanges, what the experts' products do not hide.
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
    /// Both passes.
    pub fn total(&self) -> Seconds {
        self.forward.total + self.backward.total
    }

    /// The exchanges of both passes, as if they ran alone.
    pub fn all_to_all(&self) -> Seconds {
        self.forward.all_to_all + self.backward.all_to_all
    }

    /// All else.
    pub fn compute(&self) -> Seconds {
        let alone = |pass: &PassTime| pass.routing + pass.experts + pass.weights;
        alone(&self.forward) + alone(&self.backward)
    }
}

/// Products of the backward pass over the forward pass's.
const BACKWARD: f64 = 2.0;
/// Kernels of an exchange: NCCL's, and in two dimensions NCCL's two and two strided copies.
const KERNELS_LINEAR: f64 = 1.0;
const KERNELS_TWO_DIMENSIONAL: f64 = 4.0;
/// By how much a kernel of an exchange slows it beside products
/// ([`MoeLayer::slowdown_per_kernel`]), as Tutel shows it: two-dimensional exchanges, of four
/// kernels, gain next to nothing from chunks at 16 to 128 GPUs, linear ones half of what full
/// overlap would give (Table 6a).
pub const SLOWDOWN_PER_KERNEL: f64 = 0.1;

impl MoeLayer {
    /// GPUs that share one expert, `W/E`, at least 1: the largest r.
    pub fn gpus_per_expert(&self) -> u32 {
        (self.gpus / self.experts.max(1)).max(1)
    }

    /// Experts of one GPU, `E/W`, at least 1.
    pub fn local_experts(&self) -> f64 {
        let share = f64::from(self.experts) / f64::from(self.gpus.max(1));
        if share > 1.0 { share } else { 1.0 }
    }

    /// Copies of one GPU's tokens that go to experts, `k f T`.
    pub fn copies(&self) -> f64 {
        self.top_k * self.capacity_factor * self.tokens
    }

    /// Weights of one expert, `2 M F` or, gated, `3 M F` elements.
    pub fn expert_weights(&self) -> Bytes {
        let matrices = if self.gated { 3.0 } else { 2.0 };
        Bytes::new(matrices * self.hidden_size * self.intermediate_size * self.element)
    }

    /// What the gate and the encoding see.
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

/// The time of one layer under one static choice, forward and backward (arXiv 2206.03382, sections
/// 3.1 and 3.2).
///
/// r = 0: every GPU gathers all E experts' weights and reduces all their gradients over W GPUs;
/// tokens stay. r >= 1: tokens go to their experts and back, `r k f T M` elements each way in d
/// chunks, every expert is split over r groups of GPUs, and each gathers its part, `1/r` of an
/// expert, over `(W/E)/r`. Not counted: imbalance beyond the capacity factor, the optimizer.
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
