//! The engine of shardwise: does a training run fit, how fast is it, what limits it, and what would
//! help?
//!
//! It runs natively and in Wasm with the same result to the bit: no crate in its dependency graph
//! depends on a browser.
//!
//! # Map
//!
//! Dependencies point one way: `units, digits, json, stats <- model <- names, scenario <- params <-
//! format <- validate`. Above the engine stand crates of their own: `catalog` (accelerators,
//! clusters, models and named scenarios, each number with its source), `links` (a scenario as a link
//! and back), `trace` (a step tensor by tensor), `analysis` (searches, plans, advice, claims of
//! papers), `explain` (why a number is what it is) and `export` (reports as JSON and CSV).
//!
//! | module | what it is | what it does not know |
//! |---|---|---|
//! | [`units`] | quantities with units: the only powers of 2 and 10 | everything else |
//! | [`digits`], [`rounding`] | significant decimal digits, and rounding in sentences | everything else |
//! | [`json`] | JSON as text, its numbers to the last bit | everything else |
//! | [`stats`] | means, medians, ranks | everything else |
//! | [`model`] | the physics: parameters, FLOPs, memory, collectives, compute, mixtures of experts, the schedule of a step, the whole run, the FSDP bounds | presets, user text, clock, randomness, browser |
//! | [`names`] | what limiters and parts of memory are called, by use | colours |
//! | [`scenario`] | every choice a user can make, its resolution to a [`model::setup::Setup`] | where a choice came from |
//! | [`params`] | the one table of parameters: control, typed entry, bounds, unit, scale, link key, help | presets |
//! | [`mod@format`] | numbers as people read them | where they stand |
//! | [`validate`] | what is wrong with a scenario: bounds and contradictions, in sentences | presets |
//!
//! # Invariants
//!
//! 1. The engine knows no entry of the catalog; the model knows no presets, no user text, no clock,
//!    no randomness, no browser.
//! 2. The same scenario and data give bit-identical reports natively and in Wasm: `+ - * / sqrt`
//!    and rounding only; `ln`, `exp` and `powf` live in `params/scale.rs` (sliders).
//! 3. Infeasible is an answer (which limit, by how much, what would fix it), never an error or a
//!    NaN.
//! 4. One row in [`params::PARAMS`] gives a parameter its control, typed entry, bounds, unit,
//!    scale, link key, CSV header, help and property-test generator.
//! 5. An evaluation allocates nothing.

pub mod digits;
pub mod fitted;
pub mod format;
pub mod json;
pub mod model;
pub mod names;
pub mod nearest;
pub mod params;
pub mod rounding;
pub mod scenario;
pub mod stats;
pub mod units;
pub mod validate;

// The same cases and seeds as in the tests of laws.
#[cfg(test)]
#[path = "../tests/suite/cases.rs"]
mod cases;
