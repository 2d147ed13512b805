//! Events and elements: values that they hold, and properties that only the element itself can be
//! given.

use gloo::utils::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use super::observers::Size;

/// Message after a crash.
const FAILURE: &str =
    "Something went wrong inside the calculator, and it stopped. Nothing is lost: the link holds the scenario.";
/// Label of the link back after a crash.
const FAILURE_LINK: &str = "Reload the page with this scenario";

/// Returns the position of the slider that an event comes from.
pub fn slider_index(event: &InputEvent) -> u32 {
    event.target_dyn_into::<HtmlInputElement>().map_or(0, |input| input.value_as_number() as u32)
}

/// Returns the text of the field that an event comes from.
pub fn field_text(event: &InputEvent) -> String {
    event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default()
}

/// Selects the text of the field that an event comes from, so that typing replaces it.
pub fn select_text(event: &MouseEvent) {
    if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
        input.select();
    }
}

/// Keeps the element with this identifier in sight while the reader moves through a list; an empty
/// identifier keeps nothing.
#[hook]
pub fn use_kept_in_sight(id: &str) {
    use_effect_with(id.to_owned(), |id| {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        if let Some(element) = document().get_element_by_id(id) {
            element.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

/// Returns the index of the chosen option in the select that an event comes from.
pub fn selected_index(event: &Event) -> usize {
    let chosen = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
    usize::try_from(chosen).unwrap_or(0)
}

/// Captures the pointer, so that its events go to the pressed element wherever the pointer moves.
pub fn hold(event: &PointerEvent) {
    if let Some(element) = event.target_dyn_into::<web_sys::Element>() {
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}

/// Scrolls the element before the one that an event comes from by as much, such as the marks under
/// the text of a field.
pub fn scroll_along(event: &Event) {
    let field = event.target_dyn_into::<web_sys::Element>();
    let marks = field.as_ref().and_then(web_sys::Element::previous_element_sibling);
    if let (Some(field), Some(marks)) = (field, marks) {
        marks.set_scroll_top(field.scroll_top());
    }
}

/// Folds the `details` around the element that a key comes from, on Escape, and focuses its
/// summary.
pub fn fold_on_escape(event: &KeyboardEvent) {
    let fold =
        event.target_dyn_into::<web_sys::Element>().and_then(|element| element.closest("details").ok().flatten());
    let Some(fold) = fold.filter(|fold| event.key() == "Escape" && fold.has_attribute("open")) else { return };
    // The key does nothing else, such as closing the drawer.
    event.stop_propagation();
    let _ = fold.remove_attribute("open");
    let summary =
        fold.query_selector("summary").ok().flatten().and_then(|summary| summary.dyn_into::<HtmlElement>().ok());
    let _ = summary.map(|summary| summary.focus());
}

/// Whether the `details` that an event comes from is open.
pub fn is_open(event: &Event) -> bool {
    event.target_dyn_into::<web_sys::Element>().is_some_and(|details| details.has_attribute("open"))
}

/// Scrolls to the top of the page.
pub fn to_top() {
    window().scroll_to_with_x_and_y(0.0, 0.0);
}

/// Names the page in the browser's tab, history and bookmarks.
#[hook]
pub fn use_title(title: &str) {
    use_effect_with(title.to_owned(), |title| document().set_title(title));
}

/// Gap between the crosshair and its readout, in CSS pixels.
const GAP: f64 = 14.0;

/// Puts an element next to a place of a chart, on the side with more room, without a new layout of
/// the page.
#[hook]
pub fn use_beside(element: &NodeRef, at: (f64, f64), size: Size) {
    let element = element.clone();
    use_effect_with((at, size), move |&((x, y), size)| {
        let side = |at: f64, whole: f64| {
            if at > whole / 2.0 { format!("calc({:.0}px - 100%)", at - GAP) } else { format!("{:.0}px", at + GAP) }
        };
        let [across, down] = [side(x, size.width), side(y, size.height)];
        if let Some(element) = element.cast::<HtmlElement>() {
            let _ = element.style().set_property("transform", &format!("translate({across}, {down})"));
        }
    });
}

/// Keeps a select at the chosen option: once the reader has used the select, the options'
/// attributes no longer do that.
#[hook]
pub fn use_selected(select: &NodeRef, chosen: usize, options: usize) {
    let select = select.clone();
    use_effect_with((chosen, options), move |&(chosen, _)| {
        if let Some(select) = select.cast::<HtmlSelectElement>() {
            select.set_selected_index(i32::try_from(chosen).unwrap_or(-1));
        }
    });
}

/// Shows the cause of a crash, and the link that holds the scenario.
pub fn show_failure(cause: &str) {
    let Some(body) = document().body() else { return };
    let Ok(notice) = document().create_element("div") else { return };
    let _ = notice.set_attribute("role", "alert");
    notice.set_class_name("notice failure");
    let line = |tag: &str, text: &str| {
        if let Ok(line) = document().create_element(tag) {
            line.set_text_content(Some(text));
            if tag == "a" {
                let _ = line.set_attribute("href", &window().location().href().unwrap_or_default());
            }
            let _ = notice.append_child(&line);
        }
    };
    line("p", FAILURE);
    line("a", FAILURE_LINK);
    line("p", cause);
    let _ = body.insert_before(&notice, body.first_child().as_ref());
}
