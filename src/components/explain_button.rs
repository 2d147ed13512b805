//! The button on a number that opens its explanation.

use yew::prelude::*;

use crate::state::Action;

/// Label of the button.
const WHY: &str = "why?";

/// Renders the button, which covers its whole element; `open` is the key of the open explanation.
pub fn explain_button(key: &'static str, what: &str, open: &str, emit: &Callback<Action>) -> Html {
    let click = emit.reform(move |_: MouseEvent| Action::OpenExplanation(key));
    html! {
        <button type="button" class="ask" id={format!("ask-{key}")} aria-label={why(what)} aria-controls="why"
            aria-expanded={if key == open { "true" } else { "false" }} onclick={click}>{ WHY }</button>
    }
}

/// Returns the accessible name of a number's button.
fn why(what: &str) -> String {
    format!("Why? {what}")
}
