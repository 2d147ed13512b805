//! Predictions of many rows against their measurements.

use std::collections::BTreeMap;

use super::LeftOut;
use super::predict::{self, Prediction};
use super::row::Row;
use super::scope;
use engine::catalog::accuracy::{Band, FAST_MFU};
use engine::stats::{Errors, spearman};

/// A row with what the engine says of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file that it was read from.
    pub file: String,
    /// The row.
    pub row: Row,
    /// Its prediction, or why there is none.
    pub outcome: Result<Prediction, LeftOut>,
}

impl Entry {
    /// Evaluates a row.
    pub fn new(file: &str, row: Row) -> Self {
        Self { file: file.to_owned(), outcome: predict::predict(&row), row }
    }

    /// The publisher, or the file where the row names none.
    pub fn source(&self) -> &str {
        if self.row.source.is_empty() { &self.file } else { &self.row.source }
    }

    /// Whether the row is of a mixture of experts, or of latent attention.
    pub fn is_mixture(&self) -> bool {
        let shape = self.outcome.as_ref().ok().map(|prediction| prediction.scenario.model.architecture());
        scope::is_mixture(&self.row, shape.as_ref())
    }

    /// Whether the measured MFU says that the hardware limited the step.
    pub fn is_fast(&self) -> Option<bool> {
        self.outcome.as_ref().ok()?.measured_mfu.map(|mfu| mfu >= FAST_MFU)
    }
}

/// What fits and what ran, of rows that record it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Ran, and called fitting.
    pub ran_fits: usize,
    /// Ran, but called out of memory.
    pub ran_does_not: usize,
    /// Failed, and called out of memory.
    pub failed_does_not: usize,
    /// Failed, but called fitting.
    pub failed_fits: usize,
}

/// The score of a set of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Rows.
    pub rows: usize,
    /// Rows with a prediction.
    pub used: usize,
    /// Rows without, by reason.
    pub left_out: BTreeMap<String, usize>,
    /// Step time of rows whose measured MFU is [`FAST_MFU`] or more.
    pub fast: Option<Errors>,
    /// Step time of the others.
    pub slow: Option<Errors>,
    /// Rank correlation of the others' predicted and measured step times.
    pub slow_ranks: Option<f64>,
    /// Peak memory.
    pub memory: Option<Errors>,
    /// Share of step times inside the band.
    pub step_inside: Option<f64>,
    /// Share of peaks inside the band.
    pub memory_inside: Option<f64>,
    /// What fits and what ran.
    pub confusion: Confusion,
}

fn share(inside: &[bool]) -> Option<f64> {
    (!inside.is_empty()).then(|| inside.iter().filter(|inside| **inside).count() as f64 / inside.len() as f64)
}

/// Whether the measurement lies in the band around the prediction that is off by `error`.
fn inside(band: Band, error: f64) -> bool {
    let ratio = 1.0 / (1.0 + error);
    (band.low..=band.high).contains(&ratio)
}

/// The score of these rows.
pub fn score<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Score {
    let mut score = Score::default();
    let (mut fast, mut slow, mut ranks, mut memory) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut step_inside, mut memory_inside) = (Vec::new(), Vec::new());
    for entry in entries {
        score.rows += 1;
        let prediction = match &entry.outcome {
            Ok(prediction) => prediction,
            Err(left_out) => {
                *score.left_out.entry(left_out.reason.clone()).or_default() += 1;
                continue;
            }
        };
        score.used += 1;
        if let (Some(error), Some((measured, _))) = (prediction.step_error(), prediction.measured_step) {
            step_inside.push(inside(prediction.step_band, error));
            if entry.is_fast() == Some(true) {
                fast.push(error);
            } else {
                slow.push(error);
                ranks.push((prediction.step_time_s, measured));
            }
        }
        if let Some(error) = prediction.memory_error() {
            memory.push(error);
            memory_inside.push(inside(prediction.memory_band, error));
        }
        let fits = prediction.fits;
        let confusion = &mut score.confusion;
        if entry.row.failed() {
            *(if fits { &mut confusion.failed_fits } else { &mut confusion.failed_does_not }) += 1;
        } else if entry.row.succeeded() {
            *(if fits { &mut confusion.ran_fits } else { &mut confusion.ran_does_not }) += 1;
        }
    }
    score.fast = Errors::of(&fast);
    score.slow = Errors::of(&slow);
    score.slow_ranks = spearman(&ranks);
    score.memory = Errors::of(&memory);
    score.step_inside = share(&step_inside);
    score.memory_inside = share(&memory_inside);
    score
}

/// Scores by source, in alphabetical order.
pub fn by_source<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeMap<&'a str, Score> {
    let mut groups: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        groups.entry(entry.source()).or_default().push(entry);
    }
    groups.into_iter().map(|(source, entries)| (source, score(entries))).collect()
}
