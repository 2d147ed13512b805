//! A button that applies one action.

use yew::prelude::*;

use crate::context::use_page;
use crate::state::Action;

/// The action, and the attributes of the button.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The action.
    pub action: Action,
    /// Class of the element.
    #[prop_or("small-button")]
    pub class: &'static str,
    /// Accessible name, if it is not the content.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    /// Tooltip.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// Whether the action is impossible now.
    #[prop_or_default]
    pub disabled: bool,
    /// Content.
    #[prop_or_default]
    pub children: Html,
}

/// A button that applies one action.
#[component]
pub fn ActionButton(props: &Props) -> Html {
    let action = props.action.clone();
    let click = use_page().emit.reform(move |_: MouseEvent| action.clone());
    html! {
        <button type="button" class={props.class} aria-label={props.label.clone()} title={props.title.clone()} disabled={props.disabled}
            onclick={click}>{ props.children.clone() }</button>
    }
}
