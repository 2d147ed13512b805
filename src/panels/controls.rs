//! The controls: sliders on the first screen, and everything else in a drawer, by subject.

mod control;
pub mod effects;
pub mod folds;
pub mod groups;
pub mod layout;
pub mod pickers;
pub mod sheet;

use std::rc::Rc;

use yew::prelude::*;

use self::control::{ControlContext, control};
use self::groups::Groups;
use self::layout::LayoutControlsProps;
use self::sheet::CONTROLS;
use crate::calculator::Calculator;
use crate::components::action_button::ActionButton;
use crate::fields::product;
use crate::state::Action;
use analysis::inert_options::InertOptions;
use engine::format;
use engine::model::stages::model_params;
use engine::params::ParamId;
use engine::scenario::Scenario;

/// Label of the button that resets everything.
const RESET: &str = "Reset all";

/// Renders the controls that are not on the first screen, by subject; `effects` are the choices
/// with options that give the same result.
pub fn controls(calculator: &Calculator, effects: &Rc<Vec<InertOptions>>) -> Html {
    let Calculator { state, derived, settled, .. } = calculator;
    let scenario = &state.scenario;
    let reset = Action::ReplaceScenario(Box::new(catalog::default_scenario()));
    let layout = LayoutControlsProps {
        scenario: settled.snapshot.scenario,
        report: settled.report,
        moving: calculator.is_moving(),
        product: product(scenario, &derived.report).into(),
    };
    html! {
        <section id={CONTROLS} class="controls" aria-label="Controls" tabindex="-1">
            <pickers::Software scenario={*scenario} settled={settled.snapshot.scenario} />
            <Groups scenario={*scenario} preset={state.preset} drafts={state.drafts().to_vec()} issues={derived.issues.clone()}
                effects={effects.clone()} {layout} />
            <p><ActionButton action={reset} class="button">{ RESET }</ActionButton></p>
        </section>
    }
}

/// Renders sliders in a row.
pub fn sliders(calculator: &Calculator, ids: &[ParamId]) -> Html {
    let Calculator { state, derived, .. } = calculator;
    let context = ControlContext {
        scenario: &state.scenario,
        drafts: state.drafts(),
        preset: &state.preset,
        effects: &[],
        issues: &derived.issues,
    };
    let rows = ids.iter().map(|id| id.param());
    html! { <div class="sliders" role="group" aria-label={SLIDERS}>{ for rows.map(|param| control(param, context, false)) }</div> }
}

/// Accessible name of a row of sliders.
const SLIDERS: &str = "Sliders";

/// Returns the trained share of the parameters, in a sentence; `None` if all of them train.
pub(super) fn trained(scenario: &Scenario) -> Option<String> {
    if scenario.trained.is_all() {
        return None;
    }
    let params = model_params(&scenario.setup());
    let [trained, all] = [params.trained.all(), params.held.all()];
    let share = if all > 0.0 { trained / all } else { 0.0 };
    Some(format!(
        "{} of {} parameters train: {}.",
        format::params(trained),
        format::params(all),
        format::percent(share)
    ))
}
