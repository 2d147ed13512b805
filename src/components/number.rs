//! A slider with a typed field; both have equal bounds.

use yew::prelude::*;

use super::help::use_help;
use super::icon::{Icon, drawn};
use crate::browser;
use crate::fields::NumberField;
use crate::state::Action;
use engine::format;
use engine::params::ParamId;

/// Values to show, and the callback for actions.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The values.
    pub field: NumberField,
    /// Applies actions.
    pub emit: Callback<Action>,
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
pub fn NumberControl(props: &Props) -> Html {
    let NumberField { key, label, help, index, last, .. } = props.field;
    let field = &props.field;
    let (ask, words) = use_help(key.key(), label, help);
    let slide = props.emit.reform(move |event: InputEvent| Action::Slide { key, index: browser::slider_index(&event) });
    let typed = props.emit.reform(move |event: InputEvent| Action::Type { key, text: browser::field_text(&event) });
    let settle = props.emit.reform(|_: Event| Action::Settle);
    let settled = props.emit.reform(|_: KeyboardEvent| Action::Settle);
    let entered = {
        let emit = props.emit.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => emit.emit(Action::Settle),
            "Escape" => emit.emit(Action::GiveUp { key }),
            _ => {}
        })
    };
    // The positions of such a slider are doublings, but twice as many layers are rarely wanted:
    // arrow keys set the next value.
    let nudged = {
        let emit = props.emit.clone();
        Callback::from(move |event: KeyboardEvent| {
            let up = match event.key().as_str() {
                "ArrowUp" | "ArrowRight" => true,
                "ArrowDown" | "ArrowLeft" => false,
                _ => return,
            };
            event.prevent_default();
            emit.emit(Action::Nudge { key, up });
        })
    };
    let nudged = field.is_nudged.then_some(nudged);
    let error = field.error.as_ref().map(|message| {
        let offer = field.nearest.as_ref().map(|nearest| {
            let take = props.emit.reform(move |_: MouseEvent| Action::Nearest { key });
            html! { <button type="button" class="small-button" onclick={take}>{ use_value(nearest) }</button> }
        });
        html! { <><span>{ message }</span>{ offer.unwrap_or_default() }</> }
    });
    // An error in the typed text comes first: the value in use is another one in any case.
    let error =
        error.or_else(|| field.correction.as_ref().map(|message| corrected(message, key, &field.offers, &props.emit)));
    let back = field.preset.as_ref().map(|preset| {
        let name = back_to(label, preset);
        let back = props.emit.reform(move |_: MouseEvent| Action::Back { key });
        html! { <button type="button" class="back" aria-label={name.clone()} title={name} onclick={back}>{ drawn(Icon::Undo) }</button> }
    });
    // Always one node, so that the fields around it remain the same elements.
    let back = back.unwrap_or_default();
    let ids = (typed_id(key), format!("{}-error", key.key()));
    html! {
        <div class={classes!("control", field.preset.is_some().then_some("changed"), (!field.applies).then_some("inert"))}>
            <div class="control-line">
                <label for={key.key()} title={help}>{ label }</label>
                if props.explained { { ask } }
                { back }
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

/// Renders the reason why the page computes with another value, and buttons for the valid values
/// next to the typed one.
fn corrected(message: &AttrValue, key: ParamId, offers: &[u32], emit: &Callback<Action>) -> Html {
    let offer = |&value: &u32| {
        let take = emit.reform(move |_: MouseEvent| Action::Step { key, value });
        html! {
            <button type="button" class="small-button" onclick={take}>{ use_value(&format::count(f64::from(value))) }</button>
        }
    };
    html! { <><span>{ message }</span>{ for offers.iter().map(offer) }</> }
}

/// Returns the label of the button that offers a valid value.
fn use_value(value: &str) -> String {
    format!("Use {value}")
}

/// Returns the label of the button that restores the preset of a parameter.
pub(super) fn back_to(label: &str, preset: &str) -> String {
    format!("{label} back to {preset}")
}

/// Returns the accessible name of a typed field.
fn typed_name(label: &str) -> String {
    format!("{label}, typed")
}
