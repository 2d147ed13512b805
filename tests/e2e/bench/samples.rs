//! Medians and quantiles.

/// Returns the quantile of the values at a fraction; `None` if there are no values.
pub(crate) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((share * last as f64).ceil() as usize).copied()
}

/// Returns the median.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}
