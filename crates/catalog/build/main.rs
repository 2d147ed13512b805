//! Generates the tables of the catalog from the rows of `data/`, and from the release files of the
//! programs, `crates/files/programs/*/releases.toml`. A row that is wrong, or has no source, fails
//! the build.

mod accelerators;
mod examples;
mod low_precision;
mod models;
mod networks;
mod releases;
mod revisions;
#[path = "../../engine/build/rows.rs"]
mod rows;
#[path = "../../engine/build/shape.rs"]
mod shape;

use std::path::{Path, PathBuf};

/// Generated Rust files: name and text.
type Files = Vec<(&'static str, String)>;

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=build");
    if let Err(error) = tables(&root).and_then(|files| write(&out, &files)) {
        for line in error.lines() {
            println!("cargo:error={line}");
        }
        std::process::exit(1);
    }
}

/// Generates all tables.
fn tables(root: &Path) -> Result<Files, String> {
    let data = |name: &str| rows::read(root, &format!("data/{name}"));
    let mut files = releases::tables(&root.join("crates/files/programs"))?;
    files.push(("revisions.rs", revisions::table(&data("revisions.csv")?)?));
    files.extend(models::tables(&data("architectures.toml")?, &data("models.csv")?, &data("families.toml")?)?);
    files.extend(accelerators::tables(&data("silicon.toml")?, &data("accelerators.toml")?)?);
    files.extend(low_precision::tables(&data("low_precision.toml")?)?);
    files.extend(examples::tables(&data("examples.toml")?)?);
    files.extend(networks::interconnects(&data("interconnects.toml")?)?);
    files.extend(networks::clusters(&data("clusters.toml")?)?);
    Ok(files)
}

fn write(out: &Path, files: &Files) -> Result<(), String> {
    for (name, text) in files {
        std::fs::write(out.join(name), text).map_err(|error| format!("{name} could not be written: {error}"))?;
    }
    Ok(())
}
