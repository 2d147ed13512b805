//! Differences between two scenarios, in sentences.

use engine::params::ParamId;
use engine::scenario::Scenario;

use diagnose::difference::{Difference, differences};

/// Parameters that follow from others.
const FOLLOWS: [ParamId; 2] = [ParamId::TrainingTokens, ParamId::GpuHourPrice];

/// Returns the differences between two scenarios, parameter by parameter, in words.
pub(super) fn difference(before: &Scenario, after: &Scenario) -> Vec<String> {
    differences(before, after, |value| value)
        .filter(|one| !FOLLOWS.contains(&one.param.id) && (one.param.applies)(after))
        .map(|Difference { param, from, to }| format!("{}: {to} in place of {from}", param.label))
        .collect()
}
