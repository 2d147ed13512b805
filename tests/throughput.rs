//! The engine's speed in a browser: `cargo xtask bench` runs this in headless Chromium, in release.
//! The work is that of `--example throughput`; only the clock is another one.
#![cfg(target_arch = "wasm32")]

#[path = "../crates/trace/examples/throughput/work.rs"]
mod work;

use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn throughput() {
    let now = || js_sys::Date::now() / 1000.0;
    for (name, value, unit) in work::measure(now) {
        console_log!("throughput: {name} {value} {unit}");
    }
}
