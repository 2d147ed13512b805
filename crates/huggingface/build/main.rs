//! Generates the readers of `config.json` from the rows of `data/huggingface.toml`. A row that is
//! wrong, or has no source, fails the build.

mod families;
mod formula;
#[path = "../../engine/build/rows.rs"]
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod rows;

use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap_or_default()).join("families.rs");
    println!("cargo:rerun-if-changed=build");
    let readers = rows::read(&root, "data/huggingface.toml").and_then(|file| families::readers(&file));
    let written = readers.and_then(|readers| {
        std::fs::write(&out, readers).map_err(|error| format!("families.rs could not be written: {error}"))
    });
    if let Err(error) = written {
        for line in error.lines() {
            println!("cargo:error={line}");
        }
        std::process::exit(1);
    }
}
