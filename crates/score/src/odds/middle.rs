//! Median and spread of measured over predicted peaks, by kind, for runs that are not truncated by
//! the capacity.

use std::collections::BTreeMap;

use crate::quantile::{by_source, quantile};
use crate::summary::Entry;
use engine::model::odds::{PeakKind, SMALL_USE};

/// Minimum ratio of capacity to needed bytes for an untruncated peak: a peak one third above its
/// prediction still fits.
const WHOLE: f64 = 1.3;
/// Minimum number of peaks for a kind to have its own median.
const FEWEST: usize = 25;

/// Median and spread of the logarithm of measured over predicted peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Middle {
    /// The median.
    pub median: f64,
    /// Half of the interquartile range.
    pub spread: f64,
}

/// Returns the median and spread of each kind, with sources weighted by the square root of their
/// rows. Kinds with few peaks use all rows, with equal weight for each generation of accelerators.
pub fn middles<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeMap<PeakKind, Middle> {
    let mut kinds: BTreeMap<PeakKind, Vec<(&str, f64)>> = BTreeMap::new();
    let mut generations: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for entry in entries {
        let Ok(prediction) = &entry.outcome else { continue };
        let memory = &prediction.report.memory;
        let is_whole = memory.capacity >= WHOLE * memory.needed && memory.peak >= SMALL_USE * memory.capacity;
        let Some(error) = prediction.memory_error().filter(|_| is_whole) else { continue };
        let ratio = -(1.0 + error).ln();
        kinds.entry(prediction.report.stack_kind()).or_default().push((entry.source(), ratio));
        let generation = prediction.scenario.accelerator.values.generation;
        generations.entry(generation as usize).or_default().push(ratio);
    }
    let alike = |ratios: &Vec<f64>| ratios.iter().map(|ratio| (*ratio, 1.0 / ratios.len() as f64)).collect::<Vec<_>>();
    let Some(every) = middle(&generations.values().flat_map(alike).collect::<Vec<_>>()) else {
        return BTreeMap::new();
    };
    let of = |kind: PeakKind| {
        let own = kinds.get(&kind).filter(|ratios| ratios.len() >= FEWEST);
        (kind, own.and_then(|ratios| middle(&by_source(ratios.iter().copied()))).unwrap_or(every))
    };
    PeakKind::ALL.into_iter().map(of).collect()
}

/// Returns median and spread of weighted ratios.
fn middle(weighted: &[(f64, f64)]) -> Option<Middle> {
    let [low, median, high] = [0.25, 0.5, 0.75].map(|share| quantile(weighted, share));
    let spread = (high? - low?) / 2.0;
    Some(Middle { median: median?, spread }).filter(|of| of.spread > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_half_gives_the_spread() {
        let of = middle(&(0..=100).map(|step| (f64::from(step), 1.0)).collect::<Vec<_>>()).unwrap();
        assert_eq!((of.median, of.spread), (50.0, 25.0));
        assert_eq!(middle(&[(0.1, 1.0), (0.1, 1.0)]), None, "no spread");
    }
}
