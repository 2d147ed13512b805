//! Kinds of runs by the expected error of the predicted step time, and the range of each kind.

use super::{Band, FAST_MFU};
use engine::model::hardware::Generation;
use engine::model::software::Framework;
use engine::scenario::Scenario;

/// MFU below which launches by the host take most of a step.
const TINY_MFU: f64 = 0.05;

/// Kind of a run by the expected error of its step time. The first variant that holds applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// nanotron with a pipeline: many of the published runs stall by about 0.3 s per message
    /// between stages, for every model, and no column of the data explains which
    /// (docs/book/accuracy/unexplained.md).
    Stalling,
    /// Silicon whose fractions of the peaks are borrowed.
    DataSheet,
    /// Host-bound: predicted MFU below 5 %.
    Launched,
    /// Training scripts with plain PyTorch layers: torchtitan, transformers, DeepSpeed. Settings
    /// that a publication omits (packing, the fusions of `torch.compile`, the loss) matter more
    /// than in the frameworks below.
    Scripts,
    /// Predicted MFU of 5 to 20 %: host, exchanges and small products share the step.
    Slow,
    /// Mixtures of experts that the hardware limits.
    Experts,
    /// The rest: dense models on frameworks whose authors publish tables of throughput.
    Tuned,
}

impl StepKind {
    /// Every kind, in the order in which they are tried.
    pub const ALL: [Self; 7] =
        [Self::Stalling, Self::DataSheet, Self::Launched, Self::Scripts, Self::Slow, Self::Experts, Self::Tuned];

    /// Returns the kind of a scenario.
    pub fn classify(scenario: &Scenario) -> Self {
        let is_fitted = scenario.accelerator.values.generation.is_fitted();
        match Self::on_fitted_silicon(scenario) {
            Self::Stalling => Self::Stalling,
            _ if !is_fitted => Self::DataSheet,
            kind => kind,
        }
    }

    /// Returns the kind that a scenario would have if its silicon had a fit.
    pub(super) fn on_fitted_silicon(scenario: &Scenario) -> Self {
        use Framework::{DeepSpeed, MaxText, Nanotron, Torchtitan, Transformers};
        let mfu = scenario.report().update.mfu;
        match scenario.framework {
            Nanotron if scenario.degrees().pp > 1 => Self::Stalling,
            _ if mfu < TINY_MFU => Self::Launched,
            Torchtitan | Transformers | DeepSpeed => Self::Scripts,
            // XLA's releases and flags change what overlaps: of one model by Pax, 1.9 s in October
            // 2023 and 1.2 s in April 2024 (docs/book/accuracy/strangers.md).
            MaxText if scenario.accelerator.values.generation != Generation::Tpu => Self::Scripts,
            _ if mfu < FAST_MFU => Self::Slow,
            _ if scenario.model.architecture().has_experts() => Self::Experts,
            _ => Self::Tuned,
        }
    }

    /// Returns a label of the kind: the feature that its runs have in common.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stalling => "nanotron with a pipeline",
            Self::DataSheet => "silicon without a fit",
            Self::Launched => "MFU below 5 %",
            Self::Scripts => "torchtitan, transformers, DeepSpeed, XLA on GPUs",
            Self::Slow => "MFU of 5 to 20 %, other frameworks",
            Self::Experts => "mixtures, 20 % or more, other frameworks",
            Self::Tuned => "dense, 20 % or more, other frameworks",
        }
    }

    /// Returns the range of the step time: 10th and 90th percentile of measured over predicted
    /// time, each source held out of the fit in turn and weighing as the square root of its rows
    /// (`examples/calibrate` prints them).
    pub const fn band(self) -> Band {
        match self {
            Self::Stalling => Band { low: 0.86, high: 6.7 },
            Self::DataSheet => Band { low: 0.65, high: 1.51 },
            Self::Launched => Band { low: 0.76, high: 1.75 },
            Self::Scripts => Band { low: 0.80, high: 1.50 },
            Self::Slow => Band { low: 0.80, high: 1.60 },
            Self::Experts => Band { low: 0.88, high: 1.38 },
            Self::Tuned => Band { low: 0.89, high: 1.22 },
        }
    }

    /// Returns the range of the step time of a run whose prediction is corrected by the measurement
    /// of another run with an equal model, GPU and framework: 10th and 90th percentile of measured
    /// over corrected time, with each published run of a source anchoring each other run of that
    /// source (`examples/anchored` prints them). Where runs stall or the host is the limit, one run
    /// tells little about the next.
    pub const fn anchored(self) -> Band {
        match self {
            Self::Stalling => Band { low: 0.19, high: 5.2 },
            Self::DataSheet => Band { low: 0.68, high: 1.47 },
            Self::Launched => Band { low: 0.61, high: 1.63 },
            Self::Scripts => Band { low: 0.71, high: 1.41 },
            Self::Slow => Band { low: 0.70, high: 1.42 },
            Self::Experts => Band { low: 0.89, high: 1.12 },
            Self::Tuned => Band { low: 0.90, high: 1.12 },
        }
    }
}
