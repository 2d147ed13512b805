//! Lists the folders of `programs/`: a program is added by its folder alone.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("programs");
    println!("cargo:rerun-if-changed={}", folder.display());
    for (table, list) in [("keys.toml", "programs.rs"), ("quiet.toml", "quiet.rs"), ("refusals.toml", "refusals.rs")] {
        if let Err(error) = write(&folder, table, list) {
            println!("cargo:warning=The list of programs could not be written: {error}");
        }
    }
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
