//! The same scenarios give bit-identical reports natively and in Wasm: both builds run this test and find one digest.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "keys are of the table, and indices below the lengths"
)]

#[path = "common/bits.rs"]
mod bits;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn a_thousand_reports_have_the_recorded_bits() {
    let found = bits::digest();
    assert_eq!(
        found,
        bits::EXPECTED.trim(),
        "if physics or catalog changed on purpose, record the left one in bits.txt"
    );
}
