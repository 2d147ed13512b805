//! `rows.txt`: every published row that measured a step time or a peak of memory, as the page's figure reads it.

#[path = "../score/table.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the score example, which uses all of it")]
mod table;

use std::path::{Path, PathBuf};

use shardwise::measured::published::{self, Published};

/// Where the tables lie: of dense models, and of mixtures of experts.
const FOLDERS: [&str; 2] = ["tests/measured", "tests/measured/mixtures"];

/// The text of the file.
pub(crate) fn rows(root: &Path) -> Result<String, String> {
    let mut tables = table::Tables::default();
    for folder in FOLDERS {
        for file in files(&root.join(folder))? {
            tables.read(&file.to_string_lossy())?;
        }
    }
    let rows: Vec<_> = tables.training.iter().filter_map(Published::of).collect();
    Ok(published::write(&rows))
}

/// The tables of a folder, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("`{}` could not be read: {error}.", folder.display()))?;
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|kind| kind == "csv")).collect();
    files.sort();
    Ok(files)
}
