//! A parameter with named options.

use yew::prelude::*;

use super::help::use_help;
use super::number::back;
use crate::browser;
use crate::context::use_page;
use crate::fields::ChoiceField;
use crate::state::Action;

/// Values to show.
#[derive(PartialEq, Properties)]
pub struct ChoiceControlProps {
    /// The values.
    pub field: ChoiceField,
    /// Whether the help can be opened next to the name, rather than only in the tooltip.
    #[prop_or_default]
    pub explained: bool,
    /// Note on options that give the same result, if there are any.
    #[prop_or_default]
    pub same: Option<AttrValue>,
}

/// A native select with its label.
#[component]
pub fn ChoiceControl(props: &ChoiceControlProps) -> Html {
    let ChoiceField { key, label, help, options, chosen, .. } = props.field;
    let select = use_node_ref();
    let of_option = options.get(chosen).map_or("", |option| option.help);
    let (ask, words) = use_help(key.key(), label, [help, " ", of_option].concat().trim_end());
    browser::use_selected(&select, chosen, options.len());
    let choose =
        use_page().emit.reform(move |event: Event| Action::Choose { key, index: browser::selected_index(&event) });
    let changed = props.field.preset.is_some().then_some("changed");
    let inert = (!props.field.applies).then_some("inert");
    html! {
        <div class={classes!("control", changed, inert)}>
            <div class="control-line">
                <label for={key.key()} title={help}>{ label }</label>
                if props.explained { { ask } }
                { back(key, label, props.field.preset.as_ref()) }
                <select ref={select} id={key.key()} onchange={choose} title={options.get(chosen).map(|option| option.help)}>
                    { for options.iter().enumerate().map(|(place, option)| html! {
                        <option key={option.key} value={option.key} selected={place == chosen}>{ option.label }</option>
                    }) }
                </select>
            </div>
            if let Some(correction) = &props.field.correction {
                <p class="error">{ correction }</p>
            }
            { words }
            if let Some(same) = &props.same {
                <p class="control-same">{ same }</p>
            }
        </div>
    }
}
