//! Incompatibilities of optimizers: shards, several micro-batches, adapters.

use crate::model::training::{Optimizer, UpdatePlace};
use crate::params::ParamId;
use crate::scenario::Scenario;
use crate::scenario::issue::Issue;

impl Scenario {
    /// Adds the issues about the optimizer.
    pub(super) fn optimizer(&self, issues: &mut Vec<Issue>) {
        issues.extend(self.projection());
        issues.extend(self.update());
        if self.offload.paged && !self.offload.updates_here() {
            let message = "Offloaded optimizer state is already in host memory, so paging has no effect.";
            issues.push(Issue::note(ParamId::PagedOptimizer, message));
        }
    }

    /// Returns an issue if `GaLore` cannot project whole matrices.
    fn projection(&self) -> Option<Issue> {
        if !matches!(self.optimizer, Optimizer::GaLore | Optimizer::GaLore8bit) {
            return None;
        }
        let in_backward = self.update_place == UpdatePlace::InBackward;
        let (message, instead) = if self.trained.has_adapters() {
            (
                "GaLore projects gradients of whole matrices, and adapters are narrower than its rank: choose AdamW.",
                "AdamW is used instead.",
            )
        } else if self.strategy.shards_weights() && self.gpus > 1 {
            (
                "galore_torch projects whole matrices, which FSDP shards: choose DDP.",
                "The numbers are of sharded state.",
            )
        } else if self.framework.traits().zero_by_deepspeed {
            // LLaMA-Factory, hparams/parser.py: "GaLore is incompatible with DeepSpeed yet."
            (
                "GaLore does not run under DeepSpeed (LLaMA-Factory refuses both together). Choose DDP in another framework.",
                "",
            )
        } else if in_backward && self.gpus > 1 {
            // transformers' Trainer: "Layer-wise GaLore does not support DDP at this time";
            // LLaMA-Factory rejects it too.
            ("Layer-wise GaLore runs on one GPU: Hugging Face's Trainer and LLaMA-Factory refuse it with several.", "")
        } else {
            return None;
        };
        Some(Issue::note(ParamId::Optimizer, message).instead(instead))
    }

    /// Returns an issue if the update cannot run in the backward pass.
    fn update(&self) -> Option<Issue> {
        let setup = self.resolve_without_search();
        if self.update_place == setup.update_place {
            return None;
        }
        let message = if self.grad_accum_steps > 1 {
            // recipes/full_finetune_single_device.py: "Gradient accumulation is not supported with
            // optimizer_in_bwd: True".
            "With gradient accumulation the update cannot run in the backward pass (torchtune refuses both together): \
             choose 1 gradient accumulation step."
        } else if setup.mesh.pp > 1 {
            "A pipeline accumulates the gradients of its micro-batches: choose one stage."
        } else if setup.traits().flat_gradient_buckets {
            "This framework reduces gradients in its own buckets: choose PyTorch's FSDP."
        } else {
            "Gradients are reduced over all replicas after the hook of the update: choose an FSDP strategy, or one \
             GPU."
        };
        Some(Issue::note(ParamId::UpdatePlace, message).instead("The update is after the backward pass instead."))
    }
}
