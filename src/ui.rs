//! The page: choices in [`state`], side effects in [`effects`], sentences in [`text`], everything else derived from them.
//!
//! Components get values and emit actions; they compute nothing. An action waits for the next animation frame, so that
//! several events of one frame make one redraw.

pub mod app;
pub mod components;
pub mod derived;
pub mod effects;
pub mod embed;
pub mod fields;
pub mod panels;
pub mod preset;
pub mod state;
pub mod text;
pub mod view;

pub use app::{App, Start};
pub use embed::Embed;
