//! Adds components that a minimal Rust installation lacks, with rustup.

use anyhow::{Result, anyhow};
use std::path::Path;

use crate::shell::{cargo, output, program, run, step};

/// The compilation target of the page.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Adds the Wasm target to the Rust installation where it is missing.
///
/// # Errors
/// When it is missing and rustup cannot add it.
pub fn wasm_target() -> Result<()> {
    let library = output(program("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]));
    if library.is_some_and(|folder| Path::new(folder.trim()).is_dir()) {
        return Ok(());
    }
    add(&["target", "add", WASM_TARGET])
}

/// Adds rustfmt and clippy where they are missing.
///
/// # Errors
/// When one is missing and rustup cannot add it.
pub fn linters() -> Result<()> {
    if ["fmt", "clippy"].iter().all(|tool| output(&mut cargo(&[tool, "--version"])).is_some()) {
        return Ok(());
    }
    add(&["component", "add", "rustfmt", "clippy"])
}

fn add(arguments: &[&str]) -> Result<()> {
    let spelled = format!("rustup {}", arguments.join(" "));
    step(&format!("Adding to the Rust installation: {spelled}"));
    run(program("rustup").args(arguments)).map_err(|failure| anyhow!("{failure:#} Add it yourself: {spelled}"))
}
