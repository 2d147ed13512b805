//! Predicts a row by its link.

use super::LeftOut;
use super::linked::Set;
use super::prediction::{Prediction, evaluated};
use super::row::Row;
use links::decode;

/// Predicts a row.
///
/// # Errors
///
/// Returns the reason for leaving out the row, or the part of the link that cannot be read.
pub fn predict(row: &Row) -> Result<Prediction, LeftOut> {
    let linked = &row.linked;
    if let Some(left_out) = &linked.left_out {
        return Err(left_out.clone());
    }
    if linked.set == Some(Set::Layer) {
        return Err(LeftOut::because("one layer, not a training step"));
    }
    let decoded = decode(&linked.link);
    if let Some(issue) = decoded.issues.into_iter().next() {
        return Err(LeftOut::because("the link cannot be read").about(issue.message));
    }
    Ok(evaluated(linked, decoded.scenario))
}
