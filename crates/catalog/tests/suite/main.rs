//! Tests of the catalog, one program: each program more is compiled and linked by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

mod entries;
mod names;
mod rows;
