//! Focus and keys: cards take the focus and return it, menus close when they lose it, and keys undo
//! and redo.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{EventTarget, FocusOptions, HtmlElement, HtmlInputElement, HtmlTextAreaElement, Node};
use yew::prelude::*;

use crate::state::Action;

/// Focuses an element by its identifier.
pub fn focus(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    // If there is no such element, the focus does not move.
    let _ = element.map(|element| element.focus());
}

/// Moves the focus to an element that is on the screen already, which need not be scrolled to,
/// unless the focus is in the element.
pub(super) fn focus_in_place(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    let has_focus = |element: &HtmlElement| {
        document().active_element().is_some_and(|active| active != **element && element.contains(Some(&active)))
    };
    let element = element.filter(|element| !has_focus(element));
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.map(|element| element.focus_with_options(&options));
}

/// Moves the focus to a card that opens; when a card closes, moves the focus back to the number
/// that the card was opened from.
#[hook]
pub fn use_card_focus(why: &'static str, root: &'static str) {
    let before = use_mut_ref(|| (why, root));
    use_effect_with((why, root), move |&now| {
        let before = before.replace(now);
        let closes = why.is_empty();
        // If the focus has moved on to another element, it stays there.
        let lost = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
        // In a frame, the focus stays in the surrounding page if it is there.
        let here = document().has_focus().unwrap_or(true);
        if now != before && (!closes || lost) && here {
            let id = if closes { ["ask-", before.1].concat() } else { "why".to_owned() };
            if let Some(element) =
                document().get_element_by_id(&id).and_then(|found| found.dyn_into::<HtmlElement>().ok())
            {
                let _ = element.focus();
            }
        }
    });
}

/// Handles keys: Escape closes the open card. Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y (Command on a Mac)
/// undo and redo, except in text fields, which have their own undo.
#[hook]
pub fn use_shortcuts(emit: &Callback<Action>) {
    let emit = emit.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&window(), "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            let action = match (event.ctrl_key() || event.meta_key(), event.shift_key(), event.key().as_str()) {
                (false, false, "Escape") => {
                    emit.emit(Action::OpenExplanation(""));
                    return;
                }
                (true, false, "z") => Action::Undo,
                (true, true, "Z" | "z") | (true, false, "y") => Action::Redo,
                _ => return,
            };
            let target = event.target();
            let field = target.as_ref().and_then(|target| target.dyn_ref::<HtmlInputElement>());
            let area = target.as_ref().and_then(|target| target.dyn_ref::<HtmlTextAreaElement>());
            if area.is_some() || field.is_some_and(|input| input.type_() == "text") {
                return;
            }
            event.prevent_default();
            emit.emit(action);
        });
        move || drop(listener)
    });
}

/// Whether the target of an event is inside one of these elements.
fn is_in(target: Option<EventTarget>, ids: [&str; 2]) -> bool {
    let Some(node) = target.and_then(|target| target.dyn_into::<Node>().ok()) else { return false };
    ids.into_iter().filter_map(|id| document().get_element_by_id(id)).any(|element| element.contains(Some(&node)))
}

/// Whether the focus moves to an element outside all of these elements.
pub fn leaves(event: &FocusEvent, ids: [&str; 2]) -> bool {
    event.related_target().is_some() && !is_in(event.related_target(), ids)
}

/// Calls `close` when the pointer is pressed outside these elements. The press also moves the
/// focus.
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
