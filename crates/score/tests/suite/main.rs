//! The engine against published measurements.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

mod calibrate;
mod library_steps;
mod linked;
mod measured;
mod nearest;
mod odds;
mod one_gpu;
mod oracle;
mod published;
mod rows;
mod spelt;
mod steps;
mod tolerant;
