//! The drawer of controls. Where it is a sheet over the figures, as on phones, the focus stays in
//! it.

use gloo::events::EventListener;
use gloo::utils::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::focus::{focus, focus_in_place};

/// Selector of the elements around the controls.
const AROUND: &str =
    ".masthead, .under, .page > :not(.desk, .verdict), #pin, .scenario, .evidence, .desk > :not(.controls), .colophon";
/// Width of the window in CSS pixels up to which the drawer is a sheet, as in the style sheet.
const SHEET_WIDTH: f64 = 860.0;

/// Opens the drawer with an identifier by its button, and focuses it; the elements around a sheet
/// are inert. When the drawer closes, the focus goes back to its button. Escape closes the drawer;
/// a window that grows around an open sheet makes it a drawer.
#[hook]
pub fn use_sheet(open: bool, sheet: &'static str, button: &'static str, close: &Callback<()>) {
    let close = close.clone();
    use_effect_with(open, move |&open| {
        let kept = open.then(|| {
            around(is_sheet());
            focus_in_place(sheet);
            let escape = {
                let close = close.clone();
                EventListener::new(&window(), "keydown", move |event| {
                    if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                        close.emit(());
                    }
                })
            };
            (escape, EventListener::new(&window(), "resize", move |_| around(is_sheet())))
        });
        move || {
            if kept.is_some() {
                around(false);
                focus(button);
            }
            drop(kept);
        }
    });
}

/// Whether the drawer is a sheet over the figures.
fn is_sheet() -> bool {
    window().inner_width().ok().and_then(|width| width.as_f64()).is_some_and(|width| width <= SHEET_WIDTH)
}

/// Opens the drawer if it is closed; returns whether it was opened.
pub(super) fn open_sheet(button: &str) -> bool {
    let is_closed = |button: &Element| button.get_attribute("aria-expanded").as_deref() == Some("false");
    let found = document().get_element_by_id(button).filter(is_closed);
    let found = found.and_then(|found| found.dyn_into::<HtmlElement>().ok());
    if let Some(found) = &found {
        found.click();
    }
    found.is_some()
}

/// Makes the elements around the sheet inert, or restores them.
fn around(out_of_reach: bool) {
    let set = |element: &Element, name: &str| {
        // Neither call can fail for such names.
        let _ = if out_of_reach { element.set_attribute(name, "") } else { element.remove_attribute(name) };
    };
    let Ok(list) = document().query_selector_all(AROUND) else { return };
    for place in 0..list.length() {
        if let Some(element) = list.item(place).and_then(|node| node.dyn_into::<Element>().ok()) {
            set(&element, "inert");
        }
    }
}
