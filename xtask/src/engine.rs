//! `cargo xtask estimate|catalog|params|rank|score|calibrate`: the command line and the programs that score the engine. Only
//! they write to standard output; relative paths start at the folder where the command is typed.

use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use crate::shell::{cargo, root};

/// The package of the engine, which has `throughput` as an example.
pub const ENGINE: &str = "shardwise-engine";
/// The package that has `settings` as an example.
pub const FILES: &str = "shardwise-files";
/// The package that has `score` and `calibrate` as examples.
pub const SCORE: &str = "shardwise-score";
/// The command line.
pub const CLI: &str = "shardwise-cli";

/// The commands of the command line that stand here too.
const SHELL: [&str; 4] = ["estimate", "catalog", "params", "rank"];
/// The examples that are commands.
const EXAMPLES: [&str; 2] = ["score", "calibrate"];

/// The command of this name, if it is one of these.
pub fn named(name: &std::ffi::OsStr) -> Option<&'static str> {
    SHELL.into_iter().chain(EXAMPLES).find(|known| name == *known)
}

/// Runs a command with these arguments and returns its exit code.
///
/// # Errors
/// When cargo cannot be started, or the current folder is unknown.
pub fn run(name: &str, arguments: &[OsString]) -> Result<ExitCode> {
    let mut command = command(name);
    command.args(arguments).stdin(Stdio::inherit());
    command.current_dir(std::env::current_dir().context("The current folder is not known")?);
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Returns the command that runs one of these, without its own arguments.
pub fn command(name: &str) -> Command {
    let mut command = cargo(&["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(root().join("Cargo.toml"));
    if EXAMPLES.contains(&name) {
        command.args(["--package", SCORE, "--example", name, "--"]);
    } else {
        command.args(["--package", CLI, "--", name]);
    }
    // A script wants all that there is.
    if name == "estimate" {
        command.arg("--json");
    }
    command
}
