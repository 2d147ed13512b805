//! Medians and quantiles.

/// The value below which this share of the values lies; `None` of none.
pub(crate) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((share * last as f64).ceil() as usize).copied()
}

/// The value in the middle.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}
