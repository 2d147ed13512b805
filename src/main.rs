//! Mounts the page; in a worker, listens for its messages.

use links::Decoded;
use shardwise::{App, Embed, Start, browser, worker};

/// The talc allocator: half the size of the standard library's allocator, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

fn main() {
    // In a worker (static/painter.js).
    if web_sys::window().is_none() {
        return worker::listen();
    }
    yew::set_custom_panic_hook(Box::new(|panic| browser::show_failure(&panic.to_string())));
    let (Decoded { scenario, pins, issues, .. }, mut view) = browser::arrival();
    view.theme = browser::chosen_theme();
    let root = gloo::utils::document().get_element_by_id("app");
    let root = root.unwrap_or_else(|| gloo::utils::body().into());
    let start = Start { scenario, pins, issues, view, drawer: false };
    if view.embed {
        yew::Renderer::<Embed>::with_root_and_props(root, start).render();
        return;
    }
    yew::Renderer::<App>::with_root_and_props(root, start).render();
}
