//! Lists the folders of `programs/`: a program is added by its folder alone. Makes the readers of
//! `config.json` from the rows of `data/huggingface.toml`: a row that is wrong, or has no source,
//! fails the build.

mod families;
mod formula;
#[path = "../../engine/build/rows.rs"]
#[allow(dead_code, reason = "shared with the engine, whose tables use all of it")]
mod rows;

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=build");
    let made = rows::read(&root.join("../.."), "data/huggingface.toml").and_then(|file| families::readers(&file));
    let written = made.and_then(|readers| {
        write(&out.join("families.rs"), &readers)?;
        write(&out.join("programs.rs"), &programs(&root.join("programs")))
    });
    if let Err(error) = written {
        for line in error.lines() {
            println!("cargo:error={line}");
        }
        std::process::exit(1);
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{} could not be written: {error}", path.display()))
}

/// The tables of the programs' keys.
fn programs(folder: &Path) -> String {
    println!("cargo:rerun-if-changed={}", folder.display());
    let folders = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut tables: Vec<_> =
        folders.map(|entry| entry.path().join("keys.toml")).filter(|path| path.is_file()).collect();
    tables.sort();
    let mut list = String::from("&[\n");
    for table in tables {
        println!("cargo:rerun-if-changed={}", table.display());
        let _ = writeln!(list, "    include_str!({:?}),", table.display().to_string());
    }
    list.push(']');
    list
}
