//! Variants of the loss over the vocabulary, with their tensors.

use super::event::{Category, TensorId};
use super::node::{Edge, LossNode, NONE, NodeKind};
use super::operators::FP32;
use super::tape::{Tape, Value};
use engine::model::software::Loss;

/// Bytes per 16-bit element.
const HALF: u64 = 2;
/// Chunks of tokens in a chunked loss (torchtune's `CEWithChunkedOutputLoss`, eight by default).
const CHUNKS: u64 = 8;
/// Chunks of a loss that is fused with the head: half a byte per logit of the 12 of a whole loss.
const FUSED_CHUNKS: u64 = 24;
/// Bytes of fp32 logits per tile in a tiled loss (arXiv 2506.13996, section 3.1).
const TILE: u64 = 1 << 30;

/// Returns the parts of the tokens whose logits exist at once, one after the other, for `logits` in
/// all, and the loss of each part.
pub(super) fn parts(loss: Loss, logits: u64) -> (u64, Loss) {
    match loss {
        Loss::Chunked => (CHUNKS, Loss::Standard),
        Loss::FusedLinear => (FUSED_CHUNKS, Loss::Standard),
        Loss::Tiled => ((logits * FP32).div_ceil(TILE).max(1), Loss::Standard),
        _ => (1, loss),
    }
}

impl Tape {
    fn logits(&mut self, operator: &'static str, bytes: u64) -> TensorId {
        self.allocate(operator, bytes, Category::Logits)
    }

    /// Gathers the logits of the whole vocabulary from the `group` GPUs of a tensor-parallel group
    /// (`DTensor.redistribute` to `Replicate`).
    pub(super) fn gather_logits(&mut self, logits: Value, group: u64) -> Value {
        let node = self.node(NodeKind::GatherLogits, [&logits]);
        let sent = self.logits("all_gather_into_tensor", logits.bytes() * group);
        let tensor = self.logits("cat", logits.bytes() * group);
        self.release(sent);
        let whole = self.value(tensor, node, logits.elements * group, logits.width);
        self.drop(logits);
        whole
    }

    /// Caps logits with a tanh, which is saved: `c tanh(x / c)`.
    pub(super) fn softcap(&mut self, logits: &Value) -> Value {
        let bytes = logits.bytes();
        let node = self.node(NodeKind::Softcap, [logits]);
        let divided = self.logits("div", bytes);
        self.release(logits.tensor);
        let bounded = self.logits("tanh", bytes);
        self.release(divided);
        self.save(node, bounded);
        let tensor = self.logits("mul", bytes);
        self.release(bounded);
        self.value(tensor, node, logits.elements, logits.width)
    }

    /// Runs the backward pass of [`Self::softcap`].
    pub(super) fn softcap_backward(&mut self, logits: Edge, index: u32) {
        let scaled = self.logits("mul", logits.bytes);
        let bounded = self.logits("tanh_backward", logits.bytes);
        self.release(scaled);
        self.let_go_of(index, 0);
        let divided = self.logits("div", logits.bytes);
        self.release(bounded);
        self.give(logits, divided);
    }

    /// Computes the loss and consumes the logits.
    pub(super) fn loss(&mut self, logits: Value, loss: Loss, parallel: bool) -> u32 {
        let count = logits.elements;
        let node = LossNode { loss, parallel, logits: count, held: NONE };
        let node = self.node(NodeKind::Loss(node), [&logits]);
        let wide = count * FP32;
        let mut held = NONE;
        match loss {
            _ if parallel && loss != Loss::Fused => {
                let upcast = self.logits("_to_copy", wide);
                let shifted = self.logits("sub", wide);
                let exponent = self.logits("exp", wide);
                self.release(exponent);
                let log = self.logits("sub", wide);
                self.release(shifted);
                self.save(node, log);
                self.release(log);
                self.release(upcast);
            }
            Loss::Standard | Loss::KeptLogits | Loss::Fp32Logits | Loss::Chunked | Loss::FusedLinear | Loss::Tiled => {
                let upcast = self.logits("_to_copy", wide);
                let log = self.logits("_log_softmax", wide);
                self.save(node, log);
                self.release(log);
                match loss {
                    Loss::Fp32Logits => held = upcast,
                    Loss::KeptLogits => {
                        self.release(upcast);
                        held = self.hold(logits.tensor);
                    }
                    _ => self.release(upcast),
                }
            }
            Loss::Bf16 | Loss::Bf16Kept => {
                let log = self.logits("_log_softmax", count * HALF);
                self.save(node, log);
                self.release(log);
                if loss == Loss::Bf16Kept {
                    held = self.hold(logits.tensor);
                }
            }
            // The kernel saves the logits without overwriting them; their gradient is a separate
            // tensor.
            Loss::Fused => self.save(node, logits.tensor),
        }
        self.drop(logits);
        match self.nodes.get_mut(node as usize).map(|node| &mut node.kind) {
            Some(NodeKind::Loss(of)) => of.held = held,
            // No weight trains.
            _ => self.release(held),
        }
        node
    }

    /// Runs the backward pass of the loss; `saved` is its saved tensor.
    pub(super) fn loss_backward(&mut self, of: LossNode, logits: Edge, saved: TensorId) {
        let LossNode { loss, parallel, logits: count, .. } = of;
        let wide = count * FP32;
        let gradient = match loss {
            _ if parallel && loss != Loss::Fused => {
                let input = self.logits("zeros_like", wide);
                let exponent = self.logits("exp", wide);
                let sum = self.logits("add", wide);
                self.release(exponent);
                let product = self.logits("mul", wide);
                for tensor in [sum, input, saved] {
                    self.release(tensor);
                }
                let gradient = self.logits("_to_copy", logits.bytes);
                self.release(product);
                gradient
            }
            Loss::Standard | Loss::KeptLogits | Loss::Fp32Logits | Loss::Chunked | Loss::FusedLinear | Loss::Tiled => {
                let picked = self.logits("nll_loss_backward", wide);
                let of_log = self.logits("_log_softmax_backward_data", wide);
                self.release(picked);
                self.release(saved);
                let gradient = self.logits("_to_copy", logits.bytes);
                self.release(of_log);
                gradient
            }
            Loss::Bf16 | Loss::Bf16Kept => {
                let picked = self.logits("nll_loss_backward", count * HALF);
                let gradient = self.logits("_log_softmax_backward_data", count * HALF);
                self.release(picked);
                self.release(saved);
                gradient
            }
            Loss::Fused => {
                let gradient = self.logits("triton_per_fused_nll_loss_backward", count * HALF);
                self.release(saved);
                gradient
            }
        };
        self.give(logits, gradient);
    }
}
