//! Tests of files in one program: each further program would be compiled and linked separately.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where its data is wrong"
)]

mod adapter;
// Cases and seeds of the engine's tests.
#[path = "../../../engine/tests/suite/cases.rs"]
mod cases;
mod jobs;
mod rates;
mod run;
mod settings;
mod snapshots;

/// Writes the settings of a scenario for a program with a writer.
fn text(program: catalog::programs::Program, scenario: &engine::scenario::Scenario) -> files::settings::Settings {
    files::settings::text(program, scenario).unwrap()
}
