//! Focus and keys: cards take the focus and give it back, menus close when it leaves them, keys
//! undo and redo.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::{document, window};
use wasm_bindgen::JsCast as _;
use web_sys::{EventTarget, HtmlElement, HtmlInputElement, HtmlTextAreaElement, Node};
use yew::prelude::*;

use crate::state::Action;

/// Gives an element the focus, by its identifier.
pub fn focus(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    // An element that is not there leaves the focus where it is.
    let _ = element.map(|element| element.focus());
}

/// Gives an element the focus, by its identifier, after it has opened the folds around it.
pub fn unfold(id: &str) {
    let element = document().get_element_by_id(id);
    let mut fold = element.as_ref().and_then(|element| element.closest("details").ok().flatten());
    while let Some(details) = fold {
        // What goes wrong leaves it closed.
        let _ = details.set_attribute("open", "");
        fold = details.parent_element().and_then(|parent| parent.closest("details").ok().flatten());
    }
    focus(id);
}

/// Moves the focus to a card that opens, and from one that closes back to the number that it was
/// opened from.
#[hook]
pub fn use_card_focus(why: &'static str, root: &'static str) {
    let before = use_mut_ref(|| (why, root));
    use_effect_with((why, root), move |&now| {
        let before = before.replace(now);
        let closes = why.is_empty();
        // If the focus has moved on to something else, it stays there.
        let lost = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
        // In a frame, the focus stays in the page around it if it is there.
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

/// Escape closes the card that is open. Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y (Command on a Mac), except
/// in text fields, which have their own undo.
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

/// Whether what an event is about lies in one of these elements.
fn is_in(target: Option<EventTarget>, ids: [&str; 2]) -> bool {
    let Some(node) = target.and_then(|target| target.dyn_into::<Node>().ok()) else { return false };
    ids.into_iter().filter_map(|id| document().get_element_by_id(id)).any(|element| element.contains(Some(&node)))
}

/// Whether the focus goes to something that is in none of these elements.
pub fn leaves(event: &FocusEvent, ids: [&str; 2]) -> bool {
    event.related_target().is_some() && !is_in(event.related_target(), ids)
}

/// Calls `close` when the pointer is pressed outside these elements; the focus goes where it was
/// pressed.
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
