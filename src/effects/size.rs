//! How large an element is, now and after every change.

use gloo::events::EventListener;
use gloo::utils::window;
use js_sys::Array;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use crate::components::canvas::Size;

fn measure(element: &Element) -> Size {
    let (width, height) = (f64::from(element.client_width()), f64::from(element.client_height()));
    Size { width, height, ratio: window().device_pixel_ratio() }
}

/// How often the browser has restored a canvas whose pixels it had lost, as after a crash of the graphics process; `restored` is called
/// each time.
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

/// The size of an element; zero until it is on the page.
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
            // Zooming changes the ratio, and may leave the element's size as it was.
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
