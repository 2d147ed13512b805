//! Files and texts from outside: a file dropped anywhere on the page or chosen, text typed or
//! pasted.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use js_sys::Uint8Array;
use js_sys::futures::{JsFuture, spawn_local};
use wasm_bindgen::JsCast as _;
use web_sys::{Blob, DragEvent, Event, File, HtmlInputElement, HtmlTextAreaElement, InputEvent};
use yew::prelude::*;

use crate::text::import as words;
use engine::share::carried;
use files::config::text_of;

/// Larger files are not read: pictures of this page have a hundredth of this size.
const MOST_BYTES: f64 = 33_554_432.0;

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The text is being typed: more may come.
    Typed,
    /// The text was pasted, or its field was left.
    Given,
    /// A chosen file of this name.
    Chosen(String),
    /// A dropped file of this name.
    Dropped(String),
}

/// A text, or why there is none.
pub type Arrived = (Result<String, String>, Origin);

/// The text of the area that an event comes from, and whether it was pasted or dropped there rather
/// than typed.
pub fn area_text(event: &InputEvent) -> Arrived {
    let typed = event.input_type();
    let whole = typed == "insertFromPaste" || typed == "insertFromDrop";
    (Ok(settled_text(event)), if whole { Origin::Given } else { Origin::Typed })
}

/// The text of the area that an event comes from.
pub fn settled_text(event: &Event) -> String {
    event.target_dyn_into::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default()
}

/// Reads the file that was chosen; the same one may be chosen again.
pub fn chosen_file(event: &Event, take: &Callback<Arrived>) {
    let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
    if let Some(file) = input.files().and_then(|files| files.get(0)) {
        read(&file, Origin::Chosen(file.name()), take);
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
                        read(&file, Origin::Dropped(file.name()), &take);
                    }
                }
            })
        };
        // Only a drop has files in it.
        let listeners = [listen("dragover", take.clone()), listen("drop", take)];
        move || drop(listeners)
    });
}

/// Reads a file as text; of a picture of pixels, the link in it.
fn read(file: &File, origin: Origin, take: &Callback<Arrived>) {
    if file.size() > MOST_BYTES {
        take.emit((Err(words::TOO_LARGE.into()), origin));
        return;
    }
    let take = take.clone();
    bytes_of(file, move |bytes| {
        let text = match bytes {
            None => Err(words::UNREADABLE.into()),
            Some(bytes) if carried::is_png(&bytes) => carried::of_png(&bytes).ok_or_else(|| words::NO_LINK.into()),
            Some(bytes) => text_of(bytes).ok_or_else(|| words::NO_TEXT.into()),
        };
        take.emit((text, origin));
    });
}

/// The bytes of a file; `None` where the browser cannot read it.
pub(super) fn bytes_of(file: &Blob, then: impl FnOnce(Option<Vec<u8>>) + 'static) {
    let buffer = file.array_buffer();
    spawn_local(async move {
        let buffer = JsFuture::from(buffer).await.ok();
        then(buffer.map(|buffer| Uint8Array::new(&buffer).to_vec()));
    });
}
