//! Display names of parts, limiters and lines, shared by all figures.

use engine::model::compute::roofline::Operator;
use engine::model::report::{Lane, Limiter, MemoryPart, Report, Work};
use engine::model::step::waterfall::StepPart;
use trace::{Moment, Phase, Place};

pub use engine::params::labels::{chosen, layout, recompute, strategy};

/// Chooses between words for a step and for the update in a step that generates its training data.
pub const fn of_update(report: &Report, step: &'static str, update: &'static str) -> &'static str {
    if report.rollout.is_some() { update } else { step }
}

/// Returns the name of a memory part.
pub const fn part(part: MemoryPart) -> &'static str {
    engine::names::part(part).name
}

/// Returns the name of a limiter.
pub const fn limiter(limiter: Limiter) -> &'static str {
    engine::names::limiter(limiter).name
}

/// Returns the name of a part of the step.
pub const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Rest => "Rest",
        Phase::Forward => "Forward",
        Phase::Loss => "Loss",
        Phase::Backward => "Backward",
        Phase::Optimizer => "Optimizer",
    }
}

/// Names a moment of a step of a model with `layers` layers: `the backward pass of layer 30 of 40`.
pub fn moment(moment: Moment, layers: u32) -> String {
    let pass = match moment.phase {
        Phase::Rest => return "the start".into(),
        Phase::Loss => return "the loss".into(),
        Phase::Optimizer => return "the optimizer's update".into(),
        Phase::Forward => "forward",
        Phase::Backward => "backward",
    };
    match moment.place {
        Place::Embedding => format!("the {pass} pass of the embedding"),
        Place::Layer(layer) => format!("the {pass} pass of layer {} of {layers}", layer + 1),
        Place::Head => format!("the {pass} pass of the head"),
        Place::Loss => format!("the {pass} pass of head and loss"),
    }
}

/// Returns the name of a lane of the timeline.
pub const fn lane(lane: Lane) -> &'static str {
    match lane {
        Lane::Compute => "Compute",
        Lane::Shard => "Gathers and reductions",
        Lane::Replicate => "Reductions across replicas",
        Lane::AllToAll => "Tokens to experts and back",
        Lane::Exchange => "Tensor, context and pipeline exchanges",
    }
}

/// Returns the name of a kind of work.
pub const fn work(work: Work) -> &'static str {
    match work {
        Work::EmbeddingForward => "Embedding",
        Work::LayerForward => "Forward",
        Work::Head => "Head and loss",
        Work::LayerBackward => "Backward",
        Work::Experts => "Experts",
        Work::EmbeddingBackward => "Embedding backward",
        Work::OptimizerStep => "Optimizer",
        Work::AllGather => "All-gather",
        Work::ReduceScatter => "Reduce-scatter",
        Work::AllReduce => "All-reduce",
        Work::Dispatch => "Dispatch",
        Work::Combine => "Combine",
        Work::Exchange => "Exchange",
        Work::Bubble => "Pipeline bubble",
    }
}

/// Returns the name of a part of a step's time.
pub const fn step_part(part: StepPart) -> &'static str {
    engine::names::step_part(part).name
}

/// Returns what causes the loss of a part of a step's time, for use in a sentence.
pub const fn lost_to(part: StepPart) -> &'static str {
    engine::names::step_part(part).lost_to
}

/// Returns the name of a kind of compute, in a dense model or a mixture of experts.
pub const fn operator(operator: Operator, has_experts: bool) -> &'static str {
    match operator {
        Operator::AttentionCore => "Attention core",
        Operator::StateCore => "State mixers",
        Operator::Projections => "Projections",
        Operator::Mlp if has_experts => "Dense MLPs and router",
        Operator::Mlp => "MLP",
        Operator::Experts => "Experts",
        Operator::Elementwise => "Norms and element-wise",
        Operator::Head => "Head and loss",
        Operator::Optimizer => "Optimizer",
        Operator::Copies => "Copies and sums",
    }
}

/// Writes a label as it appears inside a sentence: `Sequence length` in lower case, `GPU memory`
/// and `MFU` unchanged.
pub fn in_sentence(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_ascii_lowercase() || second == ' ' => {
            core::iter::once(first.to_ascii_lowercase()).chain(label.chars().skip(1)).collect()
        }
        _ => label.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acronyms_keep_their_capitals() {
        assert_eq!(in_sentence("Sequence length"), "sequence length");
        assert_eq!(in_sentence("GPU memory"), "GPU memory");
        assert_eq!(in_sentence("MFU"), "MFU");
    }

    #[test]
    fn every_strategy_has_the_name_of_its_option() {
        for place in 0..engine::scenario::Strategy::ALL.len() {
            assert!(!strategy(place).is_empty());
        }
        assert_eq!(strategy(99), "");
    }
}
