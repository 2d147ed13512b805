//! torchtitan's layers under `torch.compile`: what is between two products runs as one kernel and leaves one tensor, and the
//! partitioner keeps the outputs of products and of attention and computes the rest again.

use super::operators::Heads;
use super::shape::Shape;
use super::tape::{Tape, Value};
use super::torchtitan::{own_sequence, project, repeat, whole_sequence};
use super::weights::{Layer, Mlp};

fn attention(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let [q, k, v] = project(tape, shape, layer, x);
    let [turned_q, turned_k] = [&q, &k].map(|x| tape.scale("triton_rotary", x));
    tape.drop(q);
    tape.drop(k);
    let keys = repeat(tape, shape, &turned_k);
    let values = repeat(tape, shape, &v);
    tape.drop(turned_k);
    tape.drop(v);
    let heads = Heads { key_value: shape.heads.query, ..shape.heads };
    let out = tape.attention(&turned_q, &keys, &values, heads);
    let projected = tape.linear(&out, layer.output.weight, layer.output.bias);
    let projected = own_sequence(tape, shape, projected);
    for value in [turned_q, keys, values, out] {
        tape.drop(value);
    }
    projected
}

fn mlp(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let (product, down) = match layer.mlp {
        Mlp::Gated { gate, up, down } => {
            let [gate, up] = [gate, up].map(|of| tape.linear(x, of.weight, of.bias));
            let product = tape.multiply(&gate, &up);
            tape.drop(gate);
            tape.drop(up);
            (product, down)
        }
        Mlp::Joined { up, down } => {
            let wide = tape.linear(x, up.weight, up.bias);
            let product = tape.gated_fused(&wide);
            tape.drop(wide);
            (product, down)
        }
        Mlp::Plain { up, down } => {
            let wide = tape.linear(x, up.weight, up.bias);
            let active = tape.unary("triton_gelu", "triton_gelu_backward", &wide);
            tape.drop(wide);
            (active, down)
        }
        // Experts break the graph.
        Mlp::Experts { router, up, down } => return super::mixture::experts(tape, shape, x, (router, up, down)),
    };
    let out = tape.linear(&product, down.weight, down.bias);
    let out = own_sequence(tape, shape, out);
    tape.drop(product);
    out
}

/// A decoder layer.
pub(super) fn layer(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let [first, second, ..] = layer.norms;
    let rows = x.elements / shape.hidden;
    let normal = tape.fused_norm(x, rows, first);
    let whole = whole_sequence(tape, shape, &normal);
    let attended = attention(tape, shape, layer, &whole);
    tape.drop(whole);
    tape.drop(normal);
    let hidden = tape.add(x, &attended);
    tape.drop(attended);
    let normal = tape.fused_norm(&hidden, rows, second);
    let whole = whole_sequence(tape, shape, &normal);
    let out = mlp(tape, shape, layer, &whole);
    tape.drop(whole);
    tape.drop(normal);
    let sum = tape.add(&hidden, &out);
    tape.drop(out);
    tape.drop(hidden);
    sum
}
