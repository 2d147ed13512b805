//! Files and folders, with sentences for what fails.

use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};

/// Returns the text of a file.
///
/// # Errors
/// When it cannot be read.
pub fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("{} could not be read", file.display()))
}

/// Writes a file.
///
/// # Errors
/// When it cannot be written.
pub fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("{} could not be written", file.display()))
}

/// Makes a folder and those above it, where they are missing.
///
/// # Errors
/// When it cannot be made.
pub fn made(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} could not be made", folder.display()))
}

/// Empties a folder.
///
/// # Errors
/// When it cannot be made.
pub fn fresh(folder: &Path) -> Result<()> {
    // The folder may not exist.
    let _ = std::fs::remove_dir_all(folder);
    made(folder)
}

/// Returns what a folder has, by name.
///
/// # Errors
/// When the folder does not exist.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} could not be read", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Copies a folder except for these names.
///
/// # Errors
/// When a file cannot be copied.
pub fn copy(from: &Path, to: &Path, but: &[&str]) -> Result<()> {
    made(to)?;
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
