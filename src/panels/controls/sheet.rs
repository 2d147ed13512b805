//! The sheet of controls on phones, which opens from below, so that the answer comes first. Its
//! button is in a dock, where the style sheet keeps the five sliders at hand.

use yew::prelude::*;

use crate::browser;
use crate::components::icon::{Icon, drawn};
use crate::components::latest::use_flag;

/// Identifier of the controls.
pub const CONTROLS: &str = "controls";
/// Identifier of the button.
pub const BUTTON: &str = "change";
/// Label of the button while the sheet is closed.
const OPEN: &str = "Change";
/// Label of the button while the sheet is open.
const CLOSE: &str = "Done";

/// Leads to a control: opens its fold, and on phones the sheet.
pub fn lead_to(control: &str) {
    browser::go_to_control(None, control, BUTTON);
}

/// The button; hidden if there is room for the controls.
#[component]
pub fn Change() -> Html {
    let (open, set_open) = use_flag();
    browser::use_sheet(open, CONTROLS, BUTTON, &set_open.reform(|()| false));
    let toggle = set_open.reform(move |_: MouseEvent| !open);
    html! {
        <>
            if open {
                <div class="scrim" onclick={set_open.reform(|_: MouseEvent| false)} />
            }
            <div class="dock">
                <button type="button" id={BUTTON} class="button primary change" aria-expanded={open.to_string()} aria-controls={CONTROLS}
                    onclick={toggle}>
                    { drawn(if open { Icon::Check } else { Icon::List }) }<span>{ if open { CLOSE } else { OPEN } }</span>
                </button>
            </div>
        </>
    }
}
