//! The settings that a search of layouts makes beside degrees, strategy, micro-batch and
//! recomputation.

use engine::params::ParamId;
use engine::params::labels::option;
use engine::scenario::Scenario;

/// Choices of execution, which change the computed numbers only by rounding, in the order in which
/// a search sets them.
pub const EXECUTION: [ParamId; 10] = [
    ParamId::AttentionKernel,
    ParamId::HalfFormat,
    ParamId::Compile,
    ParamId::CudaGraphs,
    ParamId::OptimizerKernel,
    ParamId::SequenceParallel,
    ParamId::AsyncTp,
    ParamId::ContextExchange,
    ParamId::PipelineSchedule,
    ParamId::GradientSync,
];

/// Choices that save memory.
pub const SAVING: [ParamId; 5] = [
    ParamId::Loss,
    ParamId::BaseFormat,
    ParamId::OffloadActivations,
    ParamId::OffloadOptimizer,
    ParamId::OffloadParameters,
];

/// Names the settings in which a layout differs from another: `FlashAttention-3`, `torch.compile`.
pub fn settings_beside(now: &Scenario, then: &Scenario) -> Vec<String> {
    let differs = |id: ParamId| {
        let param = id.param();
        let choice = param.choice().filter(|_| (param.is_relevant)(then))?;
        let chosen = (choice.get)(then);
        ((choice.get)(now) != chosen).then(|| option(id, chosen, then))
    };
    EXECUTION.into_iter().chain(SAVING).filter_map(differs).collect()
}
