//! The memory of a single layer of experts.

use super::MoeLayer;
use crate::model::experts::routing::Encode;
use crate::units::Bytes;

/// Bytes of an element of the dense token-by-expert-by-slot tensors, at the peak of the forward
/// pass: the tensors of the two choices and their sum in fp32, and a mask of one byte (Fairseq's
/// `top2gate.py`, for k = 2).
const DENSE_ELEMENT: f64 = 13.0;
/// Bytes of an element of the two choices' token-by-slot tensors: one-hot in 64-bit integers, and
/// again in fp32.
const ONE_HOT_ELEMENT: f64 = 24.0;
/// Weights and their gradients.
const WEIGHTS_AND_GRADIENTS: f64 = 2.0;

/// Returns the memory of one layer on one GPU at the peak of its forward pass: weights and
/// gradients of its experts, inputs, slots, hidden layer, results, and the tensors of the dense
/// encoding, `13 T E C + 24 T C` bytes with `E C = k f T`. Not counted: the CUDA context and other
/// memory that does not grow with the tokens.
///
/// ```
/// # use engine::model::experts::layer::footprint::layer_memory;
/// # use engine::model::experts::routing::Encode;
/// # use catalog::expert_layers::table_5;
/// // Tutel, Table 5: from 16,384 to 32,768 tokens Fairseq's layer grows by 41.6 GiB, Tutel's by 1.7 GiB.
/// let grown = |encode| layer_memory(&table_5(32768.0, encode)) - layer_memory(&table_5(16384.0, encode));
/// assert!((grown(Encode::Dense).gib() - 41.6).abs() < 0.1 * 41.6);
/// assert!((grown(Encode::Sparse).gib() - 1.7).abs() < 0.1 * 1.7);
/// ```
pub fn layer_memory(layer: &MoeLayer) -> Bytes {
    let copies = layer.copies();
    let states = WEIGHTS_AND_GRADIENTS * layer.local_experts() * layer.expert_weights();
    let elements = layer.tokens * layer.hidden_size + copies * (2.0 * layer.hidden_size + layer.width());
    let activations = Bytes::new(elements * layer.element);
    let dense = match layer.encode {
        Encode::Sparse => Bytes::ZERO,
        Encode::Dense => {
            let places = copies / f64::from(layer.experts.max(1));
            Bytes::new(layer.tokens * (DENSE_ELEMENT * copies + ONE_HOT_ELEMENT * places))
        }
    };
    states + activations + dense
}
