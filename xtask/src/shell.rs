//! Running other programs from the repository's root, with stdin closed.

use anyhow::{Context as _, Result, anyhow};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Says, in one line, what happens next.
pub fn step(what: &str) {
    println!("==> {what}");
}

/// The root of the checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// A program that runs in the root of the checkout.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// The cargo that runs us, with these words.
pub fn cargo(words: &[&str]) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words);
    // Cargo describes the package xtask to us in these; the next cargo must not take them for its own.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// The command as one would type it.
pub fn spelled(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default();
    let mut words = vec![name.to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

/// Runs to the end, output to ours.
///
/// # Errors
/// When the program cannot be started or ends with another status than 0.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("`{}` could not be started", spelled(command)))?;
    if status.success() { Ok(()) } else { Err(anyhow!("`{}` failed ({status}).", spelled(command))) }
}

/// What the program prints, or `None` when it cannot be run or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs to the end, output to ours, and shows every line of stdout to `look` on its way. Says whether it succeeded.
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

/// The first file of one of these names in `PATH`.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find_map(|file| {
        let executable = file.with_extension(std::env::consts::EXE_EXTENSION);
        [file, executable].into_iter().find(|file| file.is_file())
    })
}

/// `PATH` with these folders before it.
pub fn path_with(folders: &[PathBuf]) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(all).unwrap_or(path)
}
