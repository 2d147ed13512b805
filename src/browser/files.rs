//! Files and texts from outside: files dropped anywhere on the page or chosen, text typed or
//! pasted.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::window;
use js_sys::Uint8Array;
use js_sys::futures::{JsFuture, spawn_local};
use wasm_bindgen::JsCast as _;
use web_sys::{Blob, DragEvent, Event, File, FileList, HtmlInputElement, HtmlTextAreaElement, InputEvent};
use yew::prelude::*;

use engine::params::quantity::shorten;
use files::brought::Item;

/// Message for a file that is too large.
const TOO_LARGE: &str =
    "This is larger than 64 MiB, the most that is read. Drop less, or record fewer events of a memory snapshot.";

/// Size limit in bytes. Pictures of this page have a hundredth of this size, memory snapshots up to
/// all of it.
const MOST_BYTES: f64 = 67_108_864.0;

/// Origin of a text or of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The text is being typed: more text may follow.
    Typed,
    /// The text was pasted, or its field was left.
    Given,
    /// Files were chosen.
    Chosen,
    /// Files were dropped.
    Dropped,
}

/// A text or files, or the reason why there are none; and their origin.
pub type Arrived = (Result<Vec<Item>, String>, Origin);

/// Wraps a text that has no file.
pub fn pasted(text: String) -> Vec<Item> {
    vec![Item { name: None, bytes: text.into_bytes() }]
}

/// Returns the text of the area that an event comes from, and whether the text was pasted or
/// dropped there rather than typed.
pub fn area_text(event: &InputEvent) -> Arrived {
    let typed = event.input_type();
    let whole = typed == "insertFromPaste" || typed == "insertFromDrop";
    (Ok(pasted(settled_text(event))), if whole { Origin::Given } else { Origin::Typed })
}

/// Returns the text of the area that an event comes from.
pub fn settled_text(event: &Event) -> String {
    event.target_dyn_into::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default()
}

/// Sets the text of the area with this identifier, and focuses it.
pub fn set_area_text(id: &str, text: &str) {
    let element = web_sys::window().and_then(|window| window.document()).and_then(|page| page.get_element_by_id(id));
    if let Some(area) = element.and_then(|element| element.dyn_into::<HtmlTextAreaElement>().ok()) {
        area.set_value(text);
        let _ = area.focus();
    }
}

/// Reads the chosen files; clears the input, so that the same files can be chosen again.
pub fn chosen_files(event: &Event, take: &Callback<Arrived>) {
    let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
    if let Some(files) = input.files() {
        read_files(&files, Origin::Chosen, take);
    }
    input.set_value("");
}

/// Reads files that are dropped anywhere on the page; by default the browser would leave the page
/// for them.
#[hook]
pub fn use_drop(take: &Callback<Arrived>) {
    let take = take.clone();
    use_effect_with((), move |()| {
        let listen = |name: &'static str, take: Callback<Arrived>| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window(), name, options, move |event| {
                let transfer = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
                // Text that is dragged into a field is handled by the field.
                if let Some(transfer) = transfer.filter(|transfer| transfer.types().includes(&"Files".into(), 0)) {
                    event.prevent_default();
                    if let Some(files) = transfer.files() {
                        read_files(&files, Origin::Dropped, &take);
                    }
                }
            })
        };
        // Only a drop has files in it; a dragover has none.
        let listeners = [listen("dragover", take.clone()), listen("drop", take)];
        move || drop(listeners)
    });
}

/// Reads whole files.
fn read_files(list: &FileList, origin: Origin, take: &Callback<Arrived>) {
    let files: Vec<File> = (0..list.length()).filter_map(|place| list.get(place)).collect();
    if files.is_empty() {
        return;
    }
    if files.iter().map(|file| file.size()).sum::<f64>() > MOST_BYTES {
        take.emit((Err(TOO_LARGE.into()), origin));
        return;
    }
    let take = take.clone();
    spawn_local(async move {
        let mut items = Vec::with_capacity(files.len());
        for file in files {
            let Some(bytes) = whole(&file).await else {
                take.emit((Err(unreadable(&file.name())), origin));
                return;
            };
            items.push(Item { name: Some(file.name()), bytes });
        }
        take.emit((Ok(items), origin));
    });
}

/// Returns the bytes of a file; `None` if the browser cannot read it.
async fn whole(file: &Blob) -> Option<Vec<u8>> {
    let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// Passes on the bytes of a file; `None` if the browser cannot read it.
pub(super) fn bytes_of(file: &Blob, then: impl FnOnce(Option<Vec<u8>>) + 'static) {
    let file = file.clone();
    spawn_local(async move { then(whole(&file).await) });
}

/// Returns the message for a file that cannot be read.
fn unreadable(file: &str) -> String {
    format!("The browser could not read “{}”: try to paste its text.", shorten(file))
}
