//! The same scenarios give bit-identical reports natively and in Wasm: this test and `tests/browser.rs` find one digest.

#![allow(clippy::indexing_slicing, reason = "indices are drawn below the lengths")]

#[path = "common/bits.rs"]
mod bits;

#[test]
fn a_thousand_reports_have_the_recorded_bits() {
    assert_eq!(
        bits::digest(),
        bits::EXPECTED.trim(),
        "if physics or catalog changed on purpose, record the left one in bits.txt"
    );
}
