//! What is folded away: made only while open.

use yew::prelude::*;

use crate::browser;

/// What to show.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The element's class.
    pub class: &'static str,
    /// What opens it.
    pub summary: Html,
    /// Makes what is inside.
    pub body: Callback<(), Html>,
}

/// A `details` that is empty while closed.
#[component]
pub fn Fold(props: &Props) -> Html {
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |event: Event| open.set(browser::is_open(&event)))
    };
    html! {
        <details class={props.class} ontoggle={toggle}>
            <summary>{ props.summary.clone() }</summary>
            if *open {
                { props.body.emit(()) }
            }
        </details>
    }
}
