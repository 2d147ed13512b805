//! The one line that screen readers are told of, after a pause.

use yew::prelude::*;

use crate::browser;

/// What to say.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The sentence, as of now.
    pub sentence: AttrValue,
}

/// Says the sentence once it has stood still for a while.
#[component]
pub fn Status(props: &Props) -> Html {
    let said = browser::use_after_pause(&props.sentence);
    html! { <p class="hidden" role="status" aria-live="polite">{ said }</p> }
}
