//! shardwise: does this training run fit, how fast will it go, what limits it, and what would help?
//! The page.
//!
//! # Map
//!
//! `ARCHITECTURE.md` has every crate and what depends on what. In the page:
//!
//! | where | what it is |
//! |---|---|
//! | [`view`], [`state`] | axes and panels; every choice, and the actions that change it |
//! | [`words`], [`scenario_line`] | names shared by features; the scenario in one sentence |
//! | [`compare`], [`plots`] | pinned scenarios and their differences; map and curves |
//! | [`search`] | ranks names against a typed query |
//! | [`snapshot`] | scenario, pins and view, as links and saved files restore them |
//! | [`browser`] | every side effect |
//! | [`worker`] | map and curves in a worker, and the messages between it and the page |
//! | [`calculator`] | state, all derived from it, callbacks: shared by the page and an embed |
//! | [`context`] | view, theme and callbacks that any component reads |
//! | [`components`] | parts that any panel may use; [`fields`] are the values of controls |
//! | [`panels`] | the page by feature: its markup, words and derived values |
//! | [`app`], [`mod@embed`] | the page, and a figure in another page |
//!
//! # Invariants of the page
//!
//! 1. Components get values and emit actions; they compute nothing. The state holds choices;
//!    everything else is derived.
//! 2. An action is applied on the next animation frame, so that several events of one frame make
//!    one redraw.
//! 3. One `ChartSpec` feeds canvas, SVG, PNG, data table, CSV and the text alternative.

pub mod app;
pub mod browser;
pub mod calculator;
pub mod compare;
pub mod components;
pub mod context;
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
