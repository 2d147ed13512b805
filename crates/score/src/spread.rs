//! The spread of the memory peaks: measured over predicted, of the rows that use a fair part of their GPU.

use super::summary::Entry;

/// Predicted peak over capacity from which a row counts. Below it, the fixed bytes of contexts and buffers are a large part of the
/// ratio, and whether the run fits is no question.
pub const LEAST_USE: f64 = 0.2;

/// The shares at which the distribution is kept.
pub const SHARES: [f64; 13] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];

/// Returns measured over predicted peak of every row that counts, in ascending order.
pub fn memory_ratios<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<f64> {
    let predictions = entries.into_iter().filter_map(|entry| entry.outcome.as_ref().ok());
    let counted = predictions.filter(|prediction| {
        let memory = &prediction.report.memory;
        memory.peak >= LEAST_USE * memory.capacity
    });
    let mut ratios: Vec<f64> =
        counted.filter_map(|prediction| Some(1.0 / (1.0 + prediction.memory_error()?))).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// Returns the value at or below which this share of sorted values lies; `None` if there are none.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * share).round() as usize).copied()
}
