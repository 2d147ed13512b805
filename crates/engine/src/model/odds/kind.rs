//! Kinds of runs by the expected error of the predicted peak of memory.

use crate::model::hardware::Generation;
use crate::model::software::Framework;

/// Share of the GPU's memory below which contexts, workspaces and buffers are a large part of the
/// peak.
pub const SMALL_USE: f64 = 0.2;

/// Kind of a run by the expected error of its peak. The first variant that holds applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PeakKind {
    /// nanotron: the runs of one sweep.
    Nanotron,
    /// AMD's accelerators: Primus logs the memory held by the process, and its micro-batch sizes
    /// are not stated.
    Amd,
    /// Silicon without a fit: cards with GDDR memory, MI250.
    DataSheet,
    /// Accelerators without a published peak (TPUs, Gaudi, Trainium), and XLA, with the range of
    /// all rows together.
    Unmeasured,
    /// Runs that take less than a fifth of the GPU: contexts, workspaces and buffers are a large
    /// part.
    Small,
    /// Trainers around a model, on FSDP's first version or DeepSpeed: transformers, Accelerate,
    /// Axolotl, ms-swift. Memory that the trainer holds next to the model, and settings that a
    /// publication omits, matter more than in the frameworks below.
    Trainers,
    /// torchtitan and programs built like it (torchtune, `LitGPT`).
    Torchtitan,
    /// The rest: Megatron and its derivatives.
    Megatron,
}

impl PeakKind {
    /// Every kind, in the order in which they are tried.
    pub const ALL: [Self; 8] = [
        Self::Nanotron,
        Self::Amd,
        Self::DataSheet,
        Self::Unmeasured,
        Self::Small,
        Self::Trainers,
        Self::Torchtitan,
        Self::Megatron,
    ];

    /// Returns the kind of the runs of a framework on a generation of accelerators.
    pub fn of_stack(framework: Framework, generation: Generation) -> Self {
        use Framework::{DeepSpeed, Fsdp1, MaxText, Megatron, MegatronFsdp, MegatronLegacy, Nanotron, Transformers};
        use Generation::{Cdna3, Cdna4, Gaudi, Tpu, Trainium};
        match (framework, generation) {
            (Nanotron, _) => Self::Nanotron,
            (_, Cdna3 | Cdna4) => Self::Amd,
            (_, generation) if !generation.is_fitted() => Self::DataSheet,
            (MaxText, _) | (_, Gaudi | Tpu | Trainium) => Self::Unmeasured,
            (Transformers | Fsdp1 | DeepSpeed, _) => Self::Trainers,
            (Framework::Torchtitan, _) => Self::Torchtitan,
            (Megatron | MegatronFsdp | MegatronLegacy, _) => Self::Megatron,
        }
    }

    /// Returns a label of the kind: the feature that its runs have in common.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nanotron => "nanotron",
            Self::Amd => "AMD's accelerators",
            Self::DataSheet => "silicon without a fit",
            Self::Unmeasured => "accelerators without a published peak",
            Self::Small => "below a fifth of the GPU",
            Self::Trainers => "transformers, FSDP 1, DeepSpeed",
            Self::Torchtitan => "torchtitan, torchtune, LitGPT",
            Self::Megatron => "Megatron",
        }
    }
}
