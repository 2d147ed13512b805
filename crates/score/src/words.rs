//! Rows read by their columns alone, as a row of a user's own table is: without the link that was
//! made of their source.

use super::predict::{self, Prediction};
use super::row::Row;
use super::summary::Entry;
use engine::stats::Errors;

/// Returns a row without its link.
pub fn without(row: &Row) -> Row {
    Row { linked: None, ..row.clone() }
}

/// Returns an entry predicted by its columns. What was measured stays as it compares.
pub fn entry(entry: &Entry) -> Entry {
    let outcome = entry.outcome.as_ref().map_err(Clone::clone).and_then(|linked| {
        let read = predict::predict(&without(&entry.row))?;
        let scenario = read.scenario;
        Ok(predict::evaluated(&entry.row, scenario, read.notes, linked.measured, read.batch_share, read.slowest))
    });
    Entry { file: entry.file.clone(), row: entry.row.clone(), outcome }
}
/// Errors of the step time of the same rows by link and by columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Both {
    /// By links.
    pub with: Option<Errors>,
    /// By columns.
    pub without: Option<Errors>,
    /// Rows whose columns do not say enough.
    pub lost: usize,
}

/// Returns the errors of the rows with a measured step, by their links and by their columns.
pub fn both<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Both {
    let error = |entry: &Entry| entry.outcome.as_ref().ok().and_then(Prediction::step_error);
    let (mut with, mut without, mut lost) = (Vec::new(), Vec::new(), 0);
    for one in entries {
        let Some(said) = error(one) else { continue };
        match error(&entry(one)) {
            Some(unsaid) => {
                with.push(said);
                without.push(unsaid);
            }
            None => lost += 1,
        }
    }
    Both { with: Errors::of(&with), without: Errors::of(&without), lost }
}
