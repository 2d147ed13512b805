//! What differs between two scenarios, in sentences.

use engine::params::ParamId;
use engine::scenario::Scenario;

/// What differs between two scenarios, parameter by parameter, as a person says it.
pub(super) fn difference(before: &Scenario, after: &Scenario) -> Vec<String> {
    use engine::params::quantity::with_unit;
    use engine::params::{Kind, every, is_held};
    /// What follows from others.
    const FOLLOWS: [ParamId; 2] = [ParamId::TrainingTokens, ParamId::GpuHourPrice];
    let mut said = Vec::new();
    for param in every().filter(|param| !FOLLOWS.contains(&param.id) && is_held(param, after) && (param.applies)(after))
    {
        let pair = match &param.kind {
            Kind::Number(number) => {
                let (old, new) = ((number.get)(before), (number.get)(after));
                (old != new).then(|| [old, new].map(|value| with_unit(number.unit, value)))
            }
            Kind::Choice(choice) => {
                let (old, new) = ((choice.get)(before), (choice.get)(after));
                let label = |index: usize| choice.options.get(index).map_or("", |option| option.label).to_owned();
                (old != new).then(|| [label(old), label(new)])
            }
        };
        if let Some([old, new]) = pair {
            said.push(format!("{}: {new} in place of {old}", param.label));
        }
    }
    said
}
