//! Rows without their columns of prose, which is what a user's own row looks like: the columns alone, and no remarks of a person who
//! collected it.

use super::predict::{self, Prediction};
use super::row::Row;
use super::summary::Entry;
use engine::stats::Errors;

/// Returns a row without its remarks and its prose about number formats.
pub fn without(row: &Row) -> Row {
    Row { notes: String::new(), precision_detail: String::new(), ..row.clone() }
}

/// Returns an entry predicted without words. What the words say of the measurement still holds: that it failed, that its source warns
/// of it, what it counts.
pub fn entry(entry: &Entry) -> Entry {
    let blank = |with: &Prediction| {
        let prediction = predict::predict(&without(&entry.row))?;
        Ok(Prediction {
            measured_step: with.measured_step,
            measured_gib: with.measured_gib,
            measured_mfu: with.measured_mfu,
            memory_kind: with.memory_kind,
            memory_stage: with.memory_stage,
            ..prediction
        })
    };
    let outcome = entry.outcome.as_ref().map_err(Clone::clone).and_then(blank);
    Entry { file: entry.file.clone(), row: entry.row.clone(), outcome }
}

/// Errors of the step time of the same rows with and without words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Both {
    /// As the rows are.
    pub with: Option<Errors>,
    /// Without words.
    pub without: Option<Errors>,
    /// Rows that without words cannot be read.
    pub lost: usize,
}

/// Returns the errors of the rows with a measured step, with and without their words.
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
