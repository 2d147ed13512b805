//! On phones the controls are a sheet from below, so that the answer comes first: the button that
//! opens and closes it, in a dock where the style sheet leaves the five sliders at hand.

use yew::prelude::*;

use crate::browser;
use crate::components::icon::{Icon, drawn};

/// The identifier of the controls.
pub const CONTROLS: &str = "controls";
/// The button's identifier.
pub const BUTTON: &str = "change";
/// On the button.
const OPEN: &str = "Change";
/// On the button while the sheet is open.
const CLOSE: &str = "Done";

/// Brings the reader to a control: opens its fold, and on phones the sheet.
pub fn lead_to(control: &str) {
    browser::go_to_control(None, control, BUTTON);
}

/// The button; where there is room for the controls it is not shown.
#[component]
pub fn Change() -> Html {
    let open = use_state_eq(|| false);
    let close = {
        let setter = open.setter();
        use_callback((), move |(), ()| setter.set(false))
    };
    browser::use_sheet(*open, CONTROLS, BUTTON, &close);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <>
            if *open {
                <div class="scrim" onclick={close.reform(|_: MouseEvent| ())} />
            }
            <div class="dock">
                <button type="button" id={BUTTON} class="button primary change" aria-expanded={open.to_string()} aria-controls={CONTROLS}
                    onclick={toggle}>
                    { drawn(if *open { Icon::Check } else { Icon::List }) }<span>{ if *open { CLOSE } else { OPEN } }</span>
                </button>
            </div>
        </>
    }
}
