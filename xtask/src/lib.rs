//! The project's commands (`main.rs` lists them). The package `e2e` drives browsers; building and
//! serving the page does not need it.
//!
//! - [`programs`]: the table of what we do not write ourselves; [`install`] finds and installs it.
//! - [`site`]: from sources to `dist/`. Nothing else knows Trunk or wasm-opt.
//! - [`book`]: the documentation, with mdBook; a page a training program, made from its folder.
//! - [`recipes`]: sites of other people's tools with the calculator in them.
//! - [`packages`]: the engine as an npm package and as a Python package.
//! - [`engine`]: the engine without a browser, for people. [`random`]: random inputs for it.
//! - [`graph`]: what depends on what.
//! - [`checks`]: the table of everything that has to hold.
//! - [`mod@bench`]: the figures of docs/book/speed.md, and whether any figure is ever missing.
//! - [`shell`]: runs programs, reads and writes files.
//!
//! An error is one full sentence, with the command that solves the problem if there is one.

pub mod bench;
pub mod book;
pub mod checks;
pub mod engine;
pub mod graph;
pub mod install;
pub mod packages;
pub mod programs;
pub mod random;
pub mod recipes;
pub mod shell;
pub mod site;
