//! Tests of the built site in real browsers: `cargo xtask test` builds it into `dist/` and runs
//! them last.
//!
//! Run alone: `cargo xtask build && cargo test -p e2e --test site`. `SHARDWISE_DIST` names another
//! folder than `dist/`. Caddy serves the site with `deploy/Caddyfile`, with every header we ship,
//! under a path that the site does not know. Every test has its own tab without stored data, in
//! Chromium by default, and ends with a check of the console: no errors, no violations of the
//! content policy, no requests to other sites.

mod agreement;
mod around;
mod book;
mod brought;
mod browsers;
mod care;
mod compare;
mod embed;
mod faults;
mod figures;
mod input;
mod keyboard;
mod links;
mod money;
mod npm;
mod offline;
mod one_screen;
mod page;
mod plans;
mod plots;
mod ranking;
mod recipes;
mod saved;
mod say;
mod screen;
mod sentence;
mod servers;
mod settings;
mod share;
mod sliders;
mod why;
