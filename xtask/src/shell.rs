//! Runs other programs from the repository's root, with stdin closed.

use anyhow::{Context as _, Result, anyhow};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints the next step, in one line.
pub fn step(what: &str) {
    println!("==> {what}");
}

/// Returns the root of the checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Returns a command that runs in the root of the checkout.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Returns a command for the cargo that runs this program, with these arguments.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    // Cargo describes the package xtask in these variables; they must not reach the next cargo.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Writes a command as one would type it.
pub fn spelled(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default();
    let mut parts = vec![name.to_string_lossy().into_owned()];
    parts.extend(command.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    parts.join(" ")
}

/// Runs a command to its end, with its output passed through.
///
/// # Errors
/// When the program cannot be started or its exit status is not 0.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("`{}` could not be started", spelled(command)))?;
    if status.success() { Ok(()) } else { Err(anyhow!("`{}` failed ({status}).", spelled(command))) }
}

/// Returns the output of a command; `None` if it cannot be started or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command to its end with its output passed through, and calls `look` with every line of
/// stdout. Returns whether the command succeeded.
///
/// # Errors
/// When the program cannot be started.
pub fn watch(command: &mut Command, mut look: impl FnMut(&str)) -> Result<bool> {
    let started = command.stdout(Stdio::piped()).spawn();
    let mut child = started.with_context(|| format!("`{}` could not be started", spelled(command)))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n').map_while(std::result::Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            look(&line);
        }
    }
    let status = child.wait().with_context(|| format!("`{}` was lost", spelled(command)))?;
    Ok(status.success())
}

/// Returns the first file on `PATH` with one of these names.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find_map(|file| {
        let executable = file.with_extension(std::env::consts::EXE_EXTENSION);
        [file, executable].into_iter().find(|file| file.is_file())
    })
}

/// Returns `PATH` with these folders in front.
pub fn path_with(folders: &[PathBuf]) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(all).unwrap_or(path)
}
