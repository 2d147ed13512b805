//! Whether the page is being printed: paper has no theme, no controls and nothing that is out of sight.

use std::cell::Cell;

use gloo::events::EventListener;
use gloo::utils::window;
use yew::prelude::*;

thread_local! {
    /// For what comes to the page only to be printed.
    static PRINTING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the page is being printed. What changes with it is on the page before the browser lays it out.
#[hook]
pub fn use_printing() -> bool {
    let printing = use_state_eq(|| PRINTING.get());
    let setter = printing.setter();
    use_effect_with((), move |()| {
        let on = |event: &'static str, value: bool| {
            let setter = setter.clone();
            EventListener::new(&window(), event, move |_| {
                PRINTING.set(value);
                setter.set(value);
            })
        };
        let both = (on("beforeprint", true), on("afterprint", false));
        move || drop(both)
    });
    *printing
}
