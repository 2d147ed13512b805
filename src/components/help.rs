//! Help on demand: a `?` button next to the name of a control, and the help text under the control
//! while it is open.

use yew::prelude::*;

use super::latest::use_flag;

/// Returns the button and the text of the help for the control with this identifier and name. The
/// text is also the button's tooltip.
#[hook]
pub fn use_help(id: &'static str, label: &str, help: &str) -> (Html, Html) {
    let (open, set_open) = use_flag();
    let toggle = set_open.reform(move |_: MouseEvent| !open);
    let at = [id, "-help"].concat();
    let button = html! {
        <button type="button" class="help" aria-label={what_is(label)} title={help.to_owned()} aria-expanded={open.to_string()}
            aria-controls={open.then(|| at.clone())} onclick={toggle}>{ "?" }</button>
    };
    let words = open.then(|| html! { <p class="control-help" id={at}>{ help.to_owned() }</p> });
    (button, words.unwrap_or_default())
}

/// Returns the accessible name of a control's help.
fn what_is(label: &str) -> String {
    format!("What is {label}?")
}
