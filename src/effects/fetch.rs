//! Texts of the site that are loaded when somebody comes to them: they stand beside the page as files.

use gloo::utils::{document, window};
use js_sys::futures::{JsFuture, spawn_local};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::Response;
use yew::Callback;

/// The status of a request that got no answer.
const UNANSWERED: u16 = 0;

/// The attribute of the script that started the page: the name of its module, which holds its hash (`Trunk.toml`).
const MODULE: &str = "data-wasm";

/// Loads a file by its path from the page, and gives its text; or the HTTP status of the answer, 0 where none came. The query
/// has the name of the module, so that no cache puts the file of one build beside the page of another.
pub fn text(path: &str, then: Callback<Result<String, u16>>) {
    let script = document().query_selector("script[data-wasm]").ok().flatten();
    let build = script.and_then(|script| script.get_attribute(MODULE)).unwrap_or_default();
    let request = window().fetch_with_str(&[path, "?v=", &build].concat());
    spawn_local(async move {
        let mut status = UNANSWERED;
        let text = body(request, &mut status).await;
        then.emit(text.ok().flatten().ok_or(status));
    });
}

/// The text of an answer that is one.
async fn body(request: js_sys::Promise, status: &mut u16) -> Result<Option<String>, JsValue> {
    let response: Response = JsFuture::from(request).await?.unchecked_into();
    *status = response.status();
    Ok(if response.ok() { JsFuture::from(response.text()?).await?.as_string() } else { None })
}
