//! Options of a choice other than the scenario's own.

use super::change::{Turn, errors};
use engine::model::software::AttentionKernel;
use engine::model::training::HalfFormat;
use engine::params::{Param, ParamId};
use engine::scenario::Scenario;

/// Returns the scenario with each other option of a choice, with the option's index. Empty if the
/// parameter is no choice, or does not apply to the scenario.
pub(super) fn unchecked(scenario: &Scenario, param: &Param) -> Vec<(usize, Scenario)> {
    let is_here = (param.is_relevant)(scenario) && (param.applies)(scenario);
    let Some(choice) = param.choice().filter(|_| is_here) else { return Vec::new() };
    let now = (choice.get)(scenario);
    let with = |option: usize| {
        let mut changed = *scenario;
        (choice.set)(&mut changed, option);
        ((choice.get)(&changed) == option).then_some((option, changed))
    };
    (0..choice.options.len()).filter(|option| *option != now).filter_map(with).collect()
}

/// Returns the other options of a choice ([`unchecked`]) that add no error.
pub(super) fn others(scenario: &Scenario, param: &Param, errors_before: usize) -> Vec<(usize, Scenario)> {
    let mut options = unchecked(scenario, param);
    options.retain(|(_, changed)| errors(changed) <= errors_before);
    options
}

/// Returns the scenario with each other option of some choices of execution. Options that
/// [`is_proposed`] leaves out are not among them.
pub(super) fn other_option_candidates(
    scenario: &Scenario,
    how: &[ParamId],
    errors_before: usize,
) -> Vec<(Turn, Scenario)> {
    let of = |id: &ParamId| {
        let id = *id;
        let turn = move |(option, changed)| (Turn::Option(id, option), changed);
        others(scenario, id.param(), errors_before).into_iter().map(turn)
    };
    how.iter().flat_map(of).filter(|(_, changed)| is_proposed(scenario, changed)).collect()
}

/// Whether an option leaves the computed numbers as they are, but for rounding, and is one to
/// propose: no 8-bit attention; and of the 16-bit formats only fp16, as bf16 is slower on the only
/// GPUs where they differ.
pub(super) fn is_proposed(scenario: &Scenario, changed: &Scenario) -> bool {
    let is_attention_alike = changed.kernels.attention != AttentionKernel::Flash8bit;
    is_attention_alike && (changed.half == scenario.half || changed.half == HalfFormat::Fp16)
}
