//! The parts of one layer of experts under a static choice: weights to gather, exchanges, products.

use super::{Choice, Layout, MoeLayer};
use crate::fitted;
use crate::model::collectives::all_to_all::{all_to_all, copied, is_two_dimensional};
use crate::units::{Bytes, Flops, Seconds};

/// A multiply-add.
const MULTIPLY_ADD: f64 = 2.0;
/// Host time to start one exchange that overlaps with products: streams synchronise before and
/// after each of its collectives.
const EXCHANGE_LAUNCH: Seconds = Seconds::from_us(fitted::EXPERT_EXCHANGE_LAUNCH_US);
/// Host time to launch the kernels of one chunk of the experts, forward: two products, two biases
/// and an activation at 10 us, PyTorch's usual cost of an operator.
const EXPERT_LAUNCH: Seconds = Seconds::from_us(50.0);
/// Weights that each GPU gathers before the experts compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gathered {
    /// GPUs of the gather.
    pub ranks: u32,
    /// Bytes that each GPU has after the gather.
    pub size: Bytes,
}

/// Returns the weights that each GPU gathers under r: all experts over all GPUs for 0, otherwise
/// `1/r` of an expert over the `(W/E)/r` GPUs that share it.
pub fn gathered(layer: &MoeLayer, r: u32) -> Gathered {
    if r == 0 {
        return Gathered { ranks: layer.gpus, size: f64::from(layer.experts) * layer.expert_weights() };
    }
    let r = r.min(layer.gpus_per_expert());
    Gathered { ranks: layer.gpus_per_expert() / r, size: layer.expert_weights() / f64::from(r) }
}

/// Returns the time of all chunks of one dispatch, or of one combine, without overlap: each chunk
/// is a separate exchange.
pub fn one_way(layer: &MoeLayer, choice: Choice) -> Seconds {
    if choice.r == 0 || layer.gpus <= 1 {
        return Seconds::ZERO;
    }
    let group = layer.group(layer.gpus);
    let chunks = f64::from(choice.chunks());
    let r = f64::from(choice.r.min(layer.gpus_per_expert()));
    let size = Bytes::new(r * layer.copies() * layer.hidden_size * layer.element / chunks);
    let collectives = if is_two_dimensional(group, choice.algorithm) { 2.0 } else { 1.0 };
    let chunk = all_to_all(&layer.network, group, size, choice.algorithm)
        + copied(group, size, choice.algorithm) / layer.memory_rate
        + collectives * EXCHANGE_LAUNCH;
    chunks * chunk
}

/// Returns the time of the experts' products, forward: `2 k f T` times the weights of an expert in
/// FLOPs, slower by `1 + half/rows` for few rows, plus the element-wise traffic, the reads of the
/// weights, and a launch per chunk.
pub fn experts(layer: &MoeLayer, choice: Choice) -> Seconds {
    let (held, parts) = match choice.r {
        0 => (f64::from(layer.experts), 1.0),
        r => (layer.local_experts(), f64::from(r.min(layer.gpus_per_expert()))),
    };
    let chunks = f64::from(choice.chunks());
    let copies = layer.copies();
    let senders = match layer.layout {
        Layout::Conventional if choice.r > 0 => f64::from(layer.gpus),
        Layout::Conventional | Layout::Flexible => 1.0,
    };
    // `copies (1 + half/rows)`, with `rows = parts copies / (held chunks senders)` of a product, in
    // a form that is also defined without tokens.
    let rows = copies + layer.half_saturation_rows * held * chunks * senders / parts;
    let flops = Flops::new(MULTIPLY_ADD * rows * (layer.expert_weights().get() / layer.element));
    // The hidden layer is written, activated and read, the output written.
    let elements = parts * copies * layer.hidden_size + 3.0 * copies * layer.width();
    let weights = held * layer.expert_weights() / parts;
    flops / layer.matmul_rate
        + (Bytes::new(elements * layer.element) + chunks * weights) / layer.memory_rate
        + chunks * EXPERT_LAUNCH
}
