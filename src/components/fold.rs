//! A fold whose content is made only while it is open.

use yew::prelude::*;

use crate::browser;

/// Content of the fold.
#[derive(PartialEq, Properties)]
pub struct FoldProps {
    /// CSS class of the element.
    pub class: &'static str,
    /// The line that opens the fold.
    pub summary: Html,
    /// Renders the content.
    pub body: Callback<(), Html>,
}

/// A `details` that is empty while closed.
#[component]
pub fn Fold(props: &FoldProps) -> Html {
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
