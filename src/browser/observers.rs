//! Observers of elements: how large one is, whether it is in sight, and whether a canvas was
//! restored.

use gloo::events::EventListener;
use gloo::utils::window;
use js_sys::Array;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, ResizeObserver};
use yew::prelude::*;

use super::theme::use_printing;

/// Size of a canvas on the page in CSS pixels, and device pixels per CSS pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Device pixels per CSS pixel.
    pub ratio: f64,
}

fn measure(element: &Element) -> Size {
    let (width, height) = (f64::from(element.client_width()), f64::from(element.client_height()));
    Size { width, height, ratio: window().device_pixel_ratio() }
}

/// Counts how often the browser has restored a canvas whose pixels were lost, as after a crash of
/// the graphics process; calls `restored` each time.
#[hook]
pub fn use_restorations(canvas: &NodeRef, restored: fn()) -> u32 {
    let restorations = use_state(|| 0_u32);
    let setter = restorations.setter();
    let canvas = canvas.clone();
    use_effect_with((), move |()| {
        let mut count = 0;
        let listener = canvas.cast::<Element>().map(|element| {
            EventListener::new(&element, "contextrestored", move |_| {
                restored();
                count += 1;
                setter.set(count);
            })
        });
        move || drop(listener)
    });
    *restorations
}

/// Returns the size of an element; zero until the element is on the page.
#[hook]
pub fn use_size(node: &NodeRef) -> Size {
    let size = use_state(Size::default);
    let setter = size.setter();
    let node = node.clone();
    use_effect_with((), move |()| {
        let element = node.cast::<Element>();
        let kept = element.map(|element| {
            let update = {
                let element = element.clone();
                move || setter.set(measure(&element))
            };
            update();
            let observed = Closure::<dyn FnMut(Array)>::new({
                let update = update.clone();
                move |_| update()
            });
            let observer = ResizeObserver::new(observed.as_ref().unchecked_ref()).ok();
            if let Some(observer) = &observer {
                observer.observe(&element);
            }
            // Zooming changes the ratio, but not always the element's size.
            let zoomed = EventListener::new(&window(), "resize", move |_| update());
            (observer, observed, zoomed)
        });
        move || {
            if let Some((Some(observer), ..)) = &kept {
                observer.disconnect();
            }
            drop(kept);
        }
    });
    *size
}

/// Distance from the screen, in heights of the screen, within which an element is about to be seen.
const SOON: &str = "100%";

/// Whether an element is in sight or about to be.
#[hook]
pub fn use_seen(node: &NodeRef) -> bool {
    // All elements of a printed page are in sight.
    let printing = use_printing();
    let seen = use_state_eq(|| false);
    let setter = seen.setter();
    use_intersection(node, SOON, move |entry| setter.set(entry.is_intersecting()));
    *seen || printing
}

/// Whether an element has been scrolled past the top of the screen.
#[hook]
pub fn use_passed(node: &NodeRef) -> bool {
    let passed = use_state_eq(|| false);
    let setter = passed.setter();
    use_intersection(node, "0px", move |entry| {
        setter.set(!entry.is_intersecting() && entry.bounding_client_rect().bottom() <= 0.0);
    });
    *passed
}

/// Calls `tell` whenever an element comes within `margin` of the screen, or leaves it.
#[hook]
fn use_intersection(node: &NodeRef, margin: &'static str, tell: impl Fn(&IntersectionObserverEntry) + 'static) {
    let node = node.clone();
    use_effect_with((), move |()| {
        let kept = node.cast::<Element>().map(|element| {
            let observed = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
                tell(&entries.at(-1).unchecked_into::<IntersectionObserverEntry>());
            });
            let options = IntersectionObserverInit::new();
            options.set_root_margin(margin);
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
}
