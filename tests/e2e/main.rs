//! The built site in a real browser: `cargo xtask test` builds it into `dist/` and runs this last.
//!
//! Run alone: `cargo xtask build && cargo test --test e2e`. `SHARDWISE_DIST` names another folder than `dist/`.
//! Every test has its own browser, and ends by looking at the console: no error, no breach of the content policy, no
//! request to anybody else.

mod agreement;
mod care;
mod compare;
mod input;
mod keyboard;
mod links;
mod npm;
mod page;
mod plots;
mod ranking;
mod rest;
mod settings;
mod sliders;
mod why;
