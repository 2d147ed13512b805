//! The clipboard.

use gloo::utils::window;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use yew::Callback;

/// Copies a text and tells whether that worked: without a secure page, or without leave, it does not.
pub fn copy(text: &str, done: &Callback<bool>) {
    let navigator: JsValue = window().navigator().into();
    let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into()).unwrap_or_default();
    let Ok(clipboard) = clipboard.dyn_into::<web_sys::Clipboard>() else {
        done.emit(false);
        return;
    };
    let answer = |worked: bool| {
        let done = done.clone();
        Closure::once(move |_: JsValue| done.emit(worked))
    };
    let (copied, refused) = (answer(true), answer(false));
    let _ = clipboard.write_text(text).then2(&copied, &refused);
    // One of the two runs, once; both must outlive this call.
    copied.forget();
    refused.forget();
}
