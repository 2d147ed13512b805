//! A CSV file, read.

use std::path::Path;

use csv::{ReaderBuilder, StringRecord};
use shardwise::measured::row::Row;
use shardwise::measured::schema::Schema;
use shardwise::measured::score::Entry;

/// What a file holds.
pub(crate) enum Table {
    /// Training runs, evaluated.
    Training(Vec<Entry>),
    /// Something that has no score.
    NotScored(&'static str),
}

/// Reads a file and evaluates its rows.
pub(crate) fn read(path: &str) -> Result<Table, String> {
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .from_path(path)
        .map_err(|error| format!("`{path}` could not be read: {error}."))?;
    let header = reader.headers().map_err(|error| format!("`{path}` has no header: {error}."))?.clone();
    let names: Vec<&str> = header.iter().map(|name| name.trim().trim_start_matches('\u{feff}')).collect();
    let schema = Schema::of(&names).ok_or_else(|| {
        format!("`{path}` has columns that belong to no known table of measurements: {}.", names.join(", "))
    })?;
    if schema != Schema::Training {
        return Ok(Table::NotScored(schema.description()));
    }
    let file = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    let mut entries = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!("`{path}` could not be read to its end: {error}."))?;
        let row = Row::read(|name| column(&names, &record, name));
        entries.push(Entry::new(&file, row));
    }
    Ok(Table::Training(entries))
}

fn column<'a>(names: &[&str], record: &'a StringRecord, name: &str) -> Option<&'a str> {
    record.get(names.iter().position(|known| *known == name)?)
}
