//! Work around the experts of a layer on each GPU: the gate, and moving tokens to their expert
//! slots and back.

use crate::units::{Bytes, Flops};

/// The way in which token copies are written to slots of the experts' inputs (encode) and the
/// results read back (decode).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encode {
    /// Products with a tensor of tokens by experts by slots, nearly all zeros (GShard, arXiv
    /// 2006.16668; Fairseq, DeepSpeed).
    Dense,
    /// Copies of the rows by index (Tutel's fast encode and decode, arXiv 2206.03382, appendix B).
    Sparse,
}

/// Floating-point operations and bytes read and written by the kernels of one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// FLOPs of matrix products.
    pub flops: Flops,
    /// Bytes of element-wise kernels.
    pub moved: Bytes,
}

/// Routing sizes of one GPU: tokens T, token copies `k f T`, M elements of each token and their
/// bytes, and E experts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Routed {
    /// T.
    pub tokens: f64,
    /// `k f T`.
    pub copies: f64,
    /// M.
    pub hidden_size: f64,
    /// Bytes of an element.
    pub element: f64,
    /// E.
    pub experts: f64,
}

/// Bytes of a score; gates compute in fp32.
const SCORE: f64 = 4.0;
/// A multiply-add.
const MULTIPLY_ADD: f64 = 2.0;
/// Products of the backward pass over those of the forward pass.
const BACKWARD: f64 = 2.0;
/// Reads and writes of all scores of T tokens for E experts, both passes: softmax, choice of the
/// top k, slots by cumulative sums of masks, auxiliary loss. The value is between the count of the
/// operators (some 20) and the remainder of Table 2's compute part without the gate's product,
/// which grows by 14.5 ms from 32 to 512 experts (some 55).
const SCORE_PASSES: f64 = 40.0;
/// Score passes of the forward pass, a third.
const FORWARD_PASSES: f64 = SCORE_PASSES / 3.0;

/// Returns the gate's work, forward: `2 T M E` FLOPs and its passes over `T E` scores.
///
/// ```
/// # use engine::model::experts::routing::{Routed, gate};
/// // Growing with the experts, as Tutel's Figure 14 says of its compute: 16,384 tokens of 2,048 elements, 4,096 experts.
/// let routed = Routed { tokens: 16384.0, copies: 32768.0, hidden_size: 2048.0, element: 4.0, experts: 4096.0 };
/// assert_eq!(gate(&routed).flops.get(), 2.0 * 16384.0 * 2048.0 * 4096.0);
/// ```
pub fn gate(routed: &Routed) -> Work {
    let scores = routed.tokens * routed.experts;
    Work {
        flops: Flops::new(MULTIPLY_ADD * scores * routed.hidden_size),
        moved: Bytes::new(FORWARD_PASSES * SCORE * scores),
    }
}

/// Returns the gate's work, backward: twice that of the forward pass.
pub fn gate_backward(routed: &Routed) -> Work {
    let forward = gate(routed);
    Work { flops: BACKWARD * forward.flops, moved: BACKWARD * forward.moved }
}

/// Einsums of the dense encode and decode: one each, forward.
const EINSUMS_FORWARD: f64 = 2.0;
/// Backward, three: the mask has no gradient, the weights and both inputs have one.
const EINSUMS_BACKWARD: f64 = 3.0;
/// Bytes read and written per element of the dense tensor, forward, in fp32 except for the mask of
/// one byte: two writes for the two choices, their sum (8 + 4), its mask (4 + 1), the mask's cast
/// (1 + 4), a read by each einsum (4 + 4). Fairseq's `top2gate.py`, counted for k = 2.
const DENSE_FORWARD_BYTES: f64 = 38.0;
/// Backward: the gradient's write (4), a read of mask and weights by the einsums (4 + 4), four
/// reads by the outer products of the two choices (16).
const DENSE_BACKWARD_BYTES: f64 = 28.0;

/// Returns the work of encode and decode, forward. Sparse: a read and a write of `(1 + k f) T M`
/// elements each. Dense: two einsums of `2 T (E C) M` FLOPs, `E C = k f T`, and 38 bytes for each
/// of `T E C` elements.
///
/// ```
/// # use engine::model::experts::routing::{Encode, Routed, encode};
/// // Tutel's Figure 14: 16,384 tokens of 2,048 elements, two experts each. Two einsums are 4.4 TFLOP.
/// let routed = Routed { tokens: 16384.0, copies: 32768.0, hidden_size: 2048.0, element: 4.0, experts: 32.0 };
/// assert_eq!((encode(&routed, Encode::Dense).flops.get() / 1e11).round(), 44.0);
/// assert_eq!(encode(&routed, Encode::Sparse).flops.get(), 0.0);
/// // Three rows a token, its own and two copies, are read or written by either kernel.
/// assert_eq!(encode(&routed, Encode::Sparse).moved.get(), 2.0 * 3.0 * 16384.0 * 2048.0 * 4.0);
/// ```
pub fn encode(routed: &Routed, how: Encode) -> Work {
    match how {
        Encode::Sparse => sparse(routed, EINSUMS_FORWARD),
        Encode::Dense => dense(routed, EINSUMS_FORWARD, DENSE_FORWARD_BYTES),
    }
}

/// Returns the work of encode and decode, backward: the work of one einsum for each of the three
/// gradients.
pub fn encode_backward(routed: &Routed, how: Encode) -> Work {
    match how {
        Encode::Sparse => sparse(routed, EINSUMS_BACKWARD),
        Encode::Dense => dense(routed, EINSUMS_BACKWARD, DENSE_BACKWARD_BYTES),
    }
}

fn sparse(routed: &Routed, kernels: f64) -> Work {
    let rows = routed.tokens + routed.copies;
    Work { flops: Flops::ZERO, moved: Bytes::new(kernels * rows * routed.hidden_size * routed.element) }
}

fn dense(routed: &Routed, einsums: f64, bytes: f64) -> Work {
    let elements = routed.tokens * routed.copies;
    Work {
        flops: Flops::new(einsums * MULTIPLY_ADD * elements * routed.hidden_size),
        moved: Bytes::new(bytes * elements),
    }
}
