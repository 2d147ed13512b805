//! shardwise: does this training run fit, how fast will it go, what limits it, and what would help?
//!
//! The library is the engine and runs anywhere; the app is a Yew page around it, behind the feature `web`.
//!
//! # Map
//!
//! Dependencies point one way: `units, digits, json <- model <- scenario, params <- catalog <- plan, share, import, measured <-
//! chart <- explain <- export <- ui`.
//!
//! | module | what it is | what it does not know |
//! |---|---|---|
//! | [`units`] | quantities with units: the only powers of 2 and 10 | everything else |
//! | [`digits`] | significant decimal digits | everything else |
//! | [`json`] | JSON as data, and its text to the last bit | everything else |
//! | [`model`] | the physics: parameters, FLOPs, memory, collectives, compute, mixtures of experts ([`model::experts`]), the schedule of a step, the whole run ([`model::run`]), the FSDP bounds | presets, user text, clock, randomness, browser |
//! | [`scenario`] | every choice a user can make, its validation, its resolution to a [`model::setup::Setup`] | where a choice came from |
//! | [`params`] | the one table of parameters: control, typed entry, bounds, unit, scale, link key, help | presets |
//! | [`catalog`] | accelerators, interconnects, clusters, models, named scenarios, each number with its source; what earlier revisions said ([`catalog::revisions`]); how far predictions lie off ([`catalog::accuracy`]) | how they are shown |
//! | [`measured`] | published measurements: a row to a scenario, its prediction, the score of a source; `examples/score` and `examples/calibrate` read the files | how rows are stored |
//! | [`plan`] | questions over the model: sweeps, boundaries, search, advice; one layer of experts ([`plan::experts`]) | pixels |
//! | [`share`] | link to scenario and back, one frozen file a wire version | the page |
//! | [`import`] | a Hugging Face `config.json` to a model's shape, what was read of it and what was not understood | how JSON is parsed, the page |
//! | [`export`] | reports as JSON and CSV, the catalog and the table of parameters as JSON, settings for training frameworks ([`export::settings`]) | the page |
//! | [`chart`] | figures as data ([`chart::spec::ChartSpec`]), and their painting, tables and descriptions | the page |
//! | [`explain`] | why a number is what it is: formulas, what stands in them, sources, the glossary | the page |
//! | `ui` (feature `web`) | the page: state, effects, components | formulas |
//!
//! # Invariants
//!
//! 1. The model knows no presets, no user text, no clock, no randomness, no browser.
//! 2. The same scenario and catalog revision give bit-identical numbers natively and in Wasm: `+ - * / sqrt` and rounding
//!    only; `ln`, `exp` and `powf` live in `chart/scale.rs` alone.
//! 3. Decoding never fails: a link gives a scenario and a list of issues. Infeasible is an answer (which limit, by how
//!    much, what would fix it), never an error or a NaN.
//! 4. A published link means the same scenario forever; a published catalog revision never changes.
//! 5. Components get values and emit actions; they compute nothing. The state holds choices; everything else is derived.
//! 6. One `ChartSpec` feeds canvas, SVG, PNG, data table, CSV and the text alternative.
//! 7. One row in [`params::PARAMS`] gives a parameter its control, typed entry, bounds, unit, scale, link key, CSV header,
//!    help and property-test generator.
//! 8. An evaluation allocates nothing.

pub mod catalog;
pub mod chart;
pub mod digits;
pub mod explain;
pub mod export;
pub mod import;
pub mod json;
pub mod measured;
pub mod model;
pub mod params;
pub mod plan;
pub mod scenario;
pub mod share;
pub mod units;

#[cfg(feature = "web")]
pub mod ui;
