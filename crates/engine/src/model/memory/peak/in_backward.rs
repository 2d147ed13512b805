//! Gradients alive when the optimizer updates in the backward pass and each gradient is freed after
//! its parameter's update.

use super::point::Point;
use crate::model::adapters;
use crate::model::memory::states::{expert_shard_degrees, shard_degrees};
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::software::Loss;
use crate::model::training::{Sharding, UpdatePlace};

/// Gradients of a chunked head: the sum of finished chunks, and that of the current chunk.
const SUM_AND_CHUNK: f64 = 2.0;

/// Parameters on this GPU whose gradients are alive at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InBackward {
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
    pub(super) fn of(setup: &Setup, params: &LocalParams) -> Option<Self> {
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

    /// Returns the parameters with gradients alive at a point of the step, with `layers` layers.
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

#[cfg(test)]
mod tests {
    use crate::model::memory::PeakTerms;
    use crate::share::decode;

    const LLAMA: &str =
        "gpu=h100-sxm&model=llama-2-7b&gpus=1&strategy=ddp&framework=transformers&recipe=pure-bf16&optimizer=sgd&mbs=1";

    fn gradient_gib(link: &str) -> f64 {
        let setup = decode(link).scenario.setup();
        let terms = PeakTerms::of(&setup);
        let params = super::InBackward::of(&setup, &terms.stage.params).unwrap();
        terms.bytes.gradients * params.root.max(params.head).max(params.layer) / f64::from(1 << 30)
    }

    #[test]
    fn one_gradient_is_alive_under_lomo() {
        // LOMO (arXiv 2306.09782), Table 1, LLaMA-7B, which has the shape of Llama 2 7B: 0.24 GB of
        // gradients instead of 12.55, in GiB.
        let gradients = gradient_gib(&format!("{LLAMA}&inbwd=yes"));
        assert!((gradients - 0.24).abs() < 0.005, "{gradients}");
        let after = decode(LLAMA).scenario.report().memory;
        let gradients = after.parts.get(crate::model::report::MemoryPart::Gradients).gib();
        assert!((gradients - 12.55).abs() < 0.005, "{gradients}");
    }

    #[test]
    fn a_head_in_chunks_and_a_tied_one_keep_more() {
        let of = |link: &str| {
            let setup = decode(&format!("{LLAMA}&inbwd=yes&{link}")).scenario.setup();
            super::InBackward::of(&setup, &PeakTerms::of(&setup).stage.params).unwrap()
        };
        let (whole, chunked, tied) = (of("loss=standard"), of("loss=chunked"), of("model=llama-3.2-1b&loss=standard"));
        assert_eq!([whole.loss, chunked.loss], [0.0, 2.0 * chunked.head]);
        // 128,256 x 2,048: once during each layer, twice when the embedding's own gradient is
        // computed.
        assert_eq!(tied.root, 2.0 * 128_256.0 * 2048.0);
        assert_eq!(tied.layer, 128_256.0 * 2048.0 + 8192.0 * 2048.0);
    }

    #[test]
    fn several_micro_batches_update_after_the_backward_pass() {
        let setup = decode(&format!("{LLAMA}&inbwd=yes&accum=2")).scenario.setup();
        assert_eq!(super::InBackward::of(&setup, &PeakTerms::of(&setup).stage.params), None);
    }
}
