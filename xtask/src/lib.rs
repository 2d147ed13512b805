//! The project's commands (`main.rs` lists them). The package `e2e` drives browsers; building and
//! serving the page does not need it.
//!
//! - [`programs`]: the table of external programs, which [`install`] finds and installs.
//! - [`site`]: builds `dist/` from sources. No other module uses wasm-opt.
//! - [`book`]: the documentation, with mdBook, including generated pages of training programs.
//! - [`recipes`]: sites of other tools with an embedded calculator.
//! - [`packages`]: the engine as an npm package and as a Python package.
//! - [`engine`]: the engine without a browser. [`random`]: random inputs for the engine.
//! - [`graph`]: dependencies between crates and folders. [`places`]: whether what documents name
//!   exists.
//! - [`scaffold`]: begins the commonest changes. [`prices`]: list prices from SkyPilot's catalog.
//! - [`arguments`]: the arguments of training programs on PyPI, compared with those recorded.
//! - [`checks`]: the table of all checks; [`comments`], [`prose`]: those of comments and of
//!   English.
//! - [`mod@bench`]: the numbers of docs/book/speed.md, and visits that look for missing figures.
//! - [`shell`]: runs programs, reads and writes files.
//!
//! An error is one full sentence, with the command that solves the problem if there is one.

pub mod arguments;
pub mod bench;
pub mod book;
pub mod checks;
pub mod comments;
pub mod engine;
pub mod graph;
pub mod install;
pub mod packages;
pub mod places;
pub mod prices;
pub mod programs;
pub mod prose;
pub mod random;
pub mod recipes;
pub mod scaffold;
pub mod shell;
pub mod site;
