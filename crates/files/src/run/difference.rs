//! What differs between two scenarios, in sentences.

use engine::params::ParamId;
use engine::scenario::Scenario;

use diagnose::difference::{Difference, differences};

/// What follows from others.
const FOLLOWS: [ParamId; 2] = [ParamId::TrainingTokens, ParamId::GpuHourPrice];

/// What differs between two scenarios, parameter by parameter, as a person says it.
pub(super) fn difference(before: &Scenario, after: &Scenario) -> Vec<String> {
    differences(before, after, |value| value)
        .filter(|one| !FOLLOWS.contains(&one.param.id) && (one.param.applies)(after))
        .map(|Difference { param, from, to }| format!("{}: {to} in place of {from}", param.label))
        .collect()
}
