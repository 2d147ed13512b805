//! Kinds of runs by what decides how far a predicted peak of memory lies off, with the range and the distribution of each.

use super::recorded::ELSEWHERE;
use super::{Band, both, is_fitted};
use crate::model::hardware::Generation;
use crate::model::memory::odds::Quantile;
use crate::model::report::Report;
use crate::model::software::Framework;

/// Share of the GPU's memory below which contexts, workspaces and buffers are a large part of the peak.
pub const SMALL_USE: f64 = 0.2;

/// What decides how far the prediction of a peak lies off. The first of them that holds is a run's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PeakKind {
    /// nanotron: one sweep.
    Nanotron,
    /// AMD's accelerators: what Primus logs there is what the process holds, and its batches are not stated.
    Amd,
    /// Silicon without a fit: cards of GDDR memory, MI250.
    DataSheet,
    /// Accelerators without a published peak (TPUs, Gaudi, Trainium), and XLA: they have the range of all rows together.
    Unmeasured,
    /// Runs that take less than a fifth of the GPU: contexts, workspaces and buffers are a large part.
    Small,
    /// Trainers around a model, on FSDP's first version or DeepSpeed: transformers, Accelerate, Axolotl, ms-swift. What the trainer
    /// holds beside the model, and a publication leaves out of its settings, weighs more than in the stacks below.
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
        use Framework::{DeepSpeed, Fsdp1, MaxText, Megatron, MegatronFsdp, MegatronLegacy, Nanotron, Transformers};
        use Generation::{Cdna3, Cdna4, Gaudi, Tpu, Trainium};
        let memory = &report.memory;
        match (report.framework, report.generation) {
            (Nanotron, _) => Self::Nanotron,
            (_, Cdna3 | Cdna4) => Self::Amd,
            (_, generation) if !is_fitted(generation) => Self::DataSheet,
            (MaxText, _) | (_, Gaudi | Tpu | Trainium) => Self::Unmeasured,
            _ if memory.peak < SMALL_USE * memory.capacity => Self::Small,
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

    /// Returns the range of the peak: about the 10th and the 90th percentile of measured over predicted peak of all rows of the kind, each
    /// source weighing as the square root of its rows (docs/accuracy.md counts those inside, with the range of the other sources too).
    pub(super) fn band(self) -> Band {
        let at = |share: f64| ELSEWHERE.iter().find(|point| point.share >= share).map_or(1.0, |point| point.ratio);
        match self {
            Self::Nanotron => Band { low: 0.91, high: 1.12 },
            Self::Amd => Band { low: 0.96, high: 1.74 },
            Self::DataSheet => both(ALL_ROWS, Band { low: at(0.1), high: at(0.9) }),
            Self::Unmeasured => ALL_ROWS,
            Self::Small => Band { low: 0.99, high: 1.47 },
            Self::Trainers => Band { low: 0.83, high: 1.34 },
            Self::Torchtitan => Band { low: 0.79, high: 1.15 },
            Self::Megatron => Band { low: 0.82, high: 1.17 },
        }
    }

    /// Returns the distribution of measured over predicted peak, which the odds of fitting are read from: rows whose predicted peak is a
    /// fifth of the GPU's memory or more, each source weighing as the square root of its rows (`cargo xtask score` prints it). On silicon
    /// with few rows each measured generation of accelerators weighs the same.
    pub fn ratios(self) -> &'static [Quantile; POINTS] {
        match self {
            Self::Nanotron => &NANOTRON,
            Self::Amd | Self::DataSheet => &ELSEWHERE,
            Self::Unmeasured | Self::Small => &ANY,
            Self::Trainers => &TRAINERS,
            Self::Torchtitan => &TORCHTITAN,
            Self::Megatron => &MEGATRON,
        }
    }
}

/// Percentiles of all rows.
const ALL_ROWS: Band = Band { low: 0.88, high: 1.10 };

/// Shares at which a distribution is kept, between its ends.
pub const SHARES: [f64; 13] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];
const POINTS: usize = SHARES.len() + 2;

const NANOTRON: [Quantile; POINTS] =
    between([0.61, 0.81, 0.89, 0.95, 0.97, 0.98, 1.0, 1.01, 1.03, 1.05, 1.09, 1.15, 1.29]);
const TRAINERS: [Quantile; POINTS] =
    between([0.72, 0.79, 0.84, 0.94, 0.97, 1.0, 1.02, 1.05, 1.09, 1.16, 1.33, 1.71, 1.95]);
const TORCHTITAN: [Quantile; POINTS] =
    between([0.78, 0.79, 0.8, 0.86, 0.94, 0.99, 1.01, 1.02, 1.04, 1.1, 1.14, 1.89, 1.9]);
const MEGATRON: [Quantile; POINTS] =
    between([0.8, 0.81, 0.83, 0.91, 0.95, 0.98, 1.0, 1.01, 1.05, 1.1, 1.15, 1.35, 1.56]);
/// All rows, each counting once.
const ANY: [Quantile; POINTS] = between([0.62, 0.8, 0.88, 0.95, 0.97, 0.98, 0.99, 1.01, 1.03, 1.05, 1.1, 1.16, 1.34]);

/// A distribution from its ratios at [`SHARES`]. Beyond the ends, where single rows decide, it is drawn to 0 at half the prediction and to
/// 1 at twice.
#[allow(
    clippy::indexing_slicing,
    reason = "evaluated when the crate is compiled: an index out of range is an error there"
)]
const fn between(ratios: [f64; SHARES.len()]) -> [Quantile; POINTS] {
    let mut points = [Quantile { share: 0.0, ratio: 0.5 }; POINTS];
    let mut at = 0;
    while at < SHARES.len() {
        points[at + 1] = Quantile { share: SHARES[at], ratio: ratios[at] };
        at += 1;
    }
    points[POINTS - 1] = Quantile { share: 1.0, ratio: 2.0 };
    points
}
