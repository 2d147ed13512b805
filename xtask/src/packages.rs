//! Builds the engine as packages, without the page.
//!
//! For npm, in `target/npm/`: `npm/src` is compiled to Wasm, `npm/js` is the API for users, and
//! `npm/examples` and the licenses are included; the command is a program of its own for each
//! platform, in a package of its own. For Python, a wheel in `target/python/`: maturin compiles
//! `python/src` with the command, and packs `python/shardwise`. The checks install the packages
//! into new folders and run the tests there. For crates.io, in `target/crates/`: the sources of
//! the command.

mod crates;
mod npm;
mod platforms;
mod release;
mod wheel;

use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

use crate::shell::{cargo, exe, name, root, run, target};

pub use crates::{Then, crates};
pub use npm::{npm_check, npm_command, npm_install, npm_package, npm_packages};
pub use release::notes;
pub use wheel::{wheel, wheel_check};

/// The licences, which every package has.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Copies files of the root into a folder.
fn include(files: &[&str], folder: &Path) -> Result<()> {
    for from in files {
        let from = root().join(from);
        std::fs::copy(&from, folder.join(name(&from))).with_context(|| format!("{} is missing", name(&from)))?;
    }
    Ok(())
}

/// Builds the command line; the tests compare its reports with those of a package.
fn command_line() -> Result<PathBuf> {
    // With an example, as cargo then unites the features of dev-dependencies too, as for tests.
    run(&mut cargo(&["build", "--quiet", "--workspace", "--bin", "shardwise", "--example", "site_data"]))?;
    Ok(target().join("debug").join(exe("shardwise")))
}
