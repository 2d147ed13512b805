//! The status line, which screen readers announce after a pause.

use yew::prelude::*;

use crate::browser;

/// Text of the status line.
#[derive(PartialEq, Properties)]
pub struct StatusProps {
    /// The present sentence.
    pub sentence: AttrValue,
}

/// Announces the sentence once it has been unchanged for 900 ms.
#[component]
pub fn Status(props: &StatusProps) -> Html {
    let said = browser::use_after_pause(&props.sentence);
    html! { <p class="hidden" role="status" aria-live="polite">{ said }</p> }
}
