//! Writes `rows.txt`: every published row with a step time or a memory peak, in the format that the
//! page reads.

use std::path::{Path, PathBuf};

use analysis::published::{self, Published};
use csv::Reader;
use score::cells::Cells;
use score::publish;
use score::row::Row;
use score::schema::Schema;
use score::summary::Entry;

/// Folders of the tables: dense models, and mixtures of experts.
const FOLDERS: [&str; 2] = ["tests/measured", "tests/measured/mixtures"];

/// Returns the text of the file: sources in alphabetical order, the rows of each in the order of
/// its tables.
pub(crate) fn rows(root: &Path) -> Result<String, String> {
    let mut rows = Vec::new();
    for folder in FOLDERS {
        for file in files(&root.join(folder))? {
            let read = add_runs(&file, &mut rows);
            read.map_err(|error| format!("`{}` could not be read: {error}.", file.display()))?;
        }
    }
    rows.sort_by(|one, other| one.source.cmp(&other.source));
    Ok(published::write(&rows))
}

/// Returns the tables of a folder, sorted by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("`{}` could not be read: {error}.", folder.display()))?;
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|kind| kind == "csv")).collect();
    files.sort();
    Ok(files)
}

/// Reads the training runs of a table. Other tables add no rows.
fn add_runs(path: &Path, rows: &mut Vec<Published>) -> csv::Result<()> {
    let mut reader = Reader::from_path(path)?;
    let header = reader.headers()?.clone();
    let names: Vec<&str> = header.iter().collect();
    if Schema::from_header(&names) != Some(Schema::Training) {
        return Ok(());
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for record in reader.records() {
        let record = record?;
        let cells: Cells = names.iter().copied().zip(&record).collect();
        rows.extend(publish::published(&Entry::new(&file, Row::from_cells(&cells))));
    }
    Ok(())
}
