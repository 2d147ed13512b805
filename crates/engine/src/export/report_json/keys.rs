//! How things are called in JSON.

use crate::model::report::{Limiter, MemoryPart, PeakMoment};
use crate::params::ParamId;
use crate::scenario::Strategy;

/// The name of a strategy in links and JSON, as the table of parameters has it.
pub(super) fn strategy(strategy: Strategy) -> Option<&'static str> {
    let choice = ParamId::Strategy.param().choice()?;
    choice.options.get(strategy.place()).map(|option| option.key)
}

/// The name of a part of memory.
pub(super) fn part(part: MemoryPart) -> &'static str {
    match part {
        MemoryPart::Weights => "weights",
        MemoryPart::Gradients => "gradients",
        MemoryPart::Optimizer => "optimizer",
        MemoryPart::GatheredWeights => "gathered_weights",
        MemoryPart::UnreducedGradients => "unreduced_gradients",
        MemoryPart::Activations => "activations",
        MemoryPart::WorkingSet => "working_set",
        MemoryPart::Logits => "logits",
        MemoryPart::Context => "context",
        MemoryPart::Fragmentation => "fragmentation",
    }
}

/// The name of what limits.
pub fn limiter(limiter: Limiter) -> &'static str {
    match limiter {
        Limiter::Memory => "memory",
        Limiter::InterNode => "inter_node_network",
        Limiter::IntraNode => "intra_node_network",
        Limiter::Compute => "compute",
        Limiter::Launch => "launch",
        Limiter::Bubble => "pipeline_bubble",
    }
}

/// The name of the moment of the peak.
pub(super) fn moment(moment: PeakMoment) -> &'static str {
    match moment {
        PeakMoment::Loss => "loss",
        PeakMoment::Backward => "backward",
        PeakMoment::Optimizer => "optimizer",
    }
}
