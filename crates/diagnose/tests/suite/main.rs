//! Tests of this crate, in one program, because each further program is compiled and linked
//! separately.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

// Uses the same cases and seeds as the engine's tests.
#[path = "../../../engine/tests/suite/cases.rs"]
mod cases;
mod errors;
mod links;
mod logs;
