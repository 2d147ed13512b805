//! Lists the folders of `tables/`: a program is added by its folder alone.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("tables");
    println!("cargo:rerun-if-changed={}", folder.display());
    if let Err(error) = write_included(&folder) {
        println!("cargo:warning=The list of included tables could not be written: {error}");
    }
    for (table, list) in [("keys.toml", "programs.rs"), ("quiet.toml", "quiet.rs"), ("refusals.toml", "refusals.rs")] {
        if let Err(error) = write(&folder, table, list) {
            println!("cargo:warning=The list of programs could not be written: {error}");
        }
    }
}

/// Writes the list of the tables that several programs include, each with its text.
fn write_included(folder: &Path) -> std::io::Result<()> {
    let files = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    let mut rows = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(rows, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join("included.rs"), rows + "]")
}

/// Writes the list of the folders that have a table, each with the table's text.
fn write(folder: &Path, table: &str, list: &str) -> std::io::Result<()> {
    let folders = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut folders: Vec<_> = folders.filter(|path| path.join(table).is_file()).collect();
    folders.sort();
    let mut rows = String::from("&[\n");
    for folder in folders {
        let key = folder.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(rows, "    ({key:?}, include_str!({:?})),", folder.join(table).display().to_string());
    }
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join(list), rows + "]")
}
