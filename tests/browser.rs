//! What has to hold in a browser: `cargo xtask test` runs this in headless Chromium, with the flags of `webdriver.json`.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// The engine computes with `+ - * / sqrt` alone, because these round the same everywhere.
#[wasm_bindgen_test]
fn roots_and_quotients_round_as_everywhere_else() {
    assert_eq!(2_f64.sqrt().to_bits(), 0x3ff6_a09e_667f_3bcd);
    assert_eq!((1.0_f64 / 3.0).to_bits(), 0x3fd5_5555_5555_5555);
}
