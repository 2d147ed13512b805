//! The engine of shardwise: computes whether a training run fits, its speed, its limits, and
//! changes that would help.
//!
//! The engine runs natively and in Wasm with bit-identical results: no crate in its dependency
//! graph depends on a browser.
//!
//! # Map
//!
//! Dependencies point one way: `units, digits, json, stats <- model <- names, scenario <- params <-
//! format <- validate`. Above the engine stand crates of their own: `catalog` (accelerators,
//! clusters, models and named scenarios, each number with its source), `links` (a scenario as a
//! link and back), `trace` (a step tensor by tensor), `analysis` (searches, plans, advice, claims
//! of papers), `explain` (why a number is what it is) and `export` (reports as JSON and CSV).
//!
//! | module | content | does not depend on |
//! |---|---|---|
//! | [`units`] | quantities with units: the only powers of 2 and 10 | everything else |
//! | [`digits`], [`rounding`] | significant decimal digits, and rounding in sentences | everything else |
//! | [`json`] | JSON as text, its numbers to the last bit | everything else |
//! | [`stats`] | means, medians, ranks | everything else |
//! | [`model`] | the physics: parameters, FLOPs, memory, collectives, compute, mixtures of experts, the schedule of a step, the whole run, the FSDP bounds | presets, user text, clock, randomness, browser |
//! | [`names`] | names of limiters and memory parts, by use | colours |
//! | [`scenario`] | every choice a user can make, its resolution to a [`model::setup::Setup`] | where a choice came from |
//! | [`params`] | the one table of parameters: control, typed entry, bounds, unit, scale, link key, help | presets |
//! | [`mod@format`] | numbers in human-readable form | where they are shown |
//! | [`validate`] | errors and warnings of a scenario: bounds and contradictions, in sentences | presets |
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

// Cases and seeds shared with the tests of laws.
#[cfg(test)]
#[path = "../tests/suite/cases.rs"]
mod cases;
