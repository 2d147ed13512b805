//! Builds the site from sources: [`modules`] compiles, [`split`] divides the page's module,
//! `assemble` puts the files together as `Trunk.toml` says, `offline` adds the service worker,
//! [`compress`] the compressed copies, and `address` the address of the site. [`serve`] serves it
//! while somebody works on it.
//!
//! Trunk itself takes longer to compile than the site, so it is not used here; `trunk serve` and
//! `trunk build` work by the same `Trunk.toml`.

mod address;
mod assemble;
pub mod compress;
pub mod modules;
mod offline;
pub mod serve;
pub mod split;

use anyhow::Result;
use std::path::Path;

use crate::install::{self, wasm_target};
use crate::programs::{MDBOOK, WASM_BINDGEN};
use crate::shell::{cargo, dist, exe, program, run, staging, step, target};

/// Build profile of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The shipped build: small modules, and copies compressed as far as brotli goes.
    Shipped,
    /// The build of tests and of `cargo xtask serve`, which shares its objects with the tests.
    Quick,
}

/// Builds the site into `dist/`.
///
/// # Errors
/// When a tool is missing or fails.
pub fn build(profile: Profile) -> Result<()> {
    wasm_target()?;
    install::ensure(&[&WASM_BINDGEN])?;
    if let Err(failure) = MDBOOK.ensure() {
        step(&format!("{failure:#}"));
    }
    step("Building the site into dist/");
    let site = dist();
    assemble::assemble(profile, &site)?;
    if profile == Profile::Shipped {
        modules::optimise_all(&site)?;
    }
    address::write_address(&site)?;
    offline::write_worker(&site)?;
    step("Compressing a copy of every file, for servers that send those");
    compress::compress(&site, profile)?;
    println!("dist/ is ready: put it on any static file server, under any path.");
    Ok(())
}

/// Writes the data files that the page loads on demand into the folder in which the site is
/// assembled. A hook of `Trunk.toml`.
///
/// # Errors
/// When the program that writes them does not compile or fails.
pub fn rows() -> Result<()> {
    rows_into(&staging())
}

/// Compiles the program that writes the data files.
fn build_rows() -> Result<()> {
    run(&mut cargo(&["build", "--quiet", "--workspace", "--example", "site_data"]))
}

/// Writes the data files into a folder. The program is selected among all packages, as the tests
/// are, so that it shares their objects.
fn rows_into(site: &Path) -> Result<()> {
    build_rows()?;
    run(program(target().join("debug").join("examples").join(exe("site_data"))).arg(site))
}
