//! The project's commands, `cargo xtask serve|build|test|bench`. The package `e2e` drives browsers;
//! building and serving the page does not need it.
//!
//! - [`tools`]: pinned versions of what we do not write ourselves, and how to get them;
//!   [`chromium`], [`firefox`] and [`webkit`] likewise, each a [`browser`], and [`caddy`] and
//!   [`nginx`], by [`packages`].
//! - [`site`]: from sources to `dist/`. Nothing else knows Trunk or wasm-opt.
//! - [`files`]: the module that the page fetches on demand.
//! - [`book`]: the documentation, with mdBook; a page a training program, made from its folder.
//! - [`recipes`]: sites of other people's tools with the calculator in them.
//! - [`npm`], [`python`]: the engine as an npm package and as a Python package.
//! - [`engine`]: the engine without a browser, for people.
//! - [`fuzz`]: random inputs. [`laws`]: the tests with random cases, under many seeds.
//! - [`checks`]: the list of everything that has to hold, counted by [`tally`].
//! - [`mod@bench`]: the figures of the README. [`brotli`]: what is weighed there and after a build.
//! - [`visits`]: whether any figure is ever missing.
//! - [`wasm_tests`]: tests compiled to Wasm, in Chromium.
//! - [`shell`]: runs programs. [`folders`]: reads and writes files.
//!
//! An error is one full sentence, with the command that solves the problem if there is one.

pub mod accuracy;
pub mod bench;
pub mod book;
pub mod brotli;
pub mod browser;
pub mod browsers;
pub mod caddy;
pub mod checks;
pub mod chromium;
pub mod engine;
pub mod exports;
pub mod files;
pub mod firefox;
pub mod folders;
pub mod fuzz;
pub mod laws;
pub mod nginx;
pub mod npm;
pub mod packages;
pub mod python;
pub mod recipes;
pub mod shell;
pub mod site;
pub mod tally;
pub mod tools;
pub mod visits;
pub mod wasm_tests;
pub mod webkit;
