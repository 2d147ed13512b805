//! The engine against published measurements.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

mod calibrate;
mod columns;
mod library_steps;
mod linked;
mod measured;
mod nearest;
mod odds;
mod one_gpu;
mod oracle;
mod published;
mod steps;
mod twice;

use score::LeftOut;
use score::cells::Cells;

/// Reads every row of a table.
fn rows<T>(text: &str, read: fn(&Cells<'_>) -> Result<T, LeftOut>) -> Vec<Result<T, LeftOut>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    reader.records().map(|record| read(&header.iter().zip(&record.unwrap()).collect())).collect()
}
