//! Tests of links, one program: each program more is compiled and linked by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

#[path = "../../../engine/tests/suite/any.rs"]
mod any;
#[path = "../../../engine/tests/suite/cases.rs"]
mod cases;
mod links;
mod pins;
