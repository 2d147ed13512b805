//! The built site in real browsers: `cargo xtask test` builds it into `dist/` and runs this last.
//!
//! Run alone: `cargo xtask build && cargo test -p e2e --test site`. `SHARDWISE_DIST` names another folder than `dist/`.
//! Caddy serves the site by `deploy/Caddyfile`, with every header we ship, under a path that it cannot know.
//! Every test has a tab of its own in which nothing is stored, in Chromium where nothing else is said, and ends by looking at the
//! console: no error, no breach of the content policy, no request to anybody else.

mod agreement;
mod book;
mod browsers;
mod care;
mod compare;
mod embed;
mod faults;
mod figures;
mod input;
mod keyboard;
mod links;
mod npm;
mod offline;
mod page;
mod plots;
mod ranking;
mod recipes;
mod saved;
mod screen;
mod servers;
mod settings;
mod share;
mod sliders;
mod why;
