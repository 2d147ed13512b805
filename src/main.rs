//! Mounts the page.

use shardwise::share::Decoded;
use shardwise::ui::{App, Start, effects};

/// Half the size of the standard library's allocator, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

fn main() {
    yew::set_custom_panic_hook(Box::new(|panic| effects::show_failure(&panic.to_string())));
    let (Decoded { scenario, pins, issues }, mut view) = effects::arrival();
    view.theme = effects::chosen_theme();
    let root = gloo::utils::document().get_element_by_id("app");
    let root = root.unwrap_or_else(|| gloo::utils::body().into());
    yew::Renderer::<App>::with_root_and_props(root, Start { scenario, pins, issues, view }).render();
}
