//! The button on a number that opens its card.

use yew::prelude::*;

use crate::state::Action;
use crate::text;

/// Over all of what it stands in; `open` is the card that is open.
pub fn ask(key: &'static str, what: &str, open: &str, emit: &Callback<Action>) -> Html {
    let click = emit.reform(move |_: MouseEvent| Action::Ask(key));
    html! {
        <button type="button" class="ask" id={format!("ask-{key}")} aria-label={text::why(what)} aria-controls="why"
            aria-expanded={if key == open { "true" } else { "false" }} onclick={click}>{ text::WHY }</button>
    }
}
