//! Lists the folders of `programs/`: a program is added by its folder alone.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("programs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let folders = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut tables: Vec<_> =
        folders.map(|entry| entry.path().join("keys.toml")).filter(|path| path.is_file()).collect();
    tables.sort();
    let mut list = String::from("&[\n");
    for table in tables {
        println!("cargo:rerun-if-changed={}", table.display());
        let _ = writeln!(list, "    include_str!({:?}),", table.display().to_string());
    }
    list.push(']');
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    if let Err(error) = std::fs::write(Path::new(&out).join("programs.rs"), list) {
        println!("cargo:warning=The list of programs could not be written: {error}");
    }
}
