//! The button on a number that opens its explanation.

use yew::prelude::*;

use crate::context::use_page;
use crate::state::Action;

/// Label of the button.
const WHY: &str = "why?";

/// The explanation and the number.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Key of the explanation.
    pub card: &'static str,
    /// Name of the number.
    pub what: AttrValue,
}

/// The button, which covers its whole element.
#[component]
pub fn ExplainButton(Props { card, what }: &Props) -> Html {
    let (page, card) = (use_page(), *card);
    let click = page.emit.reform(move |_: MouseEvent| Action::OpenExplanation(card));
    html! {
        <button type="button" class="ask" id={format!("ask-{card}")} aria-label={why(what)} aria-controls="why"
            aria-expanded={(card == page.view.why).to_string()} onclick={click}>{ WHY }</button>
    }
}

/// Returns the accessible name of a number's button.
fn why(what: &str) -> String {
    format!("Why? {what}")
}
