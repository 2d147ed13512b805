//! Warming up: browsers run fresh Wasm slowly and recompile what turns out to be hot, so the first drag of a slider would
//! be the slowest. A few redraws' worth of work right after the page is up, in slices far below a long task, takes that away.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// Slices of work.
const SLICES: u32 = 24;
/// Before each slice: less than one in two frames.
const EVERY_MS: u32 = 40;

/// Runs `work` a few times once the page is up.
#[hook]
pub fn use_warm_up(work: impl Fn() + 'static) {
    use_effect_with((), move |()| slice(SLICES, work));
}

fn slice(left: u32, work: impl Fn() + 'static) {
    let next = move || {
        work();
        if left > 1 {
            slice(left - 1, work);
        }
    };
    Timeout::new(EVERY_MS, next).forget();
}
