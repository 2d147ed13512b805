//! Warming up: browsers run fresh Wasm slowly and recompile what turns out to be hot, so the first drag of a slider would
//! be the slowest. A few redraws' worth of work right after the page is up, in slices far below a long task, takes that away.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// Slices of work.
const SLICES: u32 = 24;
/// Before each slice: less than one in two frames.
const EVERY_MS: u32 = 40;

/// Runs `work` a few times once the page is up, and no more once somebody uses it: that warms up as well.
#[hook]
pub fn use_warm_up(unused: bool, work: impl Fn() + 'static) {
    use_effect_with(unused, move |&unused| {
        let goes_on = Rc::new(Cell::new(unused));
        slice(SLICES, goes_on.clone(), work);
        move || goes_on.set(false)
    });
}

fn slice(left: u32, goes_on: Rc<Cell<bool>>, work: impl Fn() + 'static) {
    let next = move || {
        if goes_on.get() && left > 0 {
            work();
            slice(left - 1, goes_on, work);
        }
    };
    Timeout::new(EVERY_MS, next).forget();
}
