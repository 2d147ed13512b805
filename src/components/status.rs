//! The status line, which screen readers announce after a pause.

use yew::prelude::*;

use crate::browser;

/// The status line's text.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The sentence, as of now.
    pub sentence: AttrValue,
}

/// Announces the sentence once it has stood still for a while.
#[component]
pub fn Status(props: &Props) -> Html {
    let said = browser::use_after_pause(&props.sentence);
    html! { <p class="hidden" role="status" aria-live="polite">{ said }</p> }
}
