//! What happens outside a menu closes it.

use gloo::events::EventListener;
use gloo::utils::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{EventTarget, Node};
use yew::prelude::*;

/// Whether what an event is about lies in one of these elements.
fn is_in(target: Option<EventTarget>, ids: [&str; 2]) -> bool {
    let Some(node) = target.and_then(|target| target.dyn_into::<Node>().ok()) else { return false };
    ids.into_iter().filter_map(|id| document().get_element_by_id(id)).any(|element| element.contains(Some(&node)))
}

/// Whether the focus goes to something that is in none of these elements.
pub fn leaves(event: &FocusEvent, ids: [&str; 2]) -> bool {
    event.related_target().is_some() && !is_in(event.related_target(), ids)
}

/// Closes when the pointer is pressed in none of these elements; the focus goes where it was pressed.
#[hook]
pub fn use_press_outside(ids: [&'static str; 2], close: &Callback<bool>) {
    let close = close.clone();
    use_effect_with((), move |()| {
        let listener = EventListener::new(&window(), "pointerdown", move |event| {
            if !is_in(event.target(), ids) {
                close.emit(false);
            }
        });
        move || drop(listener)
    });
}
