//! Writes the data files that the page loads on demand, into the folder where Trunk assembles the
//! site (`Trunk.toml`) or into a given folder:
//! `cargo run -p score --example site_data -- FOLDER`.

mod rows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Root of the checkout.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).or_else(|| std::env::var_os("TRUNK_STAGING_DIR"));
    let Some(folder) = folder.map(PathBuf::from) else {
        eprintln!("Name the folder that the files go to: site_data FOLDER");
        return ExitCode::FAILURE;
    };
    match write(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Writes every data file of the site.
fn write(folder: &Path) -> Result<(), String> {
    put(folder, "rows.txt", &rows::rows(Path::new(ROOT))?)
}

fn put(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|error| format!("`{}` could not be written: {error}.", path.display()))
}
