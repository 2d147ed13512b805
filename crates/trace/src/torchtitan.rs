//! torchtitan's Llama, following its `model.py` (commit 9dec370, December 2024), eager;
//! norms of queries and keys as in its `torchtitan/models/qwen3/model/model.py` (commit 33d4f3b).

use super::node::{NodeKind, WeightId};
use super::operators::{FP32, Heads};
use super::shape::Shape;
use super::tape::{Tape, Value};
use super::weights::{Layer, Matrix, Mlp, Projections};
use engine::model::transformer::QkNorm;

/// Runs `nn.RMSNorm` over `rows` rows, as one kernel or (before PyTorch 2.9) as single operators in
/// fp32, scaled in the format of the input.
pub(super) fn norm(tape: &mut Tape, shape: &Shape, x: &Value, rows: u64, weight: WeightId) -> Value {
    if shape.fused_norms {
        return tape.fused_norm(x, rows, weight);
    }
    let wide = tape.cast(x, FP32);
    let root = tape.mean_square(&wide, rows);
    let normal = tape.scale_rows(&wide, &root);
    tape.drop(root);
    tape.drop(wide);
    let narrow = tape.cast(&normal, shape.element);
    tape.drop(normal);
    let out = tape.scale_columns(&narrow, weight, true);
    tape.drop(narrow);
    out
}

/// Gathers the whole sequence if sequence parallelism splits it.
pub(super) fn whole_sequence(tape: &mut Tape, shape: &Shape, x: &Value) -> Value {
    if shape.residual_tokens == shape.tokens { tape.share(x) } else { tape.gather_sequence(x, shape.tp) }
}

/// Returns this GPU's part of the sequence.
pub(super) fn own_sequence(tape: &mut Tape, shape: &Shape, x: Value) -> Value {
    if shape.residual_tokens == shape.tokens {
        return x;
    }
    let own = tape.scatter_sequence(&x, shape.tp);
    tape.drop(x);
    own
}

/// Applies rotary positions as complex products in fp32, to queries and keys together.
fn rotate(tape: &mut Tape, q: &Value, k: &Value) -> [Value; 2] {
    let wide = [q, k].map(|x| tape.cast(x, FP32));
    let turned = [&wide[0], &wide[1]].map(|x| {
        let node = tape.node(NodeKind::Complex, [x]);
        let tensor = tape.make("mul", x.bytes());
        tape.value(tensor, node, x.elements, x.width)
    });
    let [q, k] = [(q, &turned[0]), (k, &turned[1])].map(|(x, turned)| tape.cast(turned, x.width));
    for value in wide.into_iter().chain(turned) {
        tape.drop(value);
    }
    [q, k]
}

/// Repeats keys or values for each query head that shares them.
pub(super) fn repeat(tape: &mut Tape, shape: &Shape, x: &Value) -> Value {
    // A single head on this GPU is repeated without a copy.
    if shape.heads.key_value == shape.heads.query {
        return tape.view(x);
    }
    let elements = shape.tokens * shape.query;
    let copies = shape.heads.key_value > 1;
    let node = tape.node(NodeKind::Repeat, [x]);
    let tensor = if copies { tape.make("clone", elements * x.width) } else { tape.hold(x.tensor) };
    tape.value(tensor, node, elements, x.width)
}

/// Computes queries, keys and values by three matmuls, or as parts of one.
pub(super) fn project(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> [Value; 3] {
    match layer.projections {
        Projections::Three(query, key, value) => [query, key, value].map(|of| tape.project(x, of)),
        Projections::One(all) => {
            let all = tape.project(x, all);
            let parts = [shape.query, shape.key, shape.key].map(|width| tape.slice(&all, shape.tokens * width));
            tape.drop(all);
            parts
        }
    }
}

/// Computes attention as matmuls; `softmax` converts the scores to weights.
pub(super) fn by_products(
    tape: &mut Tape,
    shape: &Shape,
    [q, keys, values]: [&Value; 3],
    softmax: impl FnOnce(&mut Tape, Value) -> Value,
) -> Value {
    let Heads { sequences, sequence, query: heads, .. } = shape.heads;
    let product = tape.matmul(q, keys, sequences * heads * sequence * sequence);
    let weights = softmax(tape, product);
    let mixed = tape.matmul(&weights, values, q.elements);
    tape.drop(weights);
    let out = tape.scale("clone", &mixed);
    tape.drop(mixed);
    out
}

/// Scales and masks scores and applies a softmax in their format.
fn softmax(tape: &mut Tape, product: Value) -> Value {
    let scaled = tape.scale("mul", &product);
    tape.drop(product);
    let masked = tape.scale("add", &scaled);
    tape.drop(scaled);
    let weights = tape.unary_of_output("_softmax", "_softmax_backward_data", &masked);
    tape.drop(masked);
    weights
}

fn attention(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value, parts: &Parts) -> Value {
    let [q, k, v] = project(tape, shape, layer, x);
    let [q, k] = match layer.qk_norms {
        None => [q, k],
        Some((of_q, of_k)) => {
            let Heads { query, key_value, .. } = shape.heads;
            [(q, of_q, query), (k, of_k, key_value)].map(|(x, weight, heads)| {
                let rows = if shape.qk_norm == QkNorm::PerHead { shape.tokens * heads } else { shape.tokens };
                let normal = (parts.norm)(tape, shape, &x, rows, weight);
                tape.drop(x);
                normal
            })
        }
    };
    let [turned_q, turned_k] = (parts.rotate)(tape, &q, &k);
    tape.drop(q);
    tape.drop(k);
    let [keys, values] = [&turned_k, &v].map(|x| if shape.repeats { repeat(tape, shape, x) } else { tape.view(x) });
    tape.drop(turned_k);
    tape.drop(v);
    let heads = if shape.repeats { Heads { key_value: shape.heads.query, ..shape.heads } } else { shape.heads };
    let out = if shape.eager {
        by_products(tape, shape, [&turned_q, &keys, &values], parts.softmax)
    } else {
        tape.attention(&turned_q, &keys, &values, heads)
    };
    let projected = tape.project(&out, layer.output);
    let projected = own_sequence(tape, shape, projected);
    for value in [turned_q, keys, values, out] {
        tape.drop(value);
    }
    projected
}

/// Runs an MLP with gate and up in one matrix.
fn joined(tape: &mut Tape, shape: &Shape, x: &Value, up: Matrix, down: Matrix) -> Value {
    let wide = tape.project(x, up);
    let product = tape.gated(&wide);
    let out = tape.project(&product, down);
    let out = own_sequence(tape, shape, out);
    tape.drop(wide);
    tape.drop(product);
    out
}

/// Runs the activation of a plain MLP as one kernel (`F.gelu`).
pub(super) fn gelu(tape: &mut Tape, x: &Value) -> Value {
    tape.unary("gelu", "gelu_backward", x)
}

/// Runs an MLP kernel by kernel, with the given activation for a plain MLP.
pub(super) fn mlp(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value, plain: Activation) -> Value {
    match layer.mlp {
        Mlp::Gated { gate, up, down } => {
            let gated = tape.project(x, gate);
            let active = tape.unary("silu", "silu_backward", &gated);
            tape.drop(gated);
            let wide = tape.project(x, up);
            let product = tape.multiply(&active, &wide);
            tape.drop(active);
            tape.drop(wide);
            let out = tape.project(&product, down);
            let out = own_sequence(tape, shape, out);
            tape.drop(product);
            out
        }
        Mlp::Joined { up, down } => joined(tape, shape, x, up, down),
        Mlp::Plain { up, down } => {
            let wide = tape.project(x, up);
            let active = plain(tape, &wide);
            tape.drop(wide);
            let out = tape.project(&active, down);
            let out = own_sequence(tape, shape, out);
            tape.drop(active);
            out
        }
        Mlp::Experts { router, up, down } => super::mixture::experts(tape, shape, x, (router, up, down)),
    }
}

/// Applies rotary positions to queries and keys.
type Rotate = fn(&mut Tape, &Value, &Value) -> [Value; 2];
/// An element-wise function.
type Activation = fn(&mut Tape, &Value) -> Value;

/// Replaceable parts of a decoder layer.
pub(super) struct Parts {
    pub norm: fn(&mut Tape, &Shape, &Value, u64, WeightId) -> Value,
    pub rotate: Rotate,
    pub softmax: fn(&mut Tape, Value) -> Value,
    pub mlp: fn(&mut Tape, &Shape, &Layer, &Value) -> Value,
}

/// Runs a decoder layer.
pub(super) fn layer(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let mlp = |tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value| mlp(tape, shape, layer, x, gelu);
    layer_of(&Parts { norm, rotate, softmax, mlp }, tape, shape, layer, x)
}

/// Runs a decoder layer with these parts.
pub(super) fn layer_of(parts: &Parts, tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let [first, second, ..] = layer.norms;
    let rows = x.elements / shape.hidden;
    let normal = (parts.norm)(tape, shape, x, rows, first);
    let whole = whole_sequence(tape, shape, &normal);
    let attended = attention(tape, shape, layer, &whole, parts);
    tape.drop(whole);
    tape.drop(normal);
    let hidden = tape.add(x, &attended);
    tape.drop(attended);
    let normal = (parts.norm)(tape, shape, &hidden, rows, second);
    let whole = whole_sequence(tape, shape, &normal);
    let out = (parts.mlp)(tape, shape, layer, &whole);
    tape.drop(whole);
    tape.drop(normal);
    let sum = tape.add(&hidden, &out);
    tape.drop(out);
    tape.drop(hidden);
    sum
}
