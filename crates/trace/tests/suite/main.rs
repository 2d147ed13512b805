//! Tests of this crate, in one program, because each further program is compiled and linked
//! separately.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

mod allocator;
mod allocator_play;
#[path = "../../../engine/tests/suite/any.rs"]
mod any;
#[path = "../../../engine/tests/suite/cases.rs"]
mod cases;
mod closed_form;
mod step_memory;
