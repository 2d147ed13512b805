//! Hugging Face's decoder layers, following their `modeling_*.py` (transformers 5): Llama, Mistral,
//! Qwen 2 and 3, Phi-3, Gemma 2 and 3, OLMo 2, GPT-2, Mixtral, Qwen 3 MoE.

use super::node::WeightId;
use super::operators::FP32;
use super::shape::Shape;
use super::tape::{Tape, Value};
use super::torchtitan::{by_products, gelu, mlp, own_sequence, project, repeat, whole_sequence};
use super::weights::{Layer, Projections};
use engine::model::transformer::QkNorm;

/// Norms per layer of Gemma 2 and 3: one before and one after each block.
const SANDWICHED: u32 = 4;

/// Returns whether norms scale in fp32, as in Gemma and OLMo.
fn scales_wide(shape: &Shape) -> bool {
    shape.norms_per_layer == SANDWICHED || shape.qk_norm == QkNorm::Full
}

/// Runs an RMS norm: as one kernel (Liger), or in fp32 with scaling after the cast back, or before
/// it.
pub(super) fn norm(tape: &mut Tape, shape: &Shape, x: &Value, rows: u64, weight: WeightId) -> Value {
    if shape.fused_norms {
        return tape.fused_norm(x, rows, weight);
    }
    let wide = tape.cast(x, FP32);
    let root = tape.mean_square(&wide, rows);
    let normal = tape.scale_rows(&wide, &root);
    tape.drop(wide);
    if scales_wide(shape) {
        tape.drop(root);
        let scaled = tape.scale_columns(&normal, weight, shape.norms_per_layer == SANDWICHED);
        tape.drop(normal);
        let out = tape.cast(&scaled, x.width);
        tape.drop(scaled);
        return out;
    }
    let narrow = tape.cast(&normal, x.width);
    let out = tape.scale_columns(&narrow, weight, false);
    tape.drop(narrow);
    tape.drop(normal);
    tape.drop(root);
    out
}

/// Runs a norm of the residual stream: RMS norm per token, or GPT-2's layer norm.
pub(super) fn residual_norm(
    tape: &mut Tape,
    shape: &Shape,
    x: &Value,
    weight: WeightId,
    bias: Option<WeightId>,
) -> Value {
    let rows = x.elements / shape.hidden;
    match bias {
        Some(_) => tape.layer_norm(x, rows, weight, bias),
        None => norm(tape, shape, x, rows, weight),
    }
}

fn attention(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let [q, k, v] = heads(tape, shape, layer, x);
    let [q, k] = if shape.positions > 0 { [q, k] } else { rotated(tape, shape, [q, k]) };
    let out = if shape.eager { eager(tape, shape, &q, &k, &v) } else { tape.attention(&q, &k, &v, shape.heads) };
    // With fused projections, queries are ordered by head, and so is the output of attention.
    let ordered = if shape.fused { tape.copy("clone", &out) } else { tape.share(&out) };
    let projected = tape.project(&ordered, layer.output);
    let projected = own_sequence(tape, shape, projected);
    for value in [out, ordered, q, k, v] {
        tape.drop(value);
    }
    projected
}

/// Computes queries, keys and values by head, with norms of queries and keys if the model has them.
fn heads(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> [Value; 3] {
    // Rows of norms: per head, or whole tokens.
    let rows = |heads: u64| if shape.qk_norm == QkNorm::PerHead { shape.tokens * heads } else { shape.tokens };
    let norms =
        layer.qk_norms.map(|(of_q, of_k)| [(of_q, rows(shape.heads.query)), (of_k, rows(shape.heads.key_value))]);
    match layer.projections {
        Projections::Three(query, key, value) => {
            let [q, k] = [(query, 0), (key, 1)].map(|(of, which)| {
                let flat = tape.project(x, of);
                let flat = match norms.and_then(|norms| norms.get(which).copied()) {
                    Some((weight, rows)) => normed(tape, shape, flat, rows, weight),
                    None => flat,
                };
                across(tape, flat)
            });
            [q, k, tape.project(x, value)]
        }
        Projections::One(_) => {
            let [q, k, v] = project(tape, shape, layer, x);
            [across(tape, q), across(tape, k), v]
        }
    }
}

fn across(tape: &mut Tape, x: Value) -> Value {
    let turned = tape.transpose(&x);
    tape.drop(x);
    turned
}

/// Applies rotary positions to queries and keys.
fn rotated(tape: &mut Tape, shape: &Shape, plain: [Value; 2]) -> [Value; 2] {
    let [q, k] = &plain;
    let turned = [q, k].map(|x| {
        let turned = tape.rotate(x);
        if !shape.fused {
            return turned;
        }
        // Phi-3 rotates a part of each head and joins it with the rest.
        let joined = tape.copy("cat", &turned);
        tape.drop(turned);
        joined
    });
    for value in plain {
        tape.drop(value);
    }
    turned
}

/// Computes attention as matmuls with materialized scores and an fp32 softmax; Gemma 2 caps the
/// scores.
fn eager(tape: &mut Tape, shape: &Shape, q: &Value, k: &Value, v: &Value) -> Value {
    let [keys, values] = [k, v].map(|x| repeat(tape, shape, x));
    let capped = shape.softcap;
    let out = by_products(tape, shape, [q, &keys, &values], |tape, product| wide_softmax(tape, product, capped));
    tape.drop(keys);
    tape.drop(values);
    out
}

/// Scales, caps and masks scores, applies a softmax in fp32, and casts back.
fn wide_softmax(tape: &mut Tape, product: Value, capped: bool) -> Value {
    let width = product.width;
    let mut weights = tape.scale("mul", &product);
    tape.drop(product);
    if capped {
        let divided = tape.scale("div", &weights);
        tape.drop(weights);
        let bounded = tape.unary_of_output("tanh", "tanh_backward", &divided);
        tape.drop(divided);
        weights = tape.scale("mul", &bounded);
        tape.drop(bounded);
    }
    let masked = tape.scale("add", &weights);
    tape.drop(weights);
    let wide = tape.softmax(&masked);
    tape.drop(masked);
    let narrow = tape.cast(&wide, width);
    tape.drop(wide);
    narrow
}

fn normed(tape: &mut Tape, shape: &Shape, x: Value, rows: u64, weight: WeightId) -> Value {
    let out = norm(tape, shape, &x, rows, weight);
    tape.drop(x);
    out
}

/// Runs GPT-2's `gelu_new` as single operators: `0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
fn gelu_by_operators(tape: &mut Tape, x: &Value) -> Value {
    let half = tape.scale("mul", x);
    let cube = tape.unary("pow", "mul", x);
    let scaled = tape.scale("mul", &cube);
    tape.drop(cube);
    let sum = tape.add(x, &scaled);
    tape.drop(scaled);
    let inner = tape.scale("mul", &sum);
    tape.drop(sum);
    let tanh = tape.unary_of_output("tanh", "tanh_backward", &inner);
    tape.drop(inner);
    let one_more = tape.scale("add", &tanh);
    tape.drop(tanh);
    let out = tape.multiply(&half, &one_more);
    tape.drop(half);
    tape.drop(one_more);
    out
}

/// Runs a decoder layer: with norms before the blocks, before and after them (Gemma), or only after
/// them (OLMo 2).
pub(super) fn layer(tape: &mut Tape, shape: &Shape, layer: &Layer, x: &Value) -> Value {
    let [first, second, third, fourth] = layer.norms;
    let after_alone = shape.qk_norm == QkNorm::Full;
    let sandwiched = shape.norms_per_layer == SANDWICHED;
    let hidden = block(tape, x, |tape, x| {
        let input = if after_alone { tape.share(x) } else { residual_norm(tape, shape, x, first, layer.norm_bias) };
        let whole = whole_sequence(tape, shape, &input);
        let out = attention(tape, shape, layer, &whole);
        tape.drop(whole);
        tape.drop(input);
        match (after_alone, sandwiched) {
            (true, _) => normed(tape, shape, out, x.elements / shape.hidden, first),
            (_, true) => normed(tape, shape, out, x.elements / shape.hidden, second),
            _ => out,
        }
    });
    let before_mlp = if sandwiched { third } else { second };
    let out = block(tape, &hidden, |tape, x| {
        let input =
            if after_alone { tape.share(x) } else { residual_norm(tape, shape, x, before_mlp, layer.norm_bias) };
        let whole = whole_sequence(tape, shape, &input);
        let out = mlp(tape, shape, layer, &whole, if shape.new_gelu { gelu_by_operators } else { gelu });
        tape.drop(whole);
        tape.drop(input);
        match (after_alone, sandwiched) {
            (true, _) => normed(tape, shape, out, x.elements / shape.hidden, second),
            (_, true) => normed(tape, shape, out, x.elements / shape.hidden, fourth),
            _ => out,
        }
    });
    tape.drop(hidden);
    out
}

/// Adds the output of a block to the residual stream.
fn block(tape: &mut Tape, x: &Value, body: impl FnOnce(&mut Tape, &Value) -> Value) -> Value {
    let out = body(tape, x);
    let sum = tape.add(x, &out);
    tape.drop(out);
    sum
}
