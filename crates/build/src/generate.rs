//! Runs a build script: writes the generated files, or fails the build with the reason.

use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// Generated files: name and text.
pub type Files = Vec<(&'static str, String)>;

/// Writes the files that `make` generates from the files of the repository into the folder
/// `OUT_DIR` of cargo. Where that fails, prints the reason and ends the build script with status 1.
pub fn run(make: impl FnOnce(&Workspace) -> Result<Files, String>) {
    let folder = |name: &str| PathBuf::from(std::env::var(name).unwrap_or_default());
    let (package, out) = (folder("CARGO_MANIFEST_DIR"), folder("OUT_DIR"));
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=Cargo.toml");
    let made = Workspace::of(&package).and_then(|workspace| make(&workspace)).and_then(|files| write(&out, &files));
    if let Err(error) = made {
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
