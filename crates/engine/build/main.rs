//! Generates the fitted constants of the engine from `data/fitted.toml`. A wrong row fails the
//! build.

mod fitted;
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod rows;
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod shape;

use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap_or_default()).join("fitted.rs");
    println!("cargo:rerun-if-changed=build");
    let table = rows::read(&root, "data/fitted.toml").and_then(|file| fitted::table(&file));
    let written = table.and_then(|table| {
        std::fs::write(&out, table).map_err(|error| format!("fitted.rs could not be written: {error}"))
    });
    if let Err(error) = written {
        for line in error.lines() {
            println!("cargo:error={line}");
        }
        std::process::exit(1);
    }
}
