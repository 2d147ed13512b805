//! Lists the folders of `programs/`: a program is added by its folder alone.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("programs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let folders = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut folders: Vec<_> =
        folders.map(|entry| entry.path()).filter(|path| path.join("keys.toml").is_file()).collect();
    folders.sort();
    let mut list = String::from("&[\n");
    for folder in folders {
        let key = folder.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(list, "    ({key:?}, include_str!({:?})),", folder.join("keys.toml").display().to_string());
    }
    list.push(']');
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    if let Err(error) = std::fs::write(Path::new(&out).join("programs.rs"), list) {
        println!("cargo:warning=The list of programs could not be written: {error}");
    }
}
