//! Whether the rest of the module is there: what the first picture does without is loaded after it.

use gloo::events::EventListener;
use yew::prelude::*;

/// What `static/boot.js` sends to the window when the rest is there, or when there is none.
const ARRIVED: &str = "rest";

/// Whether what the first picture does without may be shown. Without a browser there is nothing to wait for.
#[hook]
pub fn use_rest() -> bool {
    let here = use_state_eq(|| !cfg!(target_arch = "wasm32"));
    let setter = here.setter();
    use_effect_with((), move |()| {
        let listener = EventListener::once(&gloo::utils::window(), ARRIVED, move |_| setter.set(true));
        move || drop(listener)
    });
    *here
}
