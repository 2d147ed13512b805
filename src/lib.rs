//! shardwise: does this training run fit, how fast will it go, what limits it, and what would help? The page.
//!
//! # Map
//!
//! The workspace, dependencies one way: `crates/engine <- crates/charts <- src`. `crates/engine` has no browser crate in its graph.
//!
//! | where | what it is | what it does not know |
//! |---|---|---|
//! | `crates/engine` | the physics, the catalog, links, imports, explanations, exports | figures, the page |
//! | `crates/charts` | figures as data, and their painting, tables and descriptions | the page |
//! | `crates/score` | published rows to scenarios, predictions, errors; calibration; `docs/accuracy.md` | the page; nobody downloads it |
//! | `src` | the page: choices in [`state`], side effects in [`browser`], sentences in [`text`], everything else derived from them | formulas |
//! | `npm` | the engine as an npm package | figures, the page |
//! | `xtask` | the project's commands | what it builds |
//!
//! # Invariants of the page
//!
//! 1. Components get values and emit actions; they compute nothing. The state holds choices; everything else is derived.
//! 2. An action waits for the next animation frame, so that several events of one frame make one redraw.
//! 3. One `ChartSpec` feeds canvas, SVG, PNG, data table, CSV and the text alternative.

pub mod app;
pub mod browser;
pub mod calculator;
pub mod components;
pub mod derived;
pub mod embed;
pub mod fields;
pub mod panels;
pub mod snapshot;
pub mod state;
pub mod text;
pub mod view;

pub use app::App;
pub use calculator::Start;
pub use embed::Embed;
