//! Mounts the page.

use shardwise::ui::{App, Start, effects};

fn main() {
    yew::set_custom_panic_hook(Box::new(|panic| effects::show_failure(&panic.to_string())));
    let (scenario, issues, mut view) = effects::arrival();
    view.theme = effects::chosen_theme();
    let root = gloo::utils::document().get_element_by_id("app");
    let root = root.unwrap_or_else(|| gloo::utils::body().into());
    yew::Renderer::<App>::with_root_and_props(root, Start { scenario, issues, view }).render();
}
