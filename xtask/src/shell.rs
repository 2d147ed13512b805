//! Runs other programs from the root of the repository with stdin closed, and reads and writes
//! files, with readable error messages.

use anyhow::{Context as _, Result, anyhow};
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

/// Prints the name of the next step, in one line.
pub fn step(what: &str) {
    println!("==> {what}");
}

/// Returns the root of the checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Returns the folder of everything that is built: cargo's target folder, wherever
/// `CARGO_TARGET_DIR` or a configuration puts it.
pub fn target() -> PathBuf {
    static TARGET: LazyLock<PathBuf> = LazyLock::new(|| {
        let metadata =
            output(cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]).stdin(Stdio::null()));
        let metadata: Option<Value> = metadata.and_then(|text| serde_json::from_str(&text).ok());
        let folder = metadata.as_ref().and_then(|value| value.get("target_directory")?.as_str()).map(PathBuf::from);
        folder.unwrap_or_else(|| root().join("target"))
    });
    TARGET.clone()
}

/// Returns the folder of the built site.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Environment variable with the folder in which Trunk assembles the site.
pub const STAGING: &str = "TRUNK_STAGING_DIR";

/// Returns the folder in which Trunk assembles the site; else that of the built site.
pub fn staging() -> PathBuf {
    std::env::var_os(STAGING).map_or_else(dist, PathBuf::from)
}

/// Returns the name of a program's file on this system.
pub fn exe(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Returns a command that runs in the root of the checkout.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Returns a command for the running cargo, with these arguments.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    // Cargo sets these variables for the package xtask; the next cargo must not inherit them.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    // A relative folder starts where the user is, not at the root, where the command runs.
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR").and_then(|folder| std::path::absolute(folder).ok()) {
        command.env("CARGO_TARGET_DIR", folder);
    }
    command
}

/// Formats a command as a user would type it.
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

/// Returns the text of a file.
///
/// # Errors
/// When it cannot be read.
pub fn read_text(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{} could not be read", file.display()))
}

/// Writes a file.
///
/// # Errors
/// When it cannot be written.
pub fn write(file: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("{} could not be written", file.display()))
}

/// Creates a folder and its parents, if they are missing.
///
/// # Errors
/// When it cannot be made.
pub fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} could not be made", folder.display()))
}

/// Empties a folder.
///
/// # Errors
/// When it cannot be made.
pub fn fresh(folder: &Path) -> Result<()> {
    // The folder may not exist.
    let _ = std::fs::remove_dir_all(folder);
    make(folder)
}

/// Returns the entries of a folder, by name.
///
/// # Errors
/// When the folder does not exist.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} could not be read", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Copies a folder, except for files with these names.
///
/// # Errors
/// When a file cannot be copied.
pub fn copy(from: &Path, to: &Path, but: &[&str]) -> Result<()> {
    make(to)?;
    for path in entries(from)? {
        let name = path.file_name().unwrap_or_default();
        if but.iter().any(|but| name == *but) {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name), but)?;
        } else {
            let failed = || format!("{} could not be copied", path.display());
            std::fs::copy(&path, to.join(name)).with_context(failed)?;
        }
    }
    Ok(())
}

/// Returns every file below a folder, sorted by name.
///
/// # Errors
/// When one of the folders cannot be read.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() { files.extend(below(&path)?) } else { files.push(path) }
    }
    files.sort();
    Ok(files)
}

/// Returns the files of a folder with this extension, by name.
///
/// # Errors
/// When the folder does not exist.
pub fn files_with_extension(folder: &Path, kind: &str) -> Result<Vec<PathBuf>> {
    let mut files = entries(folder)?;
    files.retain(|file| file.extension().is_some_and(|own| own == kind));
    Ok(files)
}

/// Returns the project's files with this extension.
///
/// # Errors
/// When a folder cannot be read.
pub fn sources(kind: &str) -> Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![root()]);
    while let Some(folder) = folders.pop() {
        files.extend(files_with_extension(&folder, kind)?.into_iter().filter(|file| file.is_file()));
        folders.extend(entries(&folder)?.into_iter().filter(|path| path.is_dir() && !is_foreign(&name(path))));
    }
    Ok(files)
}

/// Returns whether a folder holds files of other tools or outputs.
pub fn is_foreign(folder: &str) -> bool {
    [".git", ".venv", "dist", "node_modules", "target"].contains(&folder)
}

/// Returns the name of a file without its folder.
pub fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
