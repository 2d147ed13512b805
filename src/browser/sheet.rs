//! The sheet of controls on phones. While the sheet is open, the focus stays in it.

use gloo::events::EventListener;
use gloo::utils::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::focus;

/// Attribute of the root element while the sheet is open, for the style sheet.
const OPEN: &str = "data-sheet";
/// Selector of the elements around the controls.
const AROUND: &str = ".masthead, .under, .page > :not(.columns), .columns > :not(.controls), .colophon";

/// Opens the sheet with an identifier, by its button, and focuses the sheet; the elements around it
/// are inert. When the sheet closes, the focus goes back to its button. Escape closes the sheet,
/// and so does a window with room for the controls.
#[hook]
pub fn use_sheet(open: bool, sheet: &'static str, button: &'static str, close: &Callback<()>) {
    let close = close.clone();
    use_effect_with(open, move |&open| {
        let kept = open.then(|| {
            around(true);
            focus(sheet);
            let escape = {
                let close = close.clone();
                EventListener::new(&window(), "keydown", move |event| {
                    if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                        close.emit(());
                    }
                })
            };
            let wide = EventListener::new(&window(), "resize", move |_| {
                if !is_sheet(button) {
                    close.emit(());
                }
            });
            (escape, wide)
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

/// Whether the controls are a sheet: only then is its button shown.
fn is_sheet(button: &str) -> bool {
    document().get_element_by_id(button).is_some_and(|button| button.client_width() > 0)
}

/// Opens the sheet if the controls are a sheet and it is closed; returns whether it was opened.
pub(super) fn open_sheet(button: &str) -> bool {
    let is_closed = |button: &Element| button.get_attribute("aria-expanded").as_deref() == Some("false");
    let found = document().get_element_by_id(button).filter(|found| is_sheet(button) && is_closed(found));
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
    if let Some(root) = document().document_element() {
        set(&root, OPEN);
    }
    let Ok(list) = document().query_selector_all(AROUND) else { return };
    for place in 0..list.length() {
        if let Some(element) = list.item(place).and_then(|node| node.dyn_into::<Element>().ok()) {
            set(&element, "inert");
        }
    }
}
