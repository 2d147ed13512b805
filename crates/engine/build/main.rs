//! Generates the fitted constants of the engine and its table of parameters from `data/`. A wrong
//! row fails the build.

mod fitted;
mod parameters;
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod rows;
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod shape;

use std::path::PathBuf;

/// A table: its rows in `data/`, the Rust file that is generated, and the function that writes it.
type Table = (&'static str, &'static str, fn(&rows::File) -> Result<String, String>);

const TABLES: [Table; 2] =
    [("fitted.toml", "fitted.rs", fitted::table), ("parameters.toml", "parameters.rs", parameters::table)];

fn main() {
    println!("cargo:rerun-if-changed=build");
    let errors: Vec<String> = TABLES.iter().filter_map(|table| write(table).err()).collect();
    for line in errors.iter().flat_map(|error| error.lines()) {
        println!("cargo:error={line}");
    }
    if !errors.is_empty() {
        std::process::exit(1);
    }
}

fn write((data, generated, table): &Table) -> Result<(), String> {
    let folder = |variable| PathBuf::from(std::env::var(variable).unwrap_or_default());
    let file = rows::read(&folder("CARGO_MANIFEST_DIR").join("../.."), &format!("data/{data}"))?;
    std::fs::write(folder("OUT_DIR").join(generated), table(&file)?)
        .map_err(|error| format!("{generated} could not be written: {error}"))
}
