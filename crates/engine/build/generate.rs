//! Runs a build script: writes the generated files, or fails the build with the reason.

use std::path::{Path, PathBuf};

/// Generated Rust files: name and text.
pub(crate) type Files = Vec<(&'static str, String)>;

/// Writes the files that `make` generates from the files below the repository's root.
pub(crate) fn run(make: impl FnOnce(&Path) -> Result<Files, String>) {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=build");
    if let Err(error) = make(&root).and_then(|files| write(&out, &files)) {
        for line in error.lines() {
            println!("cargo:error={line}");
        }
        std::process::exit(1);
    }
}

fn write(out: &Path, files: &Files) -> Result<(), String> {
    for (name, text) in files {
        std::fs::write(out.join(name), text).map_err(|error| format!("{name} could not be written: {error}"))?;
    }
    Ok(())
}
