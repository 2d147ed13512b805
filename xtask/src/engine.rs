//! `cargo xtask estimate|catalog|params|score|calibrate`: runs the engine's examples. Only the example
//! writes to standard output; relative paths start at the folder where the command is typed.

use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use crate::shell::{cargo, root};

/// The package that has `estimate`, `catalog` and `throughput` as examples.
pub const ENGINE: &str = "shardwise-engine";
/// The package that has `params` and `settings` as examples.
pub const FILES: &str = "shardwise-files";
/// The package that has `score` and `calibrate` as examples.
pub const SCORE: &str = "shardwise-score";

/// The names of the commands, which are those of the examples.
pub const NAMES: [&str; 5] = ["estimate", "catalog", "params", "score", "calibrate"];

/// Runs an example with these arguments and returns its exit code.
///
/// # Errors
/// When cargo cannot be started, or the current folder is unknown.
pub fn run(example: &str, arguments: &[OsString]) -> Result<ExitCode> {
    let mut command = command(example);
    command.args(arguments).stdin(Stdio::inherit());
    command.current_dir(std::env::current_dir().context("The current folder is not known")?);
    let status = command.status().with_context(|| format!("The example {example} could not be started"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Returns the command that runs an example, without the example's own arguments.
pub fn command(example: &str) -> Command {
    let package = match example {
        "score" | "calibrate" => SCORE,
        "params" => FILES,
        _ => ENGINE,
    };
    let mut command = cargo(&["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(root().join("Cargo.toml")).args(["--package", package, "--example", example, "--"]);
    command
}
