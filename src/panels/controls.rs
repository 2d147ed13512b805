//! The controls: the main parameters by subject, the other parameters in folded groups.

mod control;
pub mod effects;
pub mod folds;
pub mod groups;
pub mod layout;
pub mod pickers;
pub mod sheet;

use std::rc::Rc;

use yew::prelude::*;

use self::control::{ControlContext, PROMOTED, control};
use self::groups::Groups;
use self::layout::LayoutControls;
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

/// The folded groups.
#[derive(Clone, Copy)]
pub struct FoldedGroups<'a> {
    /// The scenario that the groups show.
    pub scenario: Scenario,
    /// Choices with options that give the same result.
    pub effects: &'a Rc<Vec<InertOptions>>,
    /// Called with 1 when a group opens and with -1 when a group closes.
    pub opened: &'a Callback<i32>,
}

/// Renders the column of controls at the left.
pub fn controls(calculator: &Calculator, folded: FoldedGroups) -> Html {
    let Calculator { state, derived, settled, .. } = calculator;
    let (scenario, drafts) = (&state.scenario, state.drafts());
    let context =
        ControlContext { scenario, drafts, preset: &state.preset, effects: folded.effects, issues: &derived.issues };
    let row = |id: ParamId| control(id.param(), context, false);
    let reset = Action::ReplaceScenario(Box::new(catalog::default_scenario()));
    html! {
        <section id={CONTROLS} class="controls" aria-label="Controls" tabindex="-1">
            <div class="set" role="group" aria-label="Model">
                { pickers::model(scenario, &state.preset) }
                { pickers::made_from(scenario, &state.preset) }
                { row(ParamId::ModelSize) }
                { row(ParamId::SequenceLength) }
            </div>
            <div class="set" role="group" aria-label="Cluster">
                { pickers::cluster(scenario, &state.preset) }
                { pickers::accelerator(scenario, &state.preset) }
                { row(ParamId::GpuMemory) }
                { row(ParamId::LinkBandwidth) }
                { row(ParamId::Gpus) }
            </div>
            <LayoutControls scenario={settled.snapshot.scenario} report={settled.report} moving={calculator.is_moving()}
                product={AttrValue::from(product(scenario, &derived.report))} />
            <div class="set" role="group" aria-label="Method">
                <pickers::Software scenario={*scenario} settled={settled.snapshot.scenario} />
                { for PROMOTED.into_iter().filter(|id| id.param().is_shown(scenario)).map(row) }
                if let Some(share) = trained(scenario) {
                    <p class="caption">{ share }</p>
                }
            </div>
            <Groups scenario={folded.scenario} preset={state.preset} drafts={drafts.to_vec()} issues={derived.issues.clone()}
                opened={folded.opened} effects={folded.effects.clone()} />
            <p><ActionButton action={reset} class="button">{ RESET }</ActionButton></p>
        </section>
    }
}

/// The sliders of the first screen, in an embed's order.
const SLIDERS: [ParamId; 5] =
    [ParamId::ModelSize, ParamId::SequenceLength, ParamId::Gpus, ParamId::GpuMemory, ParamId::LinkBandwidth];

/// Renders the five sliders of an embed, and `last` in place of a sixth.
pub fn sliders(calculator: &Calculator, last: Html) -> Html {
    let Calculator { state, derived, .. } = calculator;
    let context = ControlContext {
        scenario: &state.scenario,
        drafts: state.drafts(),
        preset: &state.preset,
        effects: &[],
        issues: &derived.issues,
    };
    let rows = SLIDERS.into_iter().map(ParamId::param);
    html! {
        <section class="sliders" aria-label="Controls">{ for rows.map(|param| control(param, context, false)) }{ last }</section>
    }
}

/// Returns the trained share of the parameters, in a sentence; `None` if all of them train.
fn trained(scenario: &Scenario) -> Option<String> {
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
