//! Layers compiled with `torch.compile`: operators between two matmuls are fused into one kernel
//! with one output.
//!
//! The partitioner saves the outputs of matmuls and of attention, except those that no backward
//! pass reads, and the tensors that the backward pass must materialize: inputs of matmuls
//! (`is_materialized_backwards` and `ban_recompute_materialized_backward` in
//! `torch/_functorch/partitioners.py` and `config.py`). For a gate's activation, only the matmul
//! output is saved. The steps of `tests/one_gpu` confirm this to the byte.

use super::node::WeightId;
use super::shape::Shape;
use super::tape::{Tape, Value};
use super::torchtitan::{Parts, layer_of, own_sequence};
use super::weights::{Layer, Mlp};

/// Runs a norm as one kernel.
fn norm(tape: &mut Tape, _: &Shape, x: &Value, rows: u64, weight: WeightId) -> Value {
    tape.fused_norm(x, rows, weight)
}

/// Applies rotary positions, with one kernel each for queries and keys.
fn rotate(tape: &mut Tape, q: &Value, k: &Value) -> [Value; 2] {
    [q, k].map(|x| tape.scale("triton_rotary", x))
}

/// Runs scale, mask and softmax as one kernel, which saves the scores.
fn softmax(tape: &mut Tape, product: Value) -> Value {
    let weights = tape.unary("triton_softmax", "triton_softmax_backward", &product);
    tape.drop(product);
    weights
}

fn mlp(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let (product, down) = match layer.mlp {
        Mlp::Gated { gate, up, down } => {
            let [gate, up] = [gate, up].map(|of| tape.project(x, of));
            let product = tape.multiply(&gate, &up);
            tape.drop(gate);
            tape.drop(up);
            (product, down)
        }
        Mlp::Joined { up, down } => {
            let wide = tape.project(x, up);
            let product = tape.gated_fused(&wide);
            tape.drop(wide);
            (product, down)
        }
        Mlp::Plain { up, down } => {
            let wide = tape.project(x, up);
            let active = tape.unary("triton_gelu", "triton_gelu_backward", &wide);
            tape.drop(wide);
            (active, down)
        }
        // Experts break the compiled graph.
        Mlp::Experts { router, up, down } => return super::mixture::experts(tape, shape, x, (router, up, down)),
    };
    // The output of the last matmul is not read in the backward pass, and no policy keeps it.
    let policy = tape.policy.take();
    let out = tape.project(&product, down);
    tape.policy = policy;
    let out = own_sequence(tape, shape, out);
    tape.drop(product);
    out
}

/// Runs a decoder layer.
pub(super) fn layer(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    layer_of(&Parts { norm, rotate, softmax, mlp }, tape, shape, layer, x)
}
