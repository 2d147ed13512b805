//! `cargo xtask files`: the module that reads files and writes settings (`crates/files-worker`), beside the page, which fetches it
//! on demand. Trunk calls this command as a hook (`Trunk.toml`).

use anyhow::{Context as _, Result};
use std::path::PathBuf;

use crate::shell::{cargo, program, root, run};
use crate::tools;

/// The name of the module's crate.
const CRATE: &str = "shardwise-files-worker";
/// The environment variables with the folder in which Trunk assembles the site, and with its profile.
const STAGING: &str = "TRUNK_STAGING_DIR";
const PROFILE: &str = "TRUNK_PROFILE";

/// Compiles the module into Trunk's folder, else into `dist/`.
///
/// # Errors
/// When it does not compile, or wasm-bindgen is missing.
pub fn run_command() -> Result<()> {
    let site = std::env::var_os(STAGING).map_or_else(crate::site::folder, PathBuf::from);
    let is_quick = std::env::var_os(PROFILE).is_some_and(|profile| profile == "debug");
    let (profile, folder) = if is_quick { ("dev", "debug") } else { ("site", "site") };
    run(&mut cargo(&["build", "--quiet", "--package", CRATE, "--profile", profile, "--target", tools::WASM_TARGET]))?;
    let compiled = root().join("target").join(tools::WASM_TARGET).join(folder).join("files_worker.wasm");
    let mut bindgen = program(tools::WASM_BINDGEN.ensure()?);
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "files", "--out-dir"]).arg(site);
    run(bindgen.arg(compiled)).context("The module of files could not be made")
}
