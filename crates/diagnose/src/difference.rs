//! Lists the differences between two scenarios, parameter by parameter.

use engine::params::quantity::with_unit;
use engine::params::{Param, ParamKind, every, is_held};
use engine::scenario::Scenario;

/// A parameter that differs, with both values formatted for display.
pub struct Difference {
    /// The parameter.
    pub param: &'static Param,
    /// The value in the first scenario.
    pub from: String,
    /// The value in the second scenario.
    pub to: String,
}

/// Returns the parameters of the second scenario that differ from the first; numbers are rounded by
/// `shown`.
pub fn differences<'a>(
    from: &'a Scenario,
    to: &'a Scenario,
    shown: impl Fn(f64) -> f64 + 'a,
) -> impl Iterator<Item = Difference> + 'a {
    every().filter(|param| is_held(param, to)).filter_map(move |param| {
        let (from, to) = match param.kind {
            ParamKind::Choice(choice) => {
                let (before, now) = ((choice.get)(from), (choice.get)(to));
                let label = |index: usize| choice.options.get(index).map_or("", |option| option.label).to_owned();
                (before != now).then(|| (label(before), label(now)))?
            }
            ParamKind::Number(number) => {
                let (before, now) = ((number.get)(from), (number.get)(to));
                let said = |value| with_unit(number.unit, shown(value));
                (before != now).then(|| (said(before), said(now)))?
            }
        };
        Some(Difference { param, from, to })
    })
}
