//! A slider with a typed field; both have equal bounds.

use yew::prelude::*;

use super::action_button::ActionButton;
use super::help::use_help;
use super::icon::{Icon, drawn};
use crate::browser;
use crate::context::use_page;
use crate::fields::NumberField;
use crate::state::Action;
use engine::format;
use engine::params::ParamId;

/// Values to show.
#[derive(PartialEq, Properties)]
pub struct NumberControlProps {
    /// The values.
    pub field: NumberField,
    /// Whether the help can be opened next to the name, rather than only in the tooltip.
    #[prop_or_default]
    pub explained: bool,
}

/// Returns the identifier of the typed field of a parameter.
pub fn typed_id(key: ParamId) -> String {
    format!("{}-typed", key.key())
}

/// A slider with a typed field. `input` events move the scenario, `change` events end the gesture.
#[component]
pub fn NumberControl(props: &NumberControlProps) -> Html {
    let NumberField { key, label, help, index, last, .. } = props.field;
    let field = &props.field;
    let (ask, words) = use_help(key.key(), label, help);
    let emit = use_page().emit;
    let slide = emit.reform(move |event: InputEvent| Action::Slide { key, index: browser::slider_index(&event) });
    let typed = emit.reform(move |event: InputEvent| Action::Type { key, text: browser::field_text(&event) });
    let settle = emit.reform(|_: Event| Action::EndGesture);
    let settled = emit.reform(|_: KeyboardEvent| Action::EndGesture);
    let entered = {
        let emit = emit.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => emit.emit(Action::EndGesture),
            "Escape" => emit.emit(Action::CancelEdit { key }),
            _ => {}
        })
    };
    // The positions of such a slider are doublings, but twice as many layers are rarely wanted:
    // arrow keys set the next value.
    let nudged = Callback::from(move |event: KeyboardEvent| {
        let up = match event.key().as_str() {
            "ArrowUp" | "ArrowRight" => true,
            "ArrowDown" | "ArrowLeft" => false,
            _ => return,
        };
        event.prevent_default();
        emit.emit(Action::Nudge { key, up });
    });
    let nudged = field.is_nudged.then_some(nudged);
    let error = error(field);
    let ids = (typed_id(key), format!("{}-error", key.key()));
    html! {
        <div class={classes!("control", field.preset.is_some().then_some("changed"), (!field.applies).then_some("inert"))}>
            <div class="control-line">
                <label for={key.key()} title={help}>{ label }</label>
                if props.explained { { ask } }
                { back(key, label, field.preset.as_ref()) }
                <input type="text" id={ids.0} aria-label={typed_name(label)} aria-describedby={ids.1.clone()}
                    aria-invalid={if error.is_some() { "true" } else { "false" }} autocomplete="off" spellcheck="false"
                    value={field.text.clone()} oninput={typed} onchange={settle.clone()} onkeydown={entered} />
                <span class="unit" aria-hidden="true">{ field.unit }</span>
            </div>
            <input type="range" id={key.key()} aria-label={label} aria-valuetext={field.value.clone()} min="0"
                max={last.to_string()} step="1" value={index.to_string()} oninput={slide} onchange={settle.clone()} onkeydown={nudged} onkeyup={field.is_nudged.then_some(settled)} />
            <p class="error" id={ids.1}>{ error.unwrap_or_default() }</p>
            { words }
            if let Some(note) = &field.note {
                <p class="control-help">{ note }</p>
            }
        </div>
    }
}

/// Renders the error of a field with buttons for valid values. An error in the typed text comes
/// before the reason why the page computes with another value: that value is another one in any
/// case.
fn error(field: &NumberField) -> Option<Html> {
    let key = field.key;
    let offer = |action: Action, value: &str| html! { <ActionButton {action}>{ use_value(value) }</ActionButton> };
    let (message, offers): (_, Vec<Html>) = if let Some(message) = &field.error {
        (message, field.nearest.iter().map(|nearest| offer(Action::TakeNearest { key }, nearest)).collect())
    } else {
        let step = |&value: &u32| offer(Action::StepCount { key, value }, &format::count(f64::from(value)));
        (field.correction.as_ref()?, field.offers.iter().map(step).collect())
    };
    Some(html! { <><span>{ message }</span>{ for offers }</> })
}

/// Renders the button that restores the preset of a parameter. Always one node, so that the fields
/// around it remain the same elements.
pub(super) fn back(key: ParamId, label: &str, preset: Option<&AttrValue>) -> Html {
    let button = preset.map(|preset| {
        let name = AttrValue::from(format!("{label} back to {preset}"));
        html! {
            <ActionButton action={Action::ResetParam { key }} class="back" label={name.clone()} title={name}>{ drawn(Icon::Undo) }</ActionButton>
        }
    });
    button.unwrap_or_default()
}

/// Returns the label of the button that offers a valid value.
fn use_value(value: &str) -> String {
    format!("Use {value}")
}

/// Returns the accessible name of a typed field.
fn typed_name(label: &str) -> String {
    format!("{label}, typed")
}
