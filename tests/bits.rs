//! Reports are bit-identical natively and in Wasm. `cargo xtask test` runs this test natively,
//! which writes its digests, and then in the browser, compiled with them.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "keys are of the table, and indices below the lengths"
)]

#[path = "common/bits.rs"]
mod bits;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// Evaluations do not hang on what was evaluated before; where `SHARDWISE_BITS` names a file, it
/// gets the digests.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn a_thousand_reports_have_the_same_bits_twice() {
    let found = bits::digests();
    assert_eq!(found, bits::digests());
    if let Some(file) = std::env::var_os("SHARDWISE_BITS") {
        std::fs::write(file, found).expect("the folder of the file exists");
    }
}

#[cfg(target_arch = "wasm32")]
#[wasm_bindgen_test::wasm_bindgen_test]
fn a_thousand_reports_have_the_bits_of_the_native_build() {
    let native = option_env!("SHARDWISE_NATIVE_BITS");
    assert_eq!(
        Some(bits::digests().as_str()),
        native,
        "cargo xtask test says the native digests, one of ten scenarios"
    );
}
