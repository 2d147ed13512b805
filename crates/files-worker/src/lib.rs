//! [`files`] for the page, in a worker (`static/files.js`): the page fetches it when a file comes or
//! settings are opened, and asks it by `src/browser/files_worker.rs`.
//!
//! Functions take texts and answer with JSON. A scenario is the text of a link.

use engine::share;
use files::brought::Item;
use files::settings::Framework;
use js_sys::Uint8Array;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// Half the size of the standard library's allocator, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Reads texts and files, for a scenario: `{"Ok": …}` with a [`files::brought::Brought`], or `{"Err": …}` with a sentence. An
/// empty name is that of a pasted text.
#[wasm_bindgen]
pub fn bring(link: &str, names: Vec<String>, contents: Vec<Uint8Array>) -> String {
    let named = names.into_iter().map(|name| Some(name).filter(|name| !name.is_empty()));
    let items: Vec<Item> = named.zip(contents).map(|(name, bytes)| Item { name, bytes: bytes.to_vec() }).collect();
    json(&files::brought::bring(&items, &share::decode(link).scenario))
}

/// Writes a scenario as the settings of a framework: a [`files::settings::Settings`]; `null` for a framework that does not exist.
#[wasm_bindgen]
pub fn settings(link: &str, framework: &str) -> String {
    let framework: Option<Framework> = serde_json::from_str(framework).ok();
    json(&framework.map(|framework| files::settings::text(framework, &share::decode(link).scenario)))
}

/// Serialises a value. Our values have text keys and finite numbers, so this cannot fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
