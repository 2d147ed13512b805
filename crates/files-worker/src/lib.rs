//! [`files`] for the page, in a worker (`static/files.js`): the page fetches it when a file comes or
//! settings are opened, and asks it by `src/browser/files_worker.rs`.
//!
//! Functions take texts and answer with JSON. A scenario is the text of a link.

use engine::share;
use files::settings::Framework;
use js_sys::Uint8Array;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// Half the size of the standard library's allocator, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// [`api::files::bring`].
#[wasm_bindgen]
pub fn bring(link: &str, names: Vec<String>, contents: Vec<Uint8Array>) -> String {
    api::files::bring(link, names.into_iter().zip(contents.iter().map(Uint8Array::to_vec)))
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
