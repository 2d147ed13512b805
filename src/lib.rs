//! shardwise: does this training run fit, how fast will it go, what limits it, and what would help?
//! The page.
//!
//! # Map
//!
//! `ARCHITECTURE.md` has every crate and what depends on what. In the page:
//!
//! | where | what it is |
//! |---|---|
//! | [`view`], [`state`] | what is looked at; every choice, and the actions that change it |
//! | [`words`], [`scenario_line`] | names that several features share; the scenario in one sentence |
//! | [`compare`], [`plots`] | pinned scenarios and how they differ; map and curves |
//! | [`search`] | how well a name answers what is typed |
//! | [`snapshot`] | scenario, pins and view, as links and saved files bring them back |
//! | [`browser`] | every side effect |
//! | [`worker`] | map and curves in a worker, and the messages between it and the page |
//! | [`calculator`] | state, all that follows from it, callbacks: what the page and an embed share |
//! | [`components`] | parts that any panel may use; [`fields`] are the values of controls |
//! | [`panels`] | the page by feature: markup, words and what is derived for it alone |
//! | [`app`], [`mod@embed`] | the page, and a figure in another page |
//!
//! # Invariants of the page
//!
//! 1. Components get values and emit actions; they compute nothing. The state holds choices;
//!    everything else is derived.
//! 2. An action waits for the next animation frame, so that several events of one frame make one
//!    redraw.
//! 3. One `ChartSpec` feeds canvas, SVG, PNG, data table, CSV and the text alternative.

pub mod app;
pub mod browser;
pub mod calculator;
pub mod compare;
pub mod components;
pub mod embed;
pub mod fields;
pub mod panels;
pub mod plots;
pub mod scenario_line;
pub mod search;
pub mod snapshot;
pub mod state;
pub mod view;
pub mod words;
pub mod worker;

pub use app::App;
pub use calculator::Start;
pub use embed::Embed;
