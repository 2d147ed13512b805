//! One control of the table of parameters.

use yew::prelude::*;

use super::effects::same;
use crate::browser::today;
use crate::components::choice::ChoiceControl;
use crate::components::number::NumberControl;
use crate::fields::{Field, field};
use crate::state::Draft;
use analysis::inert_options::InertOptions;
use engine::params::Param;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;

/// Values that every control is made from.
#[derive(Clone, Copy)]
pub(super) struct ControlContext<'a> {
    /// The scenario.
    pub(super) scenario: &'a Scenario,
    /// Texts in typed fields.
    pub(super) drafts: &'a [Draft],
    /// The scenario that changes are measured against.
    pub(super) preset: &'a Scenario,
    /// Choices with options that give the same result.
    pub(super) effects: &'a [InertOptions],
    /// Issues of the scenario, which tell where the page computes with other values.
    pub(super) issues: &'a [Issue],
}

/// Renders the control of a parameter; with `explained`, the help can be opened under it.
pub(super) fn control(param: &'static Param, context: ControlContext, explained: bool) -> Html {
    let field = field(param, context.scenario, context.drafts, context.preset, today());
    match field.corrected(context.scenario, context.issues) {
        Field::Number(field) => html! { <NumberControl key={param.key} {field} {explained} /> },
        Field::Choice(field) => {
            let same = context.effects.iter().find(|same| same.param == param.id).map(same);
            html! { <ChoiceControl key={param.key} {field} {explained} same={same.map(AttrValue::from)} /> }
        }
    }
}
