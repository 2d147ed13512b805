//! Memory of the layer, the loss or the update in work, beyond kept activations.

use super::messages::message_buffers;
use super::of_setup::{OfLayers, OfSetup};
use super::point::{ByPoint, Ends};
use super::workspaces::{dequantized, workspaces};
use crate::model::memory::activations::{LayerBackward, LayerBytes, Moment};
use crate::model::memory::logits::{bytes_kept_per_logit, live_bytes_per_logit, logits};
use crate::model::per_rank;
use crate::model::stages::Stage;
use crate::model::states::update_bytes;

/// Elements of width H per token alive in addition to a layer's gradients at the end of its
/// backward pass: the gradients of its input, of its attention block, and of the residual.
/// PyTorch's tracker reports 6 H bytes in bf16.
const END_OF_LAYER_WIDTHS: f64 = 3.0;

/// Bytes of the block in work, beyond kept activations.
pub(super) struct WorkingSet {
    /// Workspaces of matrix products and buffers of messages, alive throughout.
    pub(super) workspaces: f64,
    /// Activations that are only alive at the loss.
    pub(super) at_loss: f64,
    /// In a layer's backward pass, and parameters of the layer whose gradients are computed and not
    /// yet reduced at that point.
    pub(super) in_layer: f64,
    pub(super) computed_in_layer: f64,
    /// The 16-bit copy of a quantized matrix, alive during its products.
    pub(super) dequantized: f64,
    /// At the end of a layer's backward pass.
    pub(super) end_of_layer: f64,
    /// Temporaries of the optimizer's update.
    pub(super) in_update: f64,
}

impl WorkingSet {
    pub(super) fn new(of: &OfSetup<'_>, of_layers: &OfLayers, stage: &Stage) -> Self {
        let (setup, tokens) = (of.setup, of.tokens);
        let of_experts = of.bytes.gathered * stage.params.trained.expert_unit;
        let (in_layer, computed_in_layer) = in_layer(of, &of_layers.in_work, of_experts);
        let hidden = f64::from(setup.architecture.hidden_size);
        Self {
            workspaces: (workspaces(setup) + message_buffers(setup, stage)).get(),
            at_loss: tokens * of_layers.mean.final_norm,
            in_layer,
            computed_in_layer,
            dequantized: dequantized(setup).get(),
            end_of_layer: END_OF_LAYER_WIDTHS * hidden * per_rank::sequence_share(setup) * of.bytes.activation * tokens,
            in_update: update_bytes(setup, &stage.params).get(),
        }
    }
}

impl WorkingSet {
    /// Returns the working set at each point; `again` are the bytes that each of the layers holds
    /// beyond its kept activations.
    pub(super) fn by_point(&self, again: [f64; 4]) -> ByPoint {
        let always = self.workspaces;
        let (at_loss, end_of_layer) = (always + self.at_loss, always + self.end_of_layer);
        let ends = Ends {
            update: always + self.in_update,
            loss: at_loss,
            start: always,
            gather: at_loss,
            after_head: end_of_layer,
            embedding: always,
            root: always,
            tower: always,
        };
        let in_layer = again.map(|again| always + self.dequantized + again + self.in_layer);
        ByPoint::new(ends, in_layer, [end_of_layer; 4])
    }
}

/// Returns the bytes that the current layer holds in its backward pass in addition to its kept
/// activations. The gradients of its experts (`of_experts` bytes) exist before the backward pass of
/// its mixer; at that point attention holds little, a recurrent mixer all tensors of its list.
///
/// Also returns the layer's parameters with gradients as computed, not yet reduced.
fn in_layer(of: &OfSetup<'_>, in_work: &LayerBytes, of_experts: f64) -> (f64, f64) {
    let (tokens, bytes) = (of.tokens, of.bytes.gathered);
    if let Some(LayerBackward { mlp, other }) = in_work.backward {
        let size = |moment: &Moment| moment.beside * tokens + bytes * moment.computed;
        let most = other.filter(|other| size(other) > size(&mlp)).unwrap_or(mlp);
        return (most.beside * tokens, most.computed);
    }
    let most = in_work.gradients * tokens;
    if !of.setup.architecture.pattern.is_used() {
        return (most, 0.0);
    }
    let after_experts = in_work.last_block * tokens + in_work.experts * of_experts;
    (if after_experts > most { after_experts } else { most }, 0.0)
}

/// Bytes of the logits of a stage.
pub(super) struct LogitBytes {
    /// At the loss.
    pub(super) at_loss: f64,
    /// In 16 bits, or their gradient.
    pub(super) half: f64,
    /// Bytes that the losses of other micro-batches keep if all forward passes run first.
    pub(super) waiting: f64,
}

impl LogitBytes {
    pub(super) fn new(of: &OfSetup<'_>, stage: &Stage) -> Self {
        let (setup, logits, loss) = (of.setup, logits(of.setup, stage), of.setup.kernels.loss);
        let kept = bytes_kept_per_logit(setup);
        Self {
            // The logits of further tokens are kept while those of the next token are processed.
            at_loss: live_bytes_per_logit(setup) * logits + f64::from(setup.mtp) * kept * logits,
            half: if loss.is_unfused() { of.bytes.activation * logits } else { 0.0 },
            waiting: if setup.forwards_first() { (stage.in_flight - 1.0) * kept * logits } else { 0.0 },
        }
    }

    /// Returns the bytes at each point.
    pub(super) fn by_point(&self) -> ByPoint {
        let waiting = self.waiting;
        let (loss, gather) = (waiting + self.at_loss, waiting + self.half);
        let ends = Ends { loss, gather, after_head: waiting, ..Ends::default() };
        ByPoint::new(ends, [waiting; 4], [waiting; 4])
    }
}
