//! Tests of configurations in one program: each further program would be compiled and linked
//! separately.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

// Cases and seeds of the engine's tests.
#[path = "../../../engine/tests/suite/cases.rs"]
mod cases;
mod config;
mod families;
mod made;
