//! Scores predictions against measurements.

use std::collections::BTreeMap;

use super::LeftOut;
use super::linked::Set;
use super::predict::predict;
use super::prediction::Prediction;
use super::row::Row;
use catalog::accuracy::{Band, FAST_MFU};
use engine::model::transformer::Architecture;
use engine::stats::{Errors, spearman};

/// A row with its prediction.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name of the row's file.
    pub file: String,
    /// The row.
    pub row: Row,
    /// The prediction, or the reason for having none.
    pub outcome: Result<Prediction, LeftOut>,
}

impl Entry {
    /// Evaluates a row.
    pub fn new(file: &str, row: Row) -> Self {
        Self { file: file.to_owned(), outcome: predict(&row), row }
    }

    /// Returns the publisher, or the file if the row has no publisher.
    pub fn source(&self) -> &str {
        if self.row.source.is_empty() { &self.file } else { &self.row.source }
    }

    /// Returns the subject of the row, as stated, or else of its scenario.
    pub fn set(&self) -> Set {
        let by_scenario = || match self.outcome.as_ref().map(|prediction| prediction.scenario) {
            Ok(scenario) if !scenario.trained.is_all() => Set::Tuned,
            Ok(scenario) if is_mixture(&scenario.model.architecture()) => Set::Mixture,
            _ => Set::Dense,
        };
        self.row.linked.set.unwrap_or_else(by_scenario)
    }

    /// Returns whether the row is about fine-tuning, as stated by its table or by its trained part.
    pub fn is_fine_tuned(&self) -> bool {
        self.set() == Set::Tuned
    }

    /// Returns whether the row is about a mixture of experts or latent attention.
    pub fn is_mixture(&self) -> bool {
        matches!(self.set(), Set::Mixture | Set::Layer)
    }

    /// Returns whether the measured MFU shows that the hardware limited the step.
    pub fn is_fast(&self) -> Option<bool> {
        self.outcome.as_ref().ok()?.measured.mfu.map(|mfu| mfu >= FAST_MFU)
    }
}

/// Returns whether a shape has experts or latent attention.
fn is_mixture(shape: &Architecture) -> bool {
    shape.has_experts() || shape.latent.is_used()
}

/// Counts of rows by outcome and prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Ran, and predicted to fit.
    pub ran_fits: usize,
    /// Ran, but predicted not to fit.
    pub ran_does_not: usize,
    /// Failed, and predicted not to fit.
    pub failed_does_not: usize,
    /// Failed, but predicted to fit.
    pub failed_fits: usize,
}

/// Score of a set of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Number of rows.
    pub rows: usize,
    /// Number of rows with a prediction.
    pub used: usize,
    /// Number of rows without a prediction, by reason.
    pub left_out: BTreeMap<String, usize>,
    /// Errors of step time of rows with a measured MFU of [`FAST_MFU`] or more.
    pub fast: Option<Errors>,
    /// Errors of step time of the other rows.
    pub slow: Option<Errors>,
    /// Rank correlation of predicted and measured step times of the other rows.
    pub slow_ranks: Option<f64>,
    /// Errors of peak memory.
    pub memory: Option<Errors>,
    /// Fraction of step times inside the accuracy band.
    pub step_inside: Option<f64>,
    /// Fraction of memory peaks inside the accuracy band.
    pub memory_inside: Option<f64>,
    /// Counts of rows by outcome and prediction.
    pub confusion: Confusion,
}

fn share(inside: &[bool]) -> Option<f64> {
    (!inside.is_empty()).then(|| inside.iter().filter(|inside| **inside).count() as f64 / inside.len() as f64)
}

/// Returns whether the measurement is inside the band around a prediction with this `error`.
pub(crate) fn inside(band: Band, error: f64) -> bool {
    let ratio = 1.0 / (1.0 + error);
    (band.low..=band.high).contains(&ratio)
}

/// Scores a set of rows.
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
        if let (Some(error), Some(measured)) = (prediction.step_error(), prediction.measured.step_time_s) {
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
    score.fast = Errors::from_errors(&fast);
    score.slow = Errors::from_errors(&slow);
    score.slow_ranks = spearman(&ranks);
    score.memory = Errors::from_errors(&memory);
    score.step_inside = share(&step_inside);
    score.memory_inside = share(&memory_inside);
    score
}

/// Scores rows by source, in alphabetical order.
pub fn by_source<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeMap<&'a str, Score> {
    let mut groups: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        groups.entry(entry.source()).or_default().push(entry);
    }
    groups.into_iter().map(|(source, entries)| (source, score(entries))).collect()
}
