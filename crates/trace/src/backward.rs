//! Runs the backward pass of nodes: order of gradients and lifetime of saved tensors.

use super::event::{Place, TensorId};
use super::node::{Edge, NONE, NodeKind, SAVED, WeightId};
use super::tape::Tape;

impl Tape {
    /// Queues a gradient for a node; it is delivered when the current node is done.
    pub(super) fn give(&mut self, edge: Edge, gradient: TensorId) {
        self.given.push((edge, gradient));
    }

    /// Delivers queued gradients: each is stored at its node, or added to the gradient there.
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

    /// Allocates a gradient and queues it for a node, if that node needs one.
    pub(super) fn give_new(&mut self, operator: &'static str, edge: Edge) {
        if edge.node != NONE {
            let gradient = self.make(operator, edge.bytes);
            self.give(edge, gradient);
        }
    }

    /// Allocates the gradient of a weight, which [`Self::accumulate`] takes when the node is done.
    pub(super) fn weight_gradient(&mut self, operator: &'static str, weight: WeightId) {
        let Some(of) = self.weights.get(weight as usize).copied() else { return };
        if !of.format.trains {
            return;
        }
        let new = self.allocate(operator, of.rows * of.columns * of.format.width, self.gradients);
        self.computed.push((weight, new));
    }

    /// Adds the weight gradients computed by a node to existing ones. The first gradient that
    /// accumulates over micro-batches is cast to the reduction format (FSDP2's
    /// `to_accumulated_grad_if_needed`), and later gradients are added to it in place.
    fn accumulate(&mut self) {
        for (weight, new) in core::mem::take(&mut self.computed) {
            let Some(of) = self.weights.get(weight as usize).copied() else { continue };
            let elements = of.rows * of.columns;
            let embeds = self.moment.place == Place::Embedding;
            let gradient = match (of.gradient, self.accumulated) {
                (NONE, Some(width)) if width != of.format.width => {
                    let wide = self.allocate("_to_copy", elements * width, self.gradients);
                    self.release(new);
                    wide
                }
                (NONE, _) => new,
                // The gradient of the embedding, if the gradient of the tied head exists already:
                // the sum is a separate tensor.
                (there, Some(width)) if of.shared && embeds => {
                    let wide = if width == of.format.width {
                        new
                    } else {
                        let wide = self.allocate("_to_copy", elements * width, self.gradients);
                        self.release(new);
                        wide
                    };
                    let sum = self.allocate("add", elements * width, self.gradients);
                    self.release(there);
                    self.release(wide);
                    sum
                }
                (there, Some(_)) => {
                    self.release(new);
                    there
                }
                (there, None) => {
                    let sum = self.allocate("add", elements * of.format.width, self.gradients);
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

    /// Runs the backward pass of a node that has received its gradient.
    pub(super) fn run_back(&mut self, index: u32) {
        let Some(node) = self.nodes.get_mut(index as usize) else { return };
        let gradient = core::mem::replace(&mut node.gradient, NONE);
        if let NodeKind::Loss(loss) = node.kind {
            let ([logits, ..], [saved, ..]) = (node.inputs, core::mem::replace(&mut node.saved, [NONE; SAVED]));
            self.loss_backward(loss, logits, saved);
            self.deliver();
            return;
        }
        let node = node.clone();
        let gradient = if gradient == NONE { NONE } else { self.operate(index, &node, gradient) };
        // Recomputed tensors are freed before the received gradient, saved tensors after it.
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

    /// Frees the tensors saved by a recomputed node, before temporaries of its backward pass.
    pub(super) fn let_go_if_recomputed(&mut self, index: u32) {
        if self.recomputed {
            self.let_go(index);
        }
    }

    /// Frees the tensors saved by a node.
    fn let_go(&mut self, index: u32) {
        let Some(node) = self.nodes.get_mut(index as usize) else { return };
        let saved = core::mem::replace(&mut node.saved, [NONE; SAVED]);
        // PyTorch resets saved tensors in order; recomputed tensors are popped from the last to the
        // first.
        let last = saved.len() - 1;
        for slot in 0..saved.len() {
            let slot = if self.recomputed { last - slot } else { slot };
            self.release(saved.get(slot).copied().unwrap_or(NONE));
        }
    }

    /// Frees one of the tensors saved by a node, before the others.
    pub(super) fn let_go_of(&mut self, index: u32, slot: usize) {
        let saved = self.nodes.get_mut(index as usize).and_then(|node| node.saved.get_mut(slot));
        if let Some(tensor) = saved.map(|slot| core::mem::replace(slot, NONE)) {
            self.release(tensor);
        }
    }
}
