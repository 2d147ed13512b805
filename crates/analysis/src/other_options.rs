//! Options of a choice other than the scenario's own.

use super::change::{Turn, errors};
use engine::model::software::AttentionKernel;
use engine::model::training::HalfFormat;
use engine::params::{Param, ParamId};
use engine::scenario::Scenario;

/// Returns the scenario with each other option of a choice, with the option's index: options that
/// can be set without a new error. Empty if the parameter is no choice, or does not apply to the
/// scenario.
pub(super) fn others(scenario: &Scenario, param: &Param, errors_before: usize) -> Vec<(usize, Scenario)> {
    let is_here = (param.is_relevant)(scenario) && (param.applies)(scenario);
    let Some(choice) = param.choice().filter(|_| is_here) else { return Vec::new() };
    let now = (choice.get)(scenario);
    let with = |option: usize| {
        let mut changed = *scenario;
        (choice.set)(&mut changed, option);
        ((choice.get)(&changed) == option && errors(&changed) <= errors_before).then_some((option, changed))
    };
    (0..choice.options.len()).filter(|option| *option != now).filter_map(with).collect()
}

/// Returns the scenario with each other option of some choices of execution. Options that change
/// the computed numbers are left out: 8-bit attention; and of the 16-bit formats all but fp16, as
/// bf16 is slower on the only GPUs where they differ.
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
    let same_numbers = |(_, changed): &(Turn, Scenario)| changed.kernels.attention != AttentionKernel::Flash8bit;
    let is_fp16 = |(_, changed): &(Turn, Scenario)| changed.half == scenario.half || changed.half == HalfFormat::Fp16;
    how.iter().flat_map(of).filter(same_numbers).filter(is_fp16).collect()
}
