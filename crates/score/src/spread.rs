//! Distribution of memory peaks: measured over predicted, for rows that use a substantial part of
//! their GPU.

use std::collections::BTreeMap;

use super::prediction::Prediction;
use super::quantile::{by_source, quantile};
use super::summary::Entry;
use engine::model::odds::{PeakKind, SMALL_USE};

/// Quantiles at which a distribution is printed.
pub const SHARES: [f64; 13] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];

/// Returns measured over predicted peak of a row that counts. Rows with a small peak do not count:
/// fixed bytes of contexts and buffers dominate their ratio, and the run fits in any case.
fn ratio(prediction: &Prediction) -> Option<f64> {
    let memory = &prediction.report.memory;
    let counts = memory.peak >= SMALL_USE * memory.capacity;
    prediction.memory_error().filter(|_| counts).map(|error| 1.0 / (1.0 + error))
}

/// Returns measured over predicted peak of all rows that count.
pub fn memory_ratios<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<f64> {
    entries.into_iter().filter_map(|entry| ratio(entry.outcome.as_ref().ok()?)).collect()
}

/// Distribution of the ratios of one kind of run.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Number of rows.
    pub rows: usize,
    /// Ratios at [`SHARES`].
    pub ratios: [f64; SHARES.len()],
}

/// Returns the distribution of each kind with rows, with sources weighted by the square root of
/// their rows.
pub fn by_kind<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeMap<PeakKind, Distribution> {
    let mut kinds: BTreeMap<PeakKind, Vec<(&str, f64)>> = BTreeMap::new();
    for entry in entries {
        let Ok(prediction) = &entry.outcome else { continue };
        let Some(ratio) = ratio(prediction) else { continue };
        kinds.entry(prediction.report.peak_kind()).or_default().push((entry.source(), ratio));
    }
    let of = |ratios: Vec<(&str, f64)>| {
        let weighted = by_source(ratios);
        Distribution {
            rows: weighted.len(),
            ratios: SHARES.map(|share| quantile(&weighted, share).unwrap_or(f64::NAN)),
        }
    };
    kinds.into_iter().map(|(kind, ratios)| (kind, of(ratios))).collect()
}
