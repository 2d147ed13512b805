//! Batch and layout: `dp 8 × tp 2 × cp 4 × pp 1 = 64` with buttons that offer only valid values,
//! and the micro-batches with the resulting tokens per step.

use yew::prelude::*;

use crate::context::use_page;
use crate::fields::step_id;
use crate::fields::{Layout, OfferedValue, Step};
use crate::state::Action;
use engine::model::report::Report;
use engine::scenario::Scenario;

/// Name of the group of controls.
pub const TITLE: &str = "Batch and layout";

/// Values to show, and the callback for actions.
#[derive(Clone, PartialEq, Properties)]
pub struct LayoutControlsProps {
    /// The settled scenario: the values that buttons offer are found by trying.
    pub scenario: Scenario,
    /// Report of the scenario's step.
    pub report: Report,
    /// The product that is the batch, for the scenario on screen.
    pub product: AttrValue,
    /// Whether the scenario has changed since it settled.
    pub moving: bool,
}

/// The group of controls.
#[component]
pub fn LayoutControls(LayoutControlsProps { scenario, report, product, moving }: &LayoutControlsProps) -> Html {
    let emit = &use_page().emit;
    let layout = Layout::new(scenario, report);
    let times = || html! { <span class="times" aria-hidden="true">{ "×" }</span> };
    let fixed = |name: &'static str, value: &String| {
        html! { <span class="step"><span class="step-name">{ name }</span><span class="step-value">{ value }</span></span> }
    };
    html! {
        <div class="set" role="group" aria-label={TITLE}>
            <div class={classes!("steps", moving.then_some("stale"))}>
                { fixed("dp", &layout.dp) }
                { for layout.degrees.iter().map(|step| html! { <>{ times() }{ stepper(step, emit) }</> }) }
                <span class="times" aria-hidden="true">{ "=" }</span>
                { fixed("GPUs", &layout.gpus) }
            </div>
            <div class="steps">
                { for layout.batch.iter().enumerate().map(|(place, step)| html! {
                    <>if place > 0 { { times() } }{ stepper(step, emit) }</>
                }) }
                if let Some(step) = &layout.ep {
                    <span class="times" aria-hidden="true"></span>
                    { stepper(step, emit) }
                }
            </div>
            <p class="product">{ product }</p>
        </div>
    }
}

/// Renders a count between two buttons. A button without a value to offer keeps the focus, so that
/// the keyboard can go on with the other button.
fn stepper(Step { key, short, value, offers }: &Step, emit: &Callback<Action>) -> Html {
    let (key, label) = (*key, key.param().label);
    let [less, more] = offers;
    let button = |offer: &Option<OfferedValue>, more: bool| {
        let offer = offer.as_ref();
        let name = offer.map_or_else(|| no_step(label, more), |offer| offer.name.clone());
        let value = offer.map(|offer| offer.value);
        let step = emit.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(value) = value {
                step.emit(Action::StepCount { key, value });
            }
        });
        let id = step_id(key).filter(|_| more);
        html! {
            <button type="button" {id} aria-label={name.clone()} title={name} aria-disabled={value.is_none().then_some("true")} {onclick}>
                { if more { "+" } else { "−" } }
            </button>
        }
    };
    html! {
        <span class="step" role="group" aria-label={label}>
            <span class="step-name">{ short }</span>
            <span class="step-row">{ button(less, false) }<span class="step-value">{ value }</span>{ button(more, true) }</span>
        </span>
    }
}

/// Returns the accessible name of a button that has no valid value to offer.
fn no_step(label: &str, more: bool) -> String {
    format!("{label}: no {} value is valid here", if more { "higher" } else { "lower" })
}
