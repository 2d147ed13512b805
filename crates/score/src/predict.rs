//! Predicts a row by its link, or by its columns.

use super::linked::{Linked, Set};
use super::prediction::{Prediction, evaluated};
use super::row::Row;
use super::{LeftOut, Notes, typed};
use links::decode;

/// Predicts a row by its link, or by its columns if there is no link.
///
/// # Errors
///
/// Returns the reason for leaving out the row.
pub fn predict(row: &Row) -> Result<Prediction, LeftOut> {
    row.linked.as_ref().map_or_else(|| typed::predict(row), |linked| linked.predict(row))
}

impl Linked {
    /// Predicts the row.
    ///
    /// # Errors
    ///
    /// Returns the reason for leaving out the row, or the part of the link that cannot be read.
    pub fn predict(&self, row: &Row) -> Result<Prediction, LeftOut> {
        if !self.left_out.is_empty() {
            return Err(LeftOut::because(&self.left_out).about(&self.completed));
        }
        if self.set == Set::Layer {
            return Err(LeftOut::because("one layer, not a training step"));
        }
        let decoded = decode(&self.link);
        if let Some(issue) = decoded.issues.into_iter().next() {
            return Err(LeftOut::because("the link cannot be read").about(issue.message));
        }
        let mut notes = Notes::default();
        self.completed.split("; ").filter(|note| !note.is_empty()).for_each(|note| notes.add(note));
        Ok(evaluated(row, decoded.scenario, notes, self.measured, self.batch_share, self.slowest))
    }
}
