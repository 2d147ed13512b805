//! Tests of what runs leave behind, one program: each program more is compiled and linked by
//! itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

// The same cases and seeds as the engine's.
#[path = "../../../engine/tests/suite/cases.rs"]
mod cases;
mod errors;
mod links;
mod logs;
