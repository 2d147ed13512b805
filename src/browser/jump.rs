//! Navigation: shows and focuses parts of the page, opens and closes dialogs.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use gloo::utils::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlDialogElement, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use super::sheet::open_sheet;

/// Number of attempts to find an element that is made later, and milliseconds between two attempts.
const LOOKS: u32 = 200;
const LOOK_EVERY_MS: u32 = 50;

/// Shows and focuses the part of the page with this identifier: a control, a figure, or its
/// heading. Folds around it are opened; an element that is made later is waited for.
pub fn go_to(id: &str) {
    once_made(id.to_owned(), LOOKS, focus_on);
}

/// Shows and focuses a control as [`go_to`] does. For a control that is not on the first screen,
/// the drawer is opened by its button `sheet`; the control's fold may have to be opened before it
/// is made.
pub fn go_to_control(fold: Option<&str>, id: &str, sheet: &str) {
    let id = id.to_owned();
    if document().get_element_by_id(&id).is_some() {
        return go_to(&id);
    }
    let opens = open_sheet(sheet);
    if let Some(fold) = fold {
        once_made(fold.to_owned(), LOOKS, |fold| {
            let _ = fold.set_attribute("open", "");
        });
    }
    if opens {
        // The sheet is focused first.
        Timeout::new(LOOK_EVERY_MS, move || once_made(id, LOOKS, focus_on)).forget();
    } else {
        once_made(id, LOOKS, focus_on);
    }
}

/// Calls `act` with the element with this identifier, at once or when the element is made.
fn once_made(id: String, looks: u32, act: fn(Element)) {
    match document().get_element_by_id(&id) {
        Some(element) => act(element),
        None if looks > 0 => {
            Timeout::new(LOOK_EVERY_MS, move || once_made(id, looks - 1, act)).forget();
        }
        None => {}
    }
}

/// Shows an element and focuses it, or its heading.
fn focus_on(element: Element) {
    unfold(&element);
    show(&element);
    let heading = || whole(&element).query_selector("h2").ok().flatten();
    let focused = if is_stop(&element) { Some(element) } else { heading() };
    if let Some(focused) = focused.and_then(|focused| focused.dyn_into::<HtmlElement>().ok()) {
        if !is_stop(&focused) {
            focused.set_tab_index(-1);
        }
        let _ = focused.focus();
    }
}

/// Returns the figure around an element, or the element itself.
fn whole(element: &Element) -> Element {
    element.closest(".figure").ok().flatten().unwrap_or_else(|| element.clone())
}

/// Scrolls a figure to the top, and anything else to the middle.
fn show(element: &Element) {
    let place = whole(element);
    let options = ScrollIntoViewOptions::new();
    let is_figure = place != *element || place.class_list().contains("figure");
    options.set_block(if is_figure { ScrollLogicalPosition::Start } else { ScrollLogicalPosition::Center });
    place.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Whether Tab stops at an element by itself.
fn is_stop(element: &Element) -> bool {
    matches!(element.tag_name().as_str(), "INPUT" | "SELECT" | "BUTTON") || element.get_attribute("tabindex").is_some()
}

/// Opens the folds around an element, and a fold that the element consists of.
fn unfold(element: &Element) {
    let mut around = element.closest("details").ok().flatten();
    if let Some(own) = element.query_selector(":scope > details").ok().flatten() {
        around = Some(own);
    }
    while let Some(fold) = around {
        let _ = fold.set_attribute("open", "");
        around = fold.parent_element().and_then(|parent| parent.closest("details").ok().flatten());
    }
}

/// Calls back on Ctrl+K (Command+K on a Mac).
#[hook]
pub fn use_find_key(found: &Callback<()>) {
    let found = found.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&window(), "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            if (event.ctrl_key() || event.meta_key()) && !event.shift_key() && event.key().eq_ignore_ascii_case("k") {
                event.prevent_default();
                found.emit(());
            }
        });
        move || drop(listener)
    });
}

/// Opens a dialog over the page once the dialog is made; the focus stays in it.
#[hook]
pub fn use_modal(dialog: &NodeRef) {
    let dialog = dialog.clone();
    use_effect_with((), move |()| {
        if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
            // The browser refuses to open a dialog that is open already.
            let _ = dialog.show_modal();
        }
    });
}

/// Closes a dialog; the focus returns to the element that had it before.
pub fn close_dialog(dialog: &NodeRef) {
    if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
        dialog.close();
    }
}

/// Whether an event hits a dialog itself rather than its content: the area around the content is
/// the page behind the dialog.
pub fn is_dialog(event: &MouseEvent) -> bool {
    event.target_dyn_into::<HtmlDialogElement>().is_some()
}
