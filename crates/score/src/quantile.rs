//! Quantiles of weighted ratios.

use std::collections::BTreeMap;

/// Returns the smallest value at or below which `share` of the total weight lies, for pairs of
/// value and weight; `None` if there are no pairs.
pub fn quantile(weighted: &[(f64, f64)], share: f64) -> Option<f64> {
    let mut sorted = weighted.to_vec();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all: f64 = sorted.iter().map(|ratio| ratio.1).sum();
    let mut below = 0.0;
    sorted
        .iter()
        .find(|(_, weight)| {
            below += weight;
            below >= share * all
        })
        .or(sorted.last())
        .map(|ratio| ratio.0)
}

/// Returns ratios with weights, grouped by source. Each source weighs the square root of its rows,
/// so that long tables do not dominate.
pub fn by_source<'a>(ratios: impl IntoIterator<Item = (&'a str, f64)>) -> Vec<(f64, f64)> {
    let mut sources: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (source, ratio) in ratios {
        sources.entry(source).or_default().push(ratio);
    }
    let weight = |ratios: &[f64]| 1.0 / (ratios.len() as f64).sqrt();
    sources.values().flat_map(|ratios| ratios.iter().map(|ratio| (*ratio, weight(ratios)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_go_by_weight() {
        let weighted = [(3.0, 1.0), (1.0, 1.0), (2.0, 2.0)];
        assert_eq!(
            [0.0, 0.25, 0.26, 0.75, 0.76, 1.0].map(|share| quantile(&weighted, share)),
            [1.0, 1.0, 2.0, 2.0, 3.0, 3.0].map(Some)
        );
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_source_weighs_as_the_square_root_of_its_rows() {
        let weighted = by_source([("many", 1.0), ("few", 2.0), ("many", 1.0), ("many", 1.0), ("many", 1.0)]);
        assert_eq!(weighted, [(2.0, 1.0), (1.0, 0.5), (1.0, 0.5), (1.0, 0.5), (1.0, 0.5)]);
    }
}
