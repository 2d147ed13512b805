//! Configs from outside: a file dropped anywhere on the page or chosen, text typed or pasted, JSON by the browser's own parser.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use js_sys::{Array, JSON, Object, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DragEvent, Event, File, HtmlInputElement, HtmlTextAreaElement, InputEvent};
use yew::prelude::*;

use crate::import::{Imported, Json, MOST_CHARACTERS, TOO_LONG, check_length, import, not_json};
use crate::ui::text::import as words;

/// A text, or why there is none; and whether it is all there will be.
type Arrived = (Result<String, String>, bool);

/// The model of a config.
///
/// # Errors
///
/// A sentence: what the text is instead of JSON, or what the config lacks.
pub fn read_config(text: &str) -> Result<Imported, String> {
    check_length(text)?;
    let parsed = JSON::parse(text).map_err(|error| {
        let cause = Reflect::get(&error, &"message".into()).ok().and_then(|message| message.as_string());
        not_json(&cause.unwrap_or_default())
    })?;
    import(&value(&parsed, 0))
}

/// A value of the browser's as one of ours.
fn value(from: &JsValue, depth: u32) -> Json {
    if Json::is_too_deep(depth) {
        return Json::Text(String::new());
    }
    if let Some(number) = from.as_f64() {
        Json::Number(number)
    } else if let Some(text) = from.as_string() {
        Json::Text(text)
    } else if let Some(flag) = from.as_bool() {
        Json::Bool(flag)
    } else if let Some(list) = from.dyn_ref::<Array>() {
        Json::List(list.iter().map(|entry| value(&entry, depth + 1)).collect())
    } else if let Some(object) = from.dyn_ref::<Object>() {
        let entry = |pair: JsValue| {
            let pair: Array = pair.unchecked_into();
            (pair.get(0).as_string().unwrap_or_default(), value(&pair.get(1), depth + 1))
        };
        Json::Object(Object::entries(object).iter().map(entry).collect())
    } else {
        Json::Null
    }
}

/// The text of the area that an event comes from, and whether it was pasted or dropped there rather than typed.
pub fn area_text(event: &InputEvent) -> (String, bool) {
    let typed = event.input_type();
    (settled_text(event), typed == "insertFromPaste" || typed == "insertFromDrop")
}

/// The text of the area that an event comes from.
pub fn settled_text(event: &Event) -> String {
    event.target_dyn_into::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default()
}

/// Reads the file that was chosen; the same one may be chosen again.
pub fn chosen_file(event: &Event, take: &Callback<Arrived>) {
    let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
    if let Some(file) = input.files().and_then(|files| files.get(0)) {
        read(&file, take);
    }
    input.set_value("");
}

/// Reads a file that is dropped anywhere on the page; the browser would leave the page for it.
#[hook]
pub fn use_drop(take: &Callback<Arrived>) {
    let take = take.clone();
    use_effect_with((), move |()| {
        let listen = |name: &'static str, take: Callback<Arrived>| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window(), name, options, move |event| {
                let transfer = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
                // Text that is dragged into a field is the field's own affair.
                if let Some(transfer) = transfer.filter(|transfer| transfer.types().includes(&"Files".into(), 0)) {
                    event.prevent_default();
                    if let Some(file) = transfer.files().and_then(|files| files.get(0)) {
                        read(&file, &take);
                    }
                }
            })
        };
        // Only a drop has files in it.
        let listeners = [listen("dragover", take.clone()), listen("drop", take)];
        move || drop(listeners)
    });
}

/// Reads a file as text.
fn read(file: &File, take: &Callback<Arrived>) {
    if file.size() > MOST_CHARACTERS as f64 {
        take.emit((Err(TOO_LONG.into()), true));
        return;
    }
    let answer = |read: fn(JsValue) -> Result<String, String>| {
        let take = take.clone();
        Closure::once(move |result: JsValue| take.emit((read(result), true)))
    };
    let (done, refused) = (
        answer(|text| text.as_string().ok_or_else(|| words::UNREADABLE.into())),
        answer(|_| Err(words::UNREADABLE.into())),
    );
    let _ = file.text().then2(&done, &refused);
    // One of the two runs, once; both must outlive this call.
    done.forget();
    refused.forget();
}
