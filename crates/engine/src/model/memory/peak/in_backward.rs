//! Gradients alive when the optimizer updates in the backward pass and each gradient is freed after
//! its parameter's update.

use super::point::{ByPoint, Ends};
use crate::model::layer::{Block, largest};
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::software::Loss;
use crate::model::states::{expert_shard_degrees, shard_degrees};
use crate::model::training::{Sharding, UpdatePlace};

/// Gradients of a chunked head: the sum of finished chunks, and that of the current chunk.
const SUM_AND_CHUNK: f64 = 2.0;

/// Parameters on this GPU whose gradients are alive at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InBackward {
    /// At the loss.
    pub loss: f64,
    /// At the end of the head's backward pass.
    pub head: f64,
    /// In the layers.
    pub layer: f64,
    /// At the end of the embedding's backward pass.
    pub root: f64,
}

impl InBackward {
    /// Returns the gradients of a setup; `None` if the update runs after the backward pass.
    ///
    /// PyTorch's hook runs parameter by parameter (`register_post_accumulate_grad_hook`), so that
    /// one gradient exists at a time: of a layer, the gradient of its widest matrix, with all
    /// experts, which models stack in one tensor. The gradient of a tied head is kept until that of
    /// the embedding is computed, and a chunked head has the sum of finished chunks in addition to
    /// the current chunk's gradient (autograd's `InputBuffer` adds up a tensor's gradients before
    /// any hook). FSDP2 runs the hooks of a unit when the unit is reduced. With offloaded
    /// parameters no gradients are at rest.
    pub fn new(setup: &Setup, params: &LocalParams) -> Option<Self> {
        if setup.update_place == UpdatePlace::AfterBackward {
            return None;
        }
        if setup.offload.parameters {
            return Some(Self { loss: 0.0, head: 0.0, layer: 0.0, root: 0.0 });
        }
        let (degrees, of_experts) = (shard_degrees(setup).gradients, expert_shard_degrees(setup).gradients);
        let trained = &params.trained;
        if matches!(setup.sharding, Sharding::Fsdp(_)) {
            let layer = trained.layer / degrees + trained.expert_unit / of_experts;
            return Some(Self { loss: 0.0, head: 0.0, layer, root: trained.root / degrees });
        }
        let unrouted = |block| if block == Block::Routed { 0.0 } else { 1.0 };
        let layer = largest(&setup.architecture, &setup.mesh, unrouted).min(trained.layer).max(trained.expert_unit);
        let head = trained.head;
        let waiting = if setup.architecture.tie_word_embeddings { head } else { 0.0 };
        let embedding = if waiting > 0.0 { head } else { trained.root - head };
        let chunks = if setup.kernels.loss == Loss::Chunked { SUM_AND_CHUNK } else { 0.0 };
        Some(Self { loss: chunks * head, head, layer: layer + waiting, root: embedding + waiting })
    }

    /// Returns the parameters with gradients alive at each point of the step.
    pub(super) fn by_point(&self) -> ByPoint {
        let Self { loss, head, layer, root } = *self;
        let ends = Ends { loss, after_head: head, embedding: root, root, tower: root, ..Ends::default() };
        ByPoint::new(ends, [layer; 4], [layer; 4])
    }
}
