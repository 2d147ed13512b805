//! Predicts rows by their columns alone, without the links created from their sources, like rows of
//! a user's own table.

use super::predict::predict;
use super::prediction::{Prediction, evaluated};
use super::row::Row;
use super::summary::Entry;
use engine::stats::Errors;

/// Returns a row without its link.
pub fn without(row: &Row) -> Row {
    Row { linked: None, ..row.clone() }
}

/// Returns an entry predicted by its columns, compared with the measured values of the link.
pub fn entry(entry: &Entry) -> Entry {
    let outcome = entry.outcome.as_ref().map_err(Clone::clone).and_then(|linked| {
        let read = predict(&without(&entry.row))?;
        let scenario = read.scenario;
        Ok(evaluated(&entry.row, scenario, read.notes, linked.measured, read.batch_share, read.slowest))
    });
    Entry { file: entry.file.clone(), row: entry.row.clone(), outcome }
}
/// Errors of step times for rows predicted both by link and by columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Both {
    /// Errors of predictions by link.
    pub with: Option<Errors>,
    /// Errors of predictions by columns.
    pub without: Option<Errors>,
    /// Rows without a prediction by columns.
    pub lost: usize,
}

/// Returns the errors of rows with a measured step, by link and by columns.
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
