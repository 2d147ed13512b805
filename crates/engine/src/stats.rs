//! Means, medians and ranks.

/// Statistics of errors relative to the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Number of errors.
    pub count: usize,
    /// Median of the absolute errors.
    pub median: f64,
    /// Mean of the absolute errors.
    pub mean: f64,
    /// Mean of the signed errors.
    pub signed: f64,
}

impl Errors {
    /// Summarises errors; `None` if there are none.
    pub fn from_errors(errors: &[f64]) -> Option<Self> {
        let absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        Some(Self { count: errors.len(), median: median(&absolute)?, mean: mean(&absolute)?, signed: mean(errors)? })
    }
}

/// Returns the mean; `None` for an empty slice.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Returns the median, which for an even count is the mean of the middle two; `None` for an empty
/// slice.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get((sorted.len() - 1) / 2)?;
    Some(0.5 * (lower + upper))
}

/// Returns the median of non-negative values without a sorted copy, to the bit as [`median`]
/// returns it: non-negative floats are ordered like their bits, so the middle values are found bit
/// by bit.
pub fn median_size(sizes: &[f64]) -> Option<f64> {
    let last = sizes.len().checked_sub(1)?;
    // The smallest value with more than `rank` values at or below it.
    let ranked = |rank: usize| {
        let mut bits = 0_u64;
        for bit in (0..u64::BITS - 1).rev() {
            let below = bits | ((1 << bit) - 1);
            let at_most = sizes.iter().filter(|size| size.to_bits() <= below).count();
            if at_most <= rank {
                bits |= 1 << bit;
            }
        }
        f64::from_bits(bits)
    };
    Some(0.5 * (ranked(last / 2) + ranked(sizes.len() / 2)))
}

/// Returns Spearman's rank correlation of pairs, with ties at their mean rank; `None` for fewer
/// than three pairs or constant ranks.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let first = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let second = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let (mean_first, mean_second) = (mean(&first)?, mean(&second)?);
    let (mut covariance, mut variance_first, mut variance_second) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(&second) {
        covariance += (a - mean_first) * (b - mean_second);
        variance_first += (a - mean_first) * (a - mean_first);
        variance_second += (b - mean_second) * (b - mean_second);
    }
    let scale = (variance_first * variance_second).sqrt();
    (scale > 0.0).then(|| covariance / scale)
}

/// Returns the rank of each value; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    values.iter().map(|value| below(*value) + 0.5 * (equal(*value) - 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_agree_correlate_whatever_the_scale() {
        assert_eq!(spearman(&[(1.0, 10.0), (2.0, 1e6), (3.0, 2e6)]), Some(1.0));
        assert_eq!(spearman(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
        assert_eq!(spearman(&[(1.0, 3.0), (2.0, 2.0)]), None);
    }

    #[test]
    fn medians_of_even_numbers_lie_between() {
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn sizes_have_the_same_median_without_an_order() {
        let mut sizes = Vec::new();
        for seed in 1..60_u32 {
            sizes.push(f64::from(seed * 7919 % 1009) / f64::from(seed % 5 + 1));
            assert_eq!(median_size(&sizes), median(&sizes), "{sizes:?}");
        }
        assert_eq!(median_size(&[]), None);
        assert_eq!(median_size(&[0.0, 0.0, 1e308]), Some(0.0));
    }
}
