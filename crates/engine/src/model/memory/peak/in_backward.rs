//! Gradients where the optimizer updates in the backward pass: each is freed when its parameter is
//! updated.

use super::point::Point;
use crate::model::adapters;
use crate::model::memory::states::{expert_shard_degrees, shard_degrees};
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::software::Loss;
use crate::model::training::{Sharding, UpdatePlace};

/// Gradients of a head in chunks: the sum of those done, and that of the chunk in work.
const SUM_AND_CHUNK: f64 = 2.0;

/// Parameters on this GPU whose gradients are alive at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InBackward {
    /// At the loss.
    pub loss: f64,
    /// When the head's backward pass ends.
    pub head: f64,
    /// In the layers.
    pub layer: f64,
    /// When the embedding's does.
    pub root: f64,
}

impl InBackward {
    /// The gradients of a setup, `None` where it updates after the backward pass.
    ///
    /// PyTorch's hook runs parameter by parameter (`register_post_accumulate_grad_hook`), so that
    /// one gradient is there at a time: of a layer its widest matrix's, with all of its experts',
    /// which models stack in one. A head that is the embedding as well waits for the embedding's
    /// gradient, and one that runs in chunks has the sum of those done beside that of the chunk in
    /// work (autograd's `InputBuffer` adds up a tensor's gradients before any hook). FSDP2 runs the
    /// hooks of a unit when that is reduced. None are at rest where parameters are offloaded.
    pub fn of(setup: &Setup, params: &LocalParams) -> Option<Self> {
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
        let query = setup.architecture.query_width() / f64::from(setup.mesh.tp.max(1));
        let [dense, shared, _] = adapters::widths(setup);
        let widest = [dense, shared].into_iter().fold(query, f64::max) * f64::from(setup.architecture.hidden_size);
        let layer = widest.min(trained.layer).max(trained.expert_unit);
        let head = trained.head;
        let waiting = if setup.architecture.tie_word_embeddings { head } else { 0.0 };
        let embedding = if waiting > 0.0 { head } else { trained.root - head };
        let chunks = if setup.kernels.loss == Loss::Chunked { SUM_AND_CHUNK } else { 0.0 };
        Some(Self { loss: chunks * head, head, layer: layer + waiting, root: embedding + waiting })
    }

    /// The parameters at a point of the step, of so many layers.
    pub(super) fn at(&self, point: Point, layers: f64) -> f64 {
        match point {
            Point::Loss => self.loss,
            Point::Start | Point::Gather | Point::Update => 0.0,
            Point::AfterLayer(left) if left > layers => self.head,
            Point::InLayer(_) | Point::AfterLayer(_) => self.layer,
            Point::Embedding | Point::Tower | Point::Root => self.root,
        }
    }
}
