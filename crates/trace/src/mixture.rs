//! Routed experts as in Hugging Face's `grouped_mm` implementation: tokens sorted by expert, two
//! grouped matmuls, weighting in fp32 and restored order.

use super::node::{NodeKind, WeightId};
use super::operators::FP32;
use super::shape::Shape;
use super::tape::{Tape, Value};
use super::weights::Matrix;
use engine::model::transformer::QkNorm;

/// Bytes per index.
const INDEX: u64 = 8;
/// Indices saved per copy of a token: expert, sorted position, original position, token.
const INDICES: u64 = 4;
/// fp32 values saved per copy of a token: the probability before and after scaling.
const PROBABILITIES: u64 = 2;

/// Runs the experts of one layer.
pub(super) fn experts(
    tape: &mut Tape,
    shape: &Shape,
    x: &Value,
    (router, up, down): (Matrix, WeightId, WeightId),
) -> Value {
    let rows = shape.expert_rows(x.elements / shape.hidden);
    let scores = tape.project(x, router);
    let wide = tape.cast(&scores, FP32);
    let probabilities = tape.softmax(&wide);
    tape.drop(wide);
    let routing = tape.routing(&probabilities, rows * (INDICES * INDEX + PROBABILITIES * FP32));
    let picked = tape.pick(x, rows * shape.hidden);
    let hidden = tape.grouped(&picked, up, 2 * shape.expert_width, shape.hidden);
    let product = tape.gated(&hidden);
    let out = tape.grouped(&product, down, shape.hidden, shape.expert_width);
    // Qwen 3 casts the probabilities to the format of the tokens; Mixtral does not.
    let width = if shape.qk_norm == QkNorm::PerHead { x.width } else { FP32 };
    let weighed = tape.weigh(&out, &routing, width);
    let sorted = tape.reorder(&weighed);
    tape.drop(weighed);
    let sum = tape.sum_copies(&sorted, x.elements);
    for value in [picked, hidden, product, out, sorted, routing, probabilities, scores] {
        tape.drop(value);
    }
    sum
}

impl Tape {
    /// Saves the indices and probabilities of the routing.
    fn routing(&mut self, probabilities: &Value, bytes: u64) -> Value {
        let node = self.node(NodeKind::Routing, [probabilities]);
        let tensor = self.make("sort", bytes);
        self.save(node, tensor);
        self.value(tensor, node, bytes, 1)
    }

    /// Copies rows to their experts, `elements` in all.
    fn pick(&mut self, x: &Value, elements: u64) -> Value {
        let node = self.node(NodeKind::Pick, [x]);
        let tensor = self.make("index", elements * x.width);
        self.value(tensor, node, elements, x.width)
    }

    /// Multiplies groups of rows with a stack of matrices of `inputs` by `outputs`.
    fn grouped(&mut self, x: &Value, weight: WeightId, outputs: u64, inputs: u64) -> Value {
        let node = self.node(NodeKind::Grouped(weight), [x]);
        self.save_input(node, x.tensor, weight);
        let elements = x.elements / inputs.max(1) * outputs;
        let tensor = self.make("_grouped_mm", elements * x.width);
        self.value(tensor, node, elements, x.width)
    }

    /// Computes `silu(gate) up`, where gate and up are halves of one tensor.
    pub(super) fn gated(&mut self, x: &Value) -> Value {
        let node = self.node(NodeKind::Gated, [x]);
        self.save(node, x.tensor);
        let active = self.make("silu", x.bytes() / 2);
        self.save(node, active);
        let tensor = self.make("mul", x.bytes() / 2);
        self.release(active);
        self.value(tensor, node, x.elements / 2, x.width)
    }

    /// Multiplies rows with their probabilities, in the wider of the two formats.
    fn weigh(&mut self, x: &Value, routing: &Value, width: u64) -> Value {
        let node = self.node(NodeKind::Weigh(width), [x, routing]);
        self.save_factors(node, routing, x);
        let tensor = self.make("mul", x.elements * width);
        self.value(tensor, node, x.elements, width)
    }

    /// Reorders rows.
    fn reorder(&mut self, x: &Value) -> Value {
        let node = self.node(NodeKind::Pick, [x]);
        let tensor = self.make("index", x.bytes());
        self.value(tensor, node, x.elements, x.width)
    }

    /// Sums the copies of each token to `elements` in all, in 16 bits.
    fn sum_copies(&mut self, x: &Value, elements: u64) -> Value {
        let node = self.node(NodeKind::SumCopies, [x]);
        let sum = self.make("sum", elements * x.width);
        let sum = self.value(sum, node, elements, x.width);
        let narrow = self.cast(&sum, self.element);
        self.drop(sum);
        narrow
    }
}
