//! Kinds of runs by what decides how far a predicted peak of memory lies off, with the range and
//! the odds of each.

use super::recorded::{self, ELSEWHERE};
use super::{Band, both, is_fitted};
use engine::model::hardware::Generation;
use engine::model::memory::odds::Curve;
use engine::model::report::Report;
use engine::model::software::Framework;

/// Share of the GPU's memory below which contexts, workspaces and buffers are a large part of the
/// peak.
pub const SMALL_USE: f64 = 0.2;

/// What decides how far the prediction of a peak lies off. The first of them that holds is a run's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PeakKind {
    /// nanotron: one sweep.
    Nanotron,
    /// AMD's accelerators: what Primus logs there is what the process holds, and its batches are
    /// not stated.
    Amd,
    /// Silicon without a fit: cards of GDDR memory, MI250.
    DataSheet,
    /// Accelerators without a published peak (TPUs, Gaudi, Trainium), and XLA: they have the range
    /// of all rows together.
    Unmeasured,
    /// Runs that take less than a fifth of the GPU: contexts, workspaces and buffers are a large
    /// part.
    Small,
    /// Trainers around a model, on FSDP's first version or DeepSpeed: transformers, Accelerate,
    /// Axolotl, ms-swift. What the trainer holds beside the model, and a publication leaves out of
    /// its settings, weighs more than in the stacks below.
    Trainers,
    /// torchtitan and what is built as it is (torchtune, `LitGPT`).
    Torchtitan,
    /// The rest: Megatron and what grew of it.
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

    /// Returns the kind of a run, by its report.
    pub fn of(report: &Report) -> Self {
        let memory = &report.memory;
        let is_measured = matches!(Self::of_stack(report), Self::Trainers | Self::Torchtitan | Self::Megatron);
        if is_measured && memory.peak < SMALL_USE * memory.capacity { Self::Small } else { Self::of_stack(report) }
    }

    /// Returns the kind of a run, however little of the GPU it takes: the odds are read from it. On
    /// a larger GPU a run would be of another kind otherwise, with odds that might be lower.
    pub fn of_stack(report: &Report) -> Self {
        use Framework::{DeepSpeed, Fsdp1, MaxText, Megatron, MegatronFsdp, MegatronLegacy, Nanotron, Transformers};
        use Generation::{Cdna3, Cdna4, Gaudi, Tpu, Trainium};
        match (report.framework, report.generation) {
            (Nanotron, _) => Self::Nanotron,
            (_, Cdna3 | Cdna4) => Self::Amd,
            (_, generation) if !is_fitted(generation) => Self::DataSheet,
            (MaxText, _) | (_, Gaudi | Tpu | Trainium) => Self::Unmeasured,
            (Transformers | Fsdp1 | DeepSpeed, _) => Self::Trainers,
            (Framework::Torchtitan, _) => Self::Torchtitan,
            (Megatron | MegatronFsdp | MegatronLegacy, _) => Self::Megatron,
        }
    }

    /// What the runs of a kind have in common.
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

    /// Returns the range of the peak: about the 10th and the 90th percentile of measured over
    /// predicted peak of all rows of the kind, each source weighing as the square root of its rows
    /// (docs/book/accuracy/ranges.md counts those inside, with the range of the other sources too).
    pub(super) fn band(self) -> Band {
        match self {
            Self::Nanotron => Band { low: 0.91, high: 1.12 },
            Self::Amd => Band { low: 0.96, high: 1.74 },
            Self::DataSheet => both(ALL_ROWS, ELSEWHERE),
            Self::Unmeasured => ALL_ROWS,
            Self::Small => Band { low: 0.99, high: 1.47 },
            Self::Trainers => Band { low: 0.83, high: 1.34 },
            Self::Torchtitan => Band { low: 0.79, high: 1.15 },
            Self::Megatron => Band { low: 0.82, high: 1.17 },
        }
    }

    /// Returns how the odds of fitting rise with the memory: fitted to runs that ran and to runs
    /// that failed, of nanotron on its own sweep, of the others on all sources that tell of
    /// failures, with the middle and the spread of the kind's measured peaks
    /// (`crates/score/src/odds`).
    pub const fn curve(self) -> Curve {
        recorded::curve(self)
    }
}

/// Percentiles of all rows.
const ALL_ROWS: Band = Band { low: 0.88, high: 1.10 };
