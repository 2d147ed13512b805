//! Tests of the analyses, one program: each program more is compiled and linked by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

// The same random scenarios, cases and seeds as the engine's.
#[path = "../../../engine/tests/suite/any.rs"]
mod any;
mod cards;
#[path = "../../../engine/tests/suite/cases.rs"]
mod cases;
mod claims;
mod laws;
mod one_answer;
mod plan;
mod releases;
mod slider;
