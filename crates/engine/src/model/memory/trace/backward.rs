//! The backward pass of each operator: what it allocates and when it lets go.

use super::event::{Category, Place, TensorId};
use super::tape::{Edge, Kind, NONE, Node, SAVED, Tape, WeightId};

impl Tape {
    /// Hands a gradient to a node, which gets it when the node at work is done.
    pub(super) fn give(&mut self, edge: Edge, gradient: TensorId) {
        self.given.push((edge, gradient));
    }

    /// Delivers what the node at work gave: kept until its node runs, added to what is there.
    fn deliver(&mut self) {
        for (edge, gradient) in core::mem::take(&mut self.given) {
            let Some(there) = self.nodes.get(edge.node as usize).map(|node| node.gradient) else {
                self.release(gradient);
                continue;
            };
            let sum = if there == NONE {
                gradient
            } else {
                let sum = self.make("add", edge.bytes);
                self.release(there);
                self.release(gradient);
                sum
            };
            if let Some(node) = self.nodes.get_mut(edge.node as usize) {
                node.gradient = sum;
            }
        }
    }

    /// Makes a gradient and hands it to a node, if one wants it.
    fn give_new(&mut self, operator: &'static str, edge: Edge) {
        if edge.node != NONE {
            let gradient = self.make(operator, edge.bytes);
            self.give(edge, gradient);
        }
    }

    /// The gradient of a weight, which [`Self::accumulate`] takes when the node is done.
    pub(super) fn weight_gradient(&mut self, operator: &'static str, weight: WeightId) {
        let Some(of) = self.weights.get(weight as usize).copied() else { return };
        let new = self.allocate(operator, of.rows * of.columns * self.element, self.gradients);
        self.computed.push((weight, new));
    }

    /// Adds the gradients of weights that a node computed to those there. One that accumulates over micro-batches is cast at
    /// once to the format of the reduction (FSDP2's `to_accumulated_grad_if_needed`), and later ones are added to it in place.
    fn accumulate(&mut self) {
        for (weight, new) in core::mem::take(&mut self.computed) {
            let Some(of) = self.weights.get(weight as usize).copied() else { continue };
            let elements = of.rows * of.columns;
            let embeds = self.moment.place == Place::Embedding;
            let gradient = match (of.gradient, self.accumulated) {
                (NONE, Some(width)) if width != self.element => {
                    let wide = self.allocate("_to_copy", elements * width, self.gradients);
                    self.release(new);
                    wide
                }
                (NONE, _) => new,
                // The embedding's, where the head's is there before it: the sum is a tensor of its own.
                (there, Some(width)) if of.shared && embeds => {
                    let wide = self.allocate("_to_copy", elements * width, self.gradients);
                    self.release(new);
                    let sum = self.allocate("add", elements * width, self.gradients);
                    self.release(wide);
                    self.release(there);
                    sum
                }
                (there, Some(_)) => {
                    self.release(new);
                    there
                }
                (there, None) => {
                    let sum = self.allocate("add", elements * self.element, self.gradients);
                    self.release(there);
                    self.release(new);
                    sum
                }
            };
            if let Some(of) = self.weights.get_mut(weight as usize) {
                of.gradient = gradient;
            }
        }
    }

    /// Runs the backward pass of a node whose gradient has come.
    pub(super) fn run_back(&mut self, index: u32) {
        let Some(node) = self.nodes.get_mut(index as usize) else { return };
        let gradient = core::mem::replace(&mut node.gradient, NONE);
        if let Kind::Loss(loss) = node.kind {
            let ([logits, ..], [saved, ..]) = (node.inputs, core::mem::replace(&mut node.saved, [NONE; SAVED]));
            self.loss_backward(loss, logits, saved);
            self.deliver();
            return;
        }
        let node = node.clone();
        let gradient = if gradient == NONE { NONE } else { self.operate(index, &node, gradient) };
        // Recomputed tensors go before the gradient that came, kept ones after it.
        if self.recomputed {
            self.let_go(index);
            self.release(gradient);
        } else {
            self.release(gradient);
            self.let_go(index);
        }
        if self.checkpoint.0 == index {
            for tensor in core::mem::take(&mut self.checkpoint).1 {
                self.release(tensor);
            }
        }
        self.deliver();
        self.accumulate();
    }

    /// Frees what a recomputed node saved, before the rest of what it made.
    fn let_go_if_recomputed(&mut self, index: u32) {
        if self.recomputed {
            self.let_go(index);
        }
    }

    /// Frees what a node saved, and with the last of a checkpointed layer what was held for its recomputation.
    fn let_go(&mut self, index: u32) {
        let Some(node) = self.nodes.get_mut(index as usize) else { return };
        let saved = core::mem::replace(&mut node.saved, [NONE; SAVED]);
        // PyTorch resets them by name, and a recomputation hands them over from the last.
        let last = saved.len() - 1;
        for slot in 0..saved.len() {
            let slot = if self.recomputed { last - slot } else { slot };
            self.release(saved.get(slot).copied().unwrap_or(NONE));
        }
    }

    /// Frees one of the tensors that a node saved, before the others.
    pub(super) fn let_go_of(&mut self, index: u32, slot: usize) {
        let saved = self.nodes.get_mut(index as usize).and_then(|node| node.saved.get_mut(slot));
        if let Some(tensor) = saved.map(|slot| core::mem::replace(slot, NONE)) {
            self.release(tensor);
        }
    }

    /// Runs a node on its gradient, and returns that if it is still there.
    fn operate(&mut self, index: u32, node: &Node, gradient: TensorId) -> TensorId {
        let [first, second, third] = node.inputs;
        match node.kind {
            Kind::View => self.pass(first, gradient),
            Kind::Transpose => self.give_new("clone", first),
            Kind::Cast => self.give_new("_to_copy", first),
            Kind::Add => {
                for edge in [first, second] {
                    self.pass(edge, gradient);
                }
            }
            Kind::Multiply | Kind::Matmul => {
                let name = if node.kind == Kind::Multiply { "mul" } else { "bmm" };
                for edge in [first, second] {
                    self.give_new(name, edge);
                }
            }
            Kind::Unary(name) | Kind::UnaryOfOutput(name) => self.give_new(name, first),
            Kind::Scale => self.give_new("mul", first),
            Kind::Linear(weight, bias) => {
                // `addmm` makes the input's gradient first, `mm` the weight's.
                if bias == NONE {
                    self.weight_gradient("mm", weight);
                    self.give_new("mm", first);
                } else {
                    self.give_new("mm", first);
                    self.weight_gradient("mm", weight);
                    self.weight_gradient("sum", bias);
                }
            }
            Kind::Embedding(weight) => {
                // Under tensor parallelism the gradient of the whole table is made, then this GPU's part copied.
                let whole = if self.tp > 1 { self.table_bytes(weight) * self.tp } else { 0 };
                let whole = self.allocate("embedding_dense_backward", whole, self.gradients);
                let operator = if whole == NONE { "embedding_dense_backward" } else { "clone" };
                self.weight_gradient(operator, weight);
                self.release(whole);
            }
            Kind::ScaleRows => {
                let product = self.make("mul", first.bytes);
                let to_input = self.make("mul", first.bytes);
                let to_rows = self.make("sum", second.bytes);
                self.release(product);
                self.give(first, to_input);
                self.give(second, to_rows);
            }
            Kind::ScaleColumns(weight) => {
                let to_input = self.make("mul", first.bytes);
                let product = self.make("mul", first.bytes);
                self.let_go_if_recomputed(index);
                self.weight_gradient("sum", weight);
                self.release(product);
                self.give(first, to_input);
            }
            Kind::MeanSquare => {
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
            Kind::LayerNorm(weight, bias) => {
                let to_input = self.make("native_layer_norm_backward", first.bytes);
                self.weight_gradient("native_layer_norm_backward", weight);
                if bias != NONE {
                    self.weight_gradient("native_layer_norm_backward", bias);
                }
                self.give(first, to_input);
            }
            Kind::FusedNorm(weight) => {
                let to_input = self.make("rms_norm_backward", first.bytes);
                self.weight_gradient("rms_norm_backward", weight);
                self.give(first, to_input);
            }
            Kind::Complex => self.give_new("mul", first),
            Kind::Repeat => self.give_new("sum", first),
            Kind::Rotate => {
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
                return NONE;
            }
            Kind::Attention(sizes) => {
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
            Kind::Softmax => {
                let wide = self.make("_softmax_backward_data", first.bytes * 2);
                let narrow = self.make("_to_copy", first.bytes);
                self.release(wide);
                self.give(first, narrow);
            }
            Kind::GatherSequence(group) => {
                let joined = self.make("cat", first.bytes * group);
                let sent = self.make("reduce_scatter_tensor", first.bytes);
                let here = self.make("wait_tensor", first.bytes);
                self.release(joined);
                self.release(sent);
                self.give(first, here);
            }
            Kind::ScatterSequence => {
                let sent = self.make("all_gather_into_tensor", first.bytes);
                let whole = self.make("wait_tensor", first.bytes);
                self.release(sent);
                self.give(first, whole);
            }
            Kind::Slice => self.give_new("slice_backward", first),
            Kind::Gated => {
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
            Kind::GatedFused => self.give_new("swiglu_backward", first),
            Kind::Pick => {
                let zeros = self.make("new_zeros", first.bytes);
                let put = self.make("index_put", first.bytes);
                self.release(zeros);
                self.give(first, put);
            }
            Kind::Weigh(width) => {
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
            Kind::Routing => self.give_new("scatter", first),
            Kind::SumCopies => self.give_new("clone", first),
            Kind::Grouped(weight) => {
                self.weight_gradient("_grouped_mm", weight);
                self.give_new("_grouped_mm", first);
            }
            Kind::Softcap => self.softcap_backward(first, index),
            Kind::Loss(_) => {}
        }
        gradient
    }

    fn table_bytes(&self, weight: WeightId) -> u64 {
        self.weights.get(weight as usize).map_or(0, |weight| weight.rows * weight.columns * self.element)
    }

    /// Hands the same tensor on.
    fn pass(&mut self, edge: Edge, gradient: TensorId) {
        let shared = self.hold(gradient);
        self.give(edge, shared);
    }
}
