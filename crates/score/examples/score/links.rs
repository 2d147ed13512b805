//! Writes the scenario of each training run as a link beside its row.

use std::path::Path;

use csv::{ReaderBuilder, Writer};
use score::converted::{COLUMNS, cells};
use score::row::{self, Row};
use score::summary::Entry;

/// Writes the columns of links into a table of training runs: beside it first, then in its place.
pub(crate) fn write(path: &str) -> Result<(), String> {
    let unread = |error: csv::Error| format!("`{path}` could not be read: {error}.");
    let mut reader = ReaderBuilder::new().flexible(true).from_path(path).map_err(unread)?;
    let header = reader.headers().map_err(unread)?.clone();
    let names: Vec<&str> = header.iter().map(|name| name.trim().trim_start_matches('\u{feff}')).collect();
    if !row::is_training(&names) {
        eprintln!("`{path}` holds no training runs, and stays as it is.");
        return Ok(());
    }
    let file = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy()).into_owned();
    let kept: Vec<usize> =
        (0..names.len()).filter(|place| names.get(*place).is_none_or(|name| !COLUMNS.contains(name))).collect();
    let own = |cells: &csv::StringRecord| -> Vec<String> {
        kept.iter().map(|place| cells.get(*place).unwrap_or_default().to_owned()).collect()
    };
    let mut writer = Writer::from_writer(Vec::new());
    let unwritten = |error: csv::Error| format!("`{path}` could not be written: {error}.");
    let names_kept = own(&header).into_iter().map(|name| name.trim_start_matches('\u{feff}').to_owned());
    writer.write_record(names_kept.chain(COLUMNS.map(str::to_owned))).map_err(unwritten)?;
    for record in reader.records() {
        let record = record.map_err(unread)?;
        let column = |name: &str| record.get(names.iter().position(|known| *known == name)?);
        let cells = cells(&Entry::new(&file, Row { linked: None, ..Row::read(column) }))?;
        writer.write_record(own(&record).into_iter().chain(cells)).map_err(unwritten)?;
    }
    let text = writer.into_inner().map_err(|error| format!("`{path}` could not be written: {error}."))?;
    let beside = format!("{path}.new");
    std::fs::write(&beside, text)
        .and_then(|()| std::fs::rename(&beside, path))
        .map_err(|error| format!("`{path}` could not be written: {error}."))
}
