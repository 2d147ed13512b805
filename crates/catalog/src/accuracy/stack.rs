//! Stacks of software and silicon with published step times.

use super::Band;
use engine::model::hardware::Generation;
use engine::model::software::Framework;
use engine::names;
use engine::scenario::Scenario;

/// Choices of a run whose combination must be measured before its prediction is calibrated: terms
/// that are missing are missing in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The framework.
    pub framework: Framework,
    /// The silicon.
    pub generation: Generation,
    /// Whether the model has routed experts.
    pub experts: bool,
    /// Whether tensor, context and pipeline parallelism are used.
    pub split: [bool; 3],
}

impl Stack {
    /// Returns the stack of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let mesh = scenario.degrees();
        Self {
            framework: scenario.framework,
            generation: scenario.accelerator.values.generation,
            experts: scenario.model.architecture().has_experts(),
            split: [mesh.tp, mesh.cp, mesh.pp].map(|degree| degree > 1),
        }
    }

    /// Returns the stack in words: `torchtitan with tensor and pipeline parallelism`.
    pub fn name(&self) -> String {
        let degrees = ["tensor", "context", "pipeline"].into_iter().zip(self.split);
        let used: Vec<&str> = degrees.filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect();
        let experts = if self.experts { Some("experts") } else { None };
        let split = (!used.is_empty()).then(|| format!("{} parallelism", used.join(" and ")));
        let with: Vec<String> = experts.map(str::to_owned).into_iter().chain(split).collect();
        let framework = names::framework(self.framework);
        if with.is_empty() { framework.to_owned() } else { format!("{framework} with {}", with.join(", ")) }
    }
}

/// Range of the step time of a stack without published rows: of 110 steps of thirteen sources that
/// no constant was fitted to, the slow ones lie further from the prediction than the fast ones,
/// since a term that a prediction lacks makes it too fast (docs/book/accuracy/strangers.md).
pub(super) const UNMEASURED: Band = Band { low: 0.75, high: 2.2 };
