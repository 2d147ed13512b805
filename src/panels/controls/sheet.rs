//! The drawer of controls, so that the answer comes first: beside the figures where there is room,
//! else a sheet from below.

use yew::prelude::*;

use crate::browser;
use crate::components::icon::{Icon, drawn};

/// Identifier of the controls.
pub const CONTROLS: &str = "controls";
/// Identifier of the button.
pub const BUTTON: &str = "change";
/// Label of the button while the drawer is closed.
const OPEN: &str = "All settings";
/// Label of the button while the drawer is open.
const CLOSE: &str = "Done";

/// Leads to a control: opens the drawer and the control's subject.
pub fn lead_to(control: &str) {
    browser::go_to_control(None, control, BUTTON);
}

/// Whether the drawer is open.
#[derive(PartialEq, Properties)]
pub struct ChangeProps {
    /// Whether it is.
    pub open: bool,
    /// Opens or closes it.
    pub set_open: Callback<bool>,
}

/// The button of the drawer.
#[component]
pub fn Change(&ChangeProps { open, ref set_open }: &ChangeProps) -> Html {
    browser::use_sheet(open, CONTROLS, BUTTON, &set_open.reform(|()| false));
    html! {
        <>
            if open {
                <div class="scrim" onclick={set_open.reform(|_: MouseEvent| false)} />
            }
            <button type="button" id={BUTTON} class="small-button change" aria-expanded={open.to_string()} aria-controls={CONTROLS}
                onclick={set_open.reform(move |_: MouseEvent| !open)}>
                { drawn(if open { Icon::Check } else { Icon::Sliders }) }<span>{ if open { CLOSE } else { OPEN } }</span>
            </button>
        </>
    }
}
