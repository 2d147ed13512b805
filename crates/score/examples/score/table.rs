//! Reads CSV files and evaluates their rows.

use std::collections::BTreeSet;
use std::path::Path;

use csv::ReaderBuilder;
use engine::scenario::issue::visible;
use score::LeftOut;
use score::cells::Cells;
use score::collectives::{self, Collective};
use score::columns;
use score::hybrid;
use score::library_step::LibraryStep;
use score::markdown;
use score::row::Row;
use score::schema::Schema;
use score::summary::Entry;
use score::traced::{self, Traced};
use score::tracker::{self, Tracked};

/// A row that is not a training run.
pub(crate) struct OtherRow<T> {
    /// Name of the file.
    pub(crate) file: String,
    /// Line number in the file; the header is line 1.
    pub(crate) number: u64,
    /// Identifier of the row, or its line number if there is none.
    pub(crate) id: String,
    /// The row, or the reason for leaving the row out.
    pub(crate) outcome: Result<T, LeftOut>,
}

/// The rows of all files.
#[derive(Default)]
pub(crate) struct Tables {
    /// Training runs.
    pub(crate) training: Vec<Entry>,
    /// Rows of the memory tracker.
    pub(crate) tracked: Vec<OtherRow<Tracked>>,
    /// Training steps traced tensor by tensor.
    pub(crate) traced: Vec<OtherRow<Traced>>,
    /// Traced training steps of models with state mixers.
    pub(crate) hybrid: Vec<OtherRow<LibraryStep>>,
    /// Measured collectives.
    pub(crate) collectives: Vec<OtherRow<Collective>>,
}

impl Tables {
    /// Reads a file and evaluates its rows. Tables without a score are named on stderr.
    pub(crate) fn read_file(&mut self, path: &str) -> Result<(), String> {
        let mut reader = ReaderBuilder::new()
            .flexible(true)
            .from_path(path)
            .map_err(|error| format!("`{path}` could not be read: {error}."))?;
        let header = reader.headers().map_err(|error| format!("`{path}` has no header: {error}."))?.clone();
        let names: Vec<&str> = header.iter().map(|name| name.trim().trim_start_matches('\u{feff}')).collect();
        let schema = Schema::from_header(&names).ok_or_else(|| {
            format!("`{path}` has columns that belong to no known table of measurements: {}.", names.join(", "))
        })?;
        let file = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy()).into_owned();
        if !schema.is_scored() {
            eprintln!("`{path}` holds {}.", schema.description());
            return Ok(());
        }
        let mut unread = BTreeSet::new();
        // The header is line 1.
        for (number, record) in (2..).zip(reader.records()) {
            let record = record.map_err(|error| format!("`{path}` could not be read to its end: {error}."))?;
            let cells: Cells = header.iter().zip(&record).collect();
            let file = file.clone();
            let id = Some(cells.get("row_id")).filter(|id| !id.is_empty());
            let id = id.map_or_else(|| number.to_string(), str::to_owned);
            match schema {
                Schema::Tracker => {
                    self.tracked.push(OtherRow { file, number, id, outcome: tracker::read_tracked_run(&cells) });
                }
                Schema::Traced => {
                    self.traced.push(OtherRow { file, number, id, outcome: traced::read_traced_step(&cells) });
                }
                Schema::Hybrid => {
                    self.hybrid.push(OtherRow { file, number, id, outcome: hybrid::read_hybrid_step(&cells) });
                }
                Schema::Collectives => {
                    self.collectives.push(OtherRow { file, number, id, outcome: collectives::read_collective(&cells) });
                }
                _ => {
                    unread.extend(columns::unread(&cells));
                    self.training.push(Entry::new(&file, Row::from_cells(&cells)));
                }
            }
        }
        for sentence in unread {
            eprintln!("`{path}`: {}", visible(&sentence));
        }
        Ok(())
    }

    /// Writes the tables of the documentation.
    pub(crate) fn markdown(&self) -> String {
        let (tracked, traced, hybrid) = (used(&self.tracked), used(&self.traced), used(&self.hybrid));
        markdown::report(&self.training, &tracked, &traced, &hybrid, &used(&self.collectives))
    }
}

/// Returns the rows that are not left out.
pub(crate) fn used<T: Clone>(lines: &[OtherRow<T>]) -> Vec<T> {
    lines.iter().filter_map(|line| line.outcome.clone().ok()).collect()
}
