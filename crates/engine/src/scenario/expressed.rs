//! Features of a layout that a framework cannot run. The search ranks and marks such layouts below
//! others, and exported settings mention them in their notes.

use super::resolve::Degrees;
use super::{Scenario, Strategy};
use crate::model::software::{Framework, Loss};
use crate::model::trained::BaseFormat;

/// A feature of a layout that a framework lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lack {
    /// A pipeline.
    Pipeline,
    /// A pipeline with sharded gradients or weights: ZeRO-2, ZeRO-3.
    PipelineOfShards,
    /// Expert parallelism.
    Experts,
    /// Tensor or context parallelism with whole weights on each data-parallel GPU.
    DegreesWithoutShards,
    /// Tensor parallelism of weights quantized by bitsandbytes or GPTQ.
    TensorOfQuantized,
    /// ZeRO-1 or ZeRO-2.
    Zero,
    /// FSDP that keeps gathered weights until the backward pass (`SHARD_GRAD_OP`).
    KeptWeights,
    /// FSDP that reshards to a smaller group.
    ReshardToGroup,
    /// FSDP that reshards to a smaller group, together with tensor parallelism.
    ReshardToGroupOfTensors,
    /// `torch.compile` of the model.
    Compile,
}

impl Lack {
    /// Every feature.
    pub const ALL: [Self; 10] = [
        Self::Pipeline,
        Self::PipelineOfShards,
        Self::Experts,
        Self::DegreesWithoutShards,
        Self::TensorOfQuantized,
        Self::Zero,
        Self::KeptWeights,
        Self::ReshardToGroup,
        Self::ReshardToGroupOfTensors,
        Self::Compile,
    ];

    /// Whether a scenario uses the feature, under any framework.
    pub fn is_asked(self, scenario: &Scenario) -> bool {
        self.is_asked_by(scenario, &scenario.degrees())
    }

    /// Returns [`Self::is_asked`] for degrees of parallelism that the caller already has.
    fn is_asked_by(self, scenario: &Scenario, mesh: &Degrees) -> bool {
        let strategy = scenario.strategy;
        match self {
            Self::Pipeline => mesh.pp > 1,
            Self::PipelineOfShards => mesh.pp > 1 && (strategy.shards_weights() || strategy == Strategy::Zero2),
            Self::Experts => scenario.model.architecture().has_experts() && mesh.ep.saturating_mul(mesh.etp) > 1,
            Self::DegreesWithoutShards => !strategy.shards_weights() && mesh.tp.saturating_mul(mesh.cp) > 1,
            Self::TensorOfQuantized => {
                let base = scenario.trained.base;
                let is_quantized =
                    matches!(base, BaseFormat::Nf4 | BaseFormat::Nf4Double | BaseFormat::Int8 | BaseFormat::Int4);
                mesh.tp > 1 && !scenario.trained.is_all() && is_quantized
            }
            // One GPU shards nothing.
            Self::Zero => matches!(strategy, Strategy::Zero1 | Strategy::Zero1Group | Strategy::Zero2) && mesh.dp > 1,
            Self::KeptWeights => strategy == Strategy::ShardGradOp,
            Self::ReshardToGroup => strategy == Strategy::ReshardTo,
            Self::ReshardToGroupOfTensors => strategy == Strategy::ReshardTo && mesh.tp > 1,
            Self::Compile => scenario.kernels.compile,
        }
    }
}

impl Framework {
    /// Returns the features that the framework lacks according to its code and documentation, each
    /// of which has a sentence in the notes of `crates/files/src/settings/notes`. For frameworks
    /// that are not listed, nothing is known.
    pub const fn lacks(self) -> &'static [Lack] {
        match self {
            Self::Torchtitan => &[Lack::Zero, Lack::TensorOfQuantized, Lack::ReshardToGroupOfTensors],
            // Tensor parallelism of bitsandbytes' weights fails when they are loaded
            // (huggingface/transformers issue 38122).
            Self::Transformers | Self::Fsdp1 => &[
                Lack::Pipeline,
                Lack::Experts,
                Lack::DegreesWithoutShards,
                Lack::TensorOfQuantized,
                Lack::Zero,
                Lack::ReshardToGroup,
            ],
            Self::DeepSpeed => &[Lack::PipelineOfShards, Lack::TensorOfQuantized, Lack::KeptWeights],
            Self::Megatron | Self::MegatronFsdp => &[Lack::KeptWeights, Lack::ReshardToGroup, Lack::Compile],
            Self::MegatronLegacy | Self::Nanotron | Self::MaxText => &[],
        }
    }
}

impl Scenario {
    /// Returns the first feature of the layout that the scenario's framework cannot run; `None` if
    /// it can run the layout.
    pub fn lack(&self) -> Option<Lack> {
        let degrees = self.degrees();
        self.framework.lacks().iter().copied().find(|lack| lack.is_asked_by(self, &degrees))
    }

    /// Returns the implementation of the loss that holds least of the logits at once, of those that
    /// programs on the framework have for the degrees of parallelism; `None` if none is known.
    ///
    /// Liger's kernel joins head and loss of transformers' models and does not split them over
    /// tensor parallelism (linkedin/Liger-Kernel README.md). torchtitan has its
    /// `ChunkedLossWrapper` since April 2026, not with a pipeline (pytorch/torchtitan
    /// `torchtitan/components/loss.py`); a scenario of a release has the loss of that release.
    /// Megatron has `--cross-entropy-loss-fusion` (NVIDIA/Megatron-LM
    /// `megatron/training/arguments.py`).
    pub fn lean_loss(&self, degrees: &Degrees) -> Option<Loss> {
        match self.framework {
            Framework::Transformers | Framework::Fsdp1 | Framework::DeepSpeed => {
                (degrees.tp == 1).then_some(Loss::FusedLinear)
            }
            Framework::Torchtitan => (degrees.pp == 1 && self.release.is_none()).then_some(Loss::FusedLinear),
            Framework::Megatron | Framework::MegatronFsdp => Some(Loss::Fused),
            Framework::MegatronLegacy | Framework::Nanotron | Framework::MaxText => None,
        }
    }

    /// Whether the program's implementation of the loss runs in the degrees of parallelism, as far
    /// as that is known ([`Self::lean_loss`]).
    pub fn has_loss_of(&self, degrees: &Degrees) -> bool {
        let is_split = match self.framework {
            Framework::Transformers | Framework::Fsdp1 | Framework::DeepSpeed => degrees.tp > 1,
            Framework::Torchtitan => degrees.pp > 1,
            _ => false,
        };
        !is_split || self.kernels.loss != Loss::FusedLinear
    }

    /// Returns the first feature of the layout that the framework cannot run and that the layout
    /// `before` does not use.
    pub fn lack_beside(&self, before: &Self) -> Option<Lack> {
        self.framework.lacks().iter().copied().find(|lack| lack.is_asked(self) && !lack.is_asked(before))
    }
}
