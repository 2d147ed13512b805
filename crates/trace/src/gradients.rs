//! Allocations of each operator's backward pass.

use super::event::{Category, TensorId};
use super::node::{Attention, Edge, NONE, Node, NodeKind, WeightId};
use super::tape::Tape;

/// Returns the backward operator of kinds that allocate only the gradient of the first input.
const fn backward_operator(kind: NodeKind) -> Option<&'static str> {
    Some(match kind {
        NodeKind::Transpose | NodeKind::SumCopies => "clone",
        NodeKind::Cast => "_to_copy",
        NodeKind::Dropout => "native_dropout_backward",
        NodeKind::Unary(name) | NodeKind::UnaryOfOutput(name) => name,
        NodeKind::Scale | NodeKind::Complex => "mul",
        NodeKind::Repeat => "sum",
        NodeKind::GatherLogits => "split",
        NodeKind::Slice => "slice_backward",
        NodeKind::GatedFused => "swiglu_backward",
        NodeKind::Routing => "scatter",
        _ => return None,
    })
}

impl Tape {
    /// Runs the backward operator of a node, and returns the node's gradient if it is still alive.
    pub(super) fn operate(&mut self, index: u32, node: &Node, gradient: TensorId) -> TensorId {
        let [first, second, ..] = node.inputs;
        if let Some(operator) = backward_operator(node.kind) {
            self.give_new(operator, first);
            return gradient;
        }
        match node.kind {
            NodeKind::View => self.pass(first, gradient),
            NodeKind::Add => {
                for edge in [first, second] {
                    self.pass(edge, gradient);
                }
            }
            NodeKind::Multiply | NodeKind::Matmul => {
                let name = if node.kind == NodeKind::Multiply { "mul" } else { "bmm" };
                for edge in [second, first] {
                    self.give_new(name, edge);
                }
            }
            NodeKind::AddWider => {
                self.give_new("_to_copy", first);
                self.pass(second, gradient);
            }
            NodeKind::Linear(weight, bias) => {
                let whole = self.dequantize(weight);
                // `addmm` computes the input's gradient first, `mm` the weight's.
                if bias == NONE {
                    self.weight_gradient("mm", weight);
                    self.give_new("mm", first);
                } else {
                    self.give_new("mm", first);
                    self.weight_gradient("mm", weight);
                    self.weight_gradient("sum", bias);
                }
                self.release(whole);
            }
            NodeKind::Attention(sizes) => self.attention_backward(node, sizes),
            NodeKind::Softmax => {
                let wide = self.make("_softmax_backward_data", first.bytes * 2);
                let narrow = self.make("_to_copy", first.bytes);
                self.release(wide);
                self.give(first, narrow);
            }
            NodeKind::GatherSequence(group) => {
                let joined = self.make("cat", first.bytes * group);
                let sent = self.make("reduce_scatter_tensor", first.bytes);
                let here = self.make("wait_tensor", first.bytes);
                self.release(joined);
                self.release(sent);
                self.give(first, here);
            }
            NodeKind::ScatterSequence => {
                let sent = self.make("all_gather_into_tensor", first.bytes);
                let whole = self.make("wait_tensor", first.bytes);
                self.release(sent);
                self.give(first, whole);
            }
            NodeKind::Softcap => self.softcap_backward(first, index),
            NodeKind::Embedding(weight) => self.embedding_backward(weight),
            NodeKind::Rotate => {
                self.rotate_backward(node, gradient);
                return NONE;
            }
            _ => {
                self.norm_backward(index, node);
                self.mixture_backward(index, node);
            }
        }
        gradient
    }

    /// Runs the backward pass of flash attention, with its scratch tensors.
    fn attention_backward(&mut self, node: &Node, sizes: Attention) {
        let [first, second, third] = node.inputs;
        let scratch = [sizes.accumulator, sizes.sums, sizes.expanded, sizes.expanded];
        let scratch = scratch.map(|bytes| self.allocate("flash_scratch", bytes, Category::Temporary));
        let name = "_scaled_dot_product_flash_attention_backward";
        let outputs = [first, second, third].map(|edge| self.make(name, edge.bytes));
        for tensor in scratch {
            self.release(tensor);
        }
        for (edge, output) in node.inputs.into_iter().zip(outputs) {
            self.give(edge, output);
        }
    }

    /// Runs the backward pass of norms, as single operators or one kernel.
    fn norm_backward(&mut self, index: u32, node: &Node) {
        let [first, second, _] = node.inputs;
        match node.kind {
            NodeKind::ScaleRows => {
                let product = self.make("mul", first.bytes);
                let to_input = self.make("mul", first.bytes);
                let to_rows = self.make("sum", second.bytes);
                self.release(product);
                self.give(first, to_input);
                self.give(second, to_rows);
            }
            NodeKind::ScaleColumns(weight, weight_last) => {
                if !self.trains(weight) {
                    self.give_new("mul", first);
                    return;
                }
                // The gradient of the second factor comes first.
                let [one, other] = [0; 2].map(|_| self.make("mul", first.bytes));
                let (product, to_input) = if weight_last { (one, other) } else { (other, one) };
                self.let_go_if_recomputed(index);
                self.weight_gradient("sum", weight);
                self.release(product);
                self.give(first, to_input);
            }
            NodeKind::MeanSquare => {
                let spread = self.make("div", first.bytes);
                let power = self.make("pow", first.bytes);
                let doubled = self.make("mul", first.bytes);
                let to_input = self.make("mul", first.bytes);
                self.release(doubled);
                self.release(power);
                self.let_go_if_recomputed(index);
                self.release(spread);
                self.give(first, to_input);
            }
            NodeKind::LayerNorm(weight, bias) => {
                let to_input = self.make("native_layer_norm_backward", first.bytes);
                self.weight_gradient("native_layer_norm_backward", weight);
                if bias != NONE {
                    self.weight_gradient("native_layer_norm_backward", bias);
                }
                self.give(first, to_input);
            }
            NodeKind::FusedNorm(weight) => {
                let to_input = self.make("rms_norm_backward", first.bytes);
                self.weight_gradient("rms_norm_backward", weight);
                self.give(first, to_input);
            }
            _ => {}
        }
    }

    /// Runs the backward pass of expert operators.
    fn mixture_backward(&mut self, index: u32, node: &Node) {
        let [first, second, _] = node.inputs;
        match node.kind {
            NodeKind::Gated => {
                let to_up = self.make("mul", first.bytes / 2);
                let to_active = self.make("mul", first.bytes / 2);
                self.let_go_of(index, 1);
                let to_gate = self.make("silu_backward", first.bytes / 2);
                self.release(to_active);
                self.let_go_of(index, 0);
                let joined = self.make("cat", first.bytes);
                self.release(to_gate);
                self.release(to_up);
                self.give(first, joined);
            }
            NodeKind::Pick => {
                let zeros = self.make("new_zeros", first.bytes);
                let put = self.make("index_put", first.bytes);
                self.release(zeros);
                self.give(first, put);
            }
            NodeKind::Weigh(width) => {
                let wide = first.bytes / self.element * width;
                let to_rows = self.make("mul", wide);
                let product = self.make("mul", wide);
                let to_rows = if width == self.element {
                    to_rows
                } else {
                    let narrow = self.make("_to_copy", first.bytes);
                    self.release(to_rows);
                    narrow
                };
                self.release(product);
                self.give(first, to_rows);
                self.give_new("sum", second);
            }
            NodeKind::Grouped(weight) => {
                self.weight_gradient("_grouped_mm", weight);
                self.give_new("_grouped_mm", first);
            }
            _ => {}
        }
    }

    /// Runs the backward pass of an embedding.
    fn embedding_backward(&mut self, weight: WeightId) {
        // If tensor parallelism splits the table, the gradient of the whole is computed, and this
        // GPU's part is copied.
        let whole = if self.table_parts > 1 { self.table_bytes(weight) * self.table_parts } else { 0 };
        if whole > 0 && self.gradients == Category::Gradient {
            // Without FSDP, the gradient stays whole, in the format of the weights.
            let width = self.accumulated.unwrap_or(self.element);
            let whole = self.allocate("embedding_dense_backward", whole / self.element * width, self.gradients);
            self.keep_gradient(weight, whole);
            return;
        }
        let whole = self.allocate("embedding_dense_backward", whole, self.gradients);
        let operator = if whole == NONE { "embedding_dense_backward" } else { "clone" };
        self.weight_gradient(operator, weight);
        self.release(whole);
    }

    /// Runs the backward pass of rotary positions; releases the gradient before the last sum.
    fn rotate_backward(&mut self, node: &Node, gradient: TensorId) {
        let [first, ..] = node.inputs;
        let with_sine = self.make("mul", first.bytes);
        let half = self.make("neg", first.bytes / 2);
        let one = self.make("slice_backward", first.bytes);
        self.release(half);
        let other = self.make("slice_backward", first.bytes);
        self.release(with_sine);
        let turned = self.make("add", first.bytes);
        self.release(one);
        self.release(other);
        let with_cosine = self.make("mul", first.bytes);
        self.release(gradient);
        let sum = self.make("add", first.bytes);
        self.release(turned);
        self.release(with_cosine);
        self.give(first, sum);
    }

    /// Stores a weight's gradient, or adds it in place to the existing one.
    fn keep_gradient(&mut self, weight: WeightId, new: TensorId) {
        let there = self.weights.get(weight as usize).map_or(NONE, |of| of.gradient);
        match self.weights.get_mut(weight as usize) {
            Some(of) if there == NONE => of.gradient = new,
            _ => self.release(new),
        }
    }

    fn table_bytes(&self, weight: WeightId) -> u64 {
        self.weights.get(weight as usize).map_or(0, |weight| weight.rows * weight.columns * self.element)
    }

    /// Passes a gradient on without a copy.
    fn pass(&mut self, edge: Edge, gradient: TensorId) {
        let shared = self.hold(gradient);
        self.give(edge, shared);
    }
}
