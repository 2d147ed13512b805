//! Whether an element is on the screen or about to be: what is far away is not drawn.

use js_sys::Array;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};
use yew::prelude::*;

use super::print::use_printing;

/// How far from the screen an element may be to count as about to be seen, in heights of the screen.
const MARGIN: &str = "100%";

/// Whether an element is in sight.
#[hook]
pub fn use_seen(node: &NodeRef) -> bool {
    // Paper has no place that is out of sight.
    let printing = use_printing();
    let seen = use_state_eq(|| false);
    let setter = seen.setter();
    let node = node.clone();
    use_effect_with((), move |()| {
        let kept = node.cast::<Element>().map(|element| {
            let observed = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
                let last = entries.at(-1).unchecked_into::<IntersectionObserverEntry>();
                setter.set(last.is_intersecting());
            });
            let options = IntersectionObserverInit::new();
            options.set_root_margin(MARGIN);
            let observer = IntersectionObserver::new_with_options(observed.as_ref().unchecked_ref(), &options).ok();
            if let Some(observer) = &observer {
                observer.observe(&element);
            }
            (observer, observed)
        });
        move || {
            if let Some((Some(observer), _)) = &kept {
                observer.disconnect();
            }
            drop(kept);
        }
    });
    *seen || printing
}
