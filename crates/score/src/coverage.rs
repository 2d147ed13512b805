//! Counts measured steps and peaks inside the range of their prediction, by kind and by silicon,
//! both with the engine's ranges and with ranges from the other sources of the kind.

use std::collections::BTreeMap;

use super::by_accelerator::is_apart;
use super::prediction::Prediction;
use super::quantile::{by_source, quantile};
use super::summary::Entry;
use catalog::accuracy::{Band, StepKind};
use engine::model::hardware::Generation;
use engine::model::odds::PeakKind;
use engine::scenario::Scenario;

/// Ratio of a measured step or peak to its prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual<K = StepKind> {
    /// Kind of run, which determines the expected error.
    pub kind: K,
    /// Generation of the accelerator.
    pub generation: Generation,
    /// Publisher of the row.
    pub source: String,
    /// Measured over predicted.
    pub ratio: f64,
    /// Range of the prediction.
    pub band: Band,
}

impl Residual {
    /// Returns the residual of a step that took `ratio` times its predicted time.
    pub fn new(source: &str, scenario: &Scenario, band: Band, ratio: f64) -> Self {
        let generation = scenario.accelerator.values.generation;
        Self { kind: StepKind::classify(scenario), generation, source: source.to_owned(), ratio, band }
    }
}

impl<K> Residual<K> {
    fn is_inside(&self, band: Band) -> bool {
        (band.low..=band.high).contains(&self.ratio)
    }
}

/// Returns the residuals of rows with a measured step, except rows whose author warns about their
/// accuracy.
pub fn residuals<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Residual> {
    let of = |prediction: &Prediction| {
        Some((StepKind::classify(&prediction.scenario), prediction.step_error()?, prediction.step_band))
    };
    let steps = entries.into_iter().filter_map(|entry| residual(entry, of));
    steps.filter(|step| !is_apart(&step.source, step.generation)).collect()
}

/// Returns the residuals of the rows with a measured peak.
pub fn peaks<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Residual<PeakKind>> {
    let of = |prediction: &Prediction| {
        Some((prediction.report.peak_kind(), prediction.memory_error()?, prediction.memory_band))
    };
    entries.into_iter().filter_map(|entry| residual(entry, of)).collect()
}

/// Returns the residual of a row. `of` gives the kind, the error (predicted over measured, less
/// one) and the range of the prediction.
fn residual<K>(entry: &Entry, of: impl Fn(&Prediction) -> Option<(K, f64, Band)>) -> Option<Residual<K>> {
    let prediction = entry.outcome.as_ref().ok()?;
    let (kind, error, band) = of(prediction)?;
    let generation = prediction.scenario.accelerator.values.generation;
    Some(Residual { kind, generation, source: entry.source().to_owned(), ratio: 1.0 / (1.0 + error), band })
}

/// Returns the 10th and the 90th percentile of the residuals, with sources weighted by the square
/// root of their rows; `None` if there are no residuals.
pub fn range<'a, K: 'a>(residuals: impl IntoIterator<Item = &'a Residual<K>>) -> Option<Band> {
    let weighted = by_source(residuals.into_iter().map(|residual| (residual.source.as_str(), residual.ratio)));
    Some(Band { low: quantile(&weighted, 0.1)?, high: quantile(&weighted, 0.9)? })
}

/// Statistics of a set of residuals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Covered {
    /// Number of residuals.
    pub rows: usize,
    /// Number of sources.
    pub sources: usize,
    /// Share of the residuals inside the range of their prediction.
    pub inside: f64,
    /// Number of residuals for which the other sources of the kind give a range.
    pub held_out: usize,
    /// Share of held-out residuals inside the range from other sources.
    pub held_out_inside: f64,
}

/// Minimum number of residuals from other sources for a range, and the maximum number of residuals
/// of one source per residual of the others.
const FEWEST: usize = 8;
const SPEAKS_FOR: usize = 5;

/// Returns for each residual whether it is inside the range from the other sources of its kind;
/// `None` if the other sources are too few.
fn held_out<K: Copy + Ord>(residuals: &[Residual<K>]) -> Vec<Option<bool>> {
    let mut ranges: BTreeMap<(K, &str), Option<Band>> = BTreeMap::new();
    let range_without = |residual: &Residual<K>, source: &str| {
        let others = || residuals.iter().filter(|other| other.kind == residual.kind && other.source != source);
        let own = residuals.iter().filter(|other| other.kind == residual.kind && other.source == source).count();
        let enough = others().count() >= FEWEST && others().count() * SPEAKS_FOR >= own;
        enough.then(|| range(others())).flatten()
    };
    residuals
        .iter()
        .map(|residual| {
            let key = (residual.kind, residual.source.as_str());
            let band = *ranges.entry(key).or_insert_with(|| range_without(residual, &residual.source));
            band.map(|band| residual.is_inside(band))
        })
        .collect()
}

/// A residual, and whether the residual is inside the range from other sources of its kind.
type Counted<'a, K> = (&'a Residual<K>, Option<bool>);

/// Groups residuals by a key and computes statistics for each group.
pub fn by<K: Copy + Ord, G: Ord>(residuals: &[Residual<K>], key: impl Fn(&Residual<K>) -> G) -> BTreeMap<G, Covered> {
    let mut groups: BTreeMap<G, Vec<Counted<'_, K>>> = BTreeMap::new();
    for (residual, held_out) in residuals.iter().zip(held_out(residuals)) {
        groups.entry(key(residual)).or_default().push((residual, held_out));
    }
    let share = |inside: &[bool]| inside.iter().filter(|is| **is).count() as f64 / inside.len().max(1) as f64;
    let covered = |of: Vec<Counted<'_, K>>| {
        let mut sources: Vec<&str> = of.iter().map(|(residual, _)| residual.source.as_str()).collect();
        sources.sort_unstable();
        sources.dedup();
        let inside: Vec<bool> = of.iter().map(|(residual, _)| residual.is_inside(residual.band)).collect();
        let held_out: Vec<bool> = of.iter().filter_map(|(_, inside)| *inside).collect();
        Covered {
            rows: of.len(),
            sources: sources.len(),
            inside: share(&inside),
            held_out: held_out.len(),
            held_out_inside: share(&held_out),
        }
    };
    groups.into_iter().map(|(key, of)| (key, covered(of))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residual(source: &str, ratio: f64) -> Residual {
        let band = Band { low: 0.9, high: 1.1 };
        Residual { kind: StepKind::Tuned, generation: Generation::Hopper, source: source.to_owned(), ratio, band }
    }

    #[test]
    fn a_range_is_held_against_the_sources_that_did_not_give_it() {
        // Ten rows of one source near 1, and one outlier of another source.
        let mut residuals: Vec<Residual> = (0..10).map(|at| residual("near", 0.95 + 0.01 * f64::from(at))).collect();
        residuals.push(residual("far", 2.0));
        let covered = by(&residuals, |_| ()).remove(&()).unwrap();
        assert_eq!((covered.rows, covered.sources), (11, 2));
        assert!((covered.inside - 10.0 / 11.0).abs() < 1e-12);
        // The outlier is compared with the ten other rows; the ten have no range from a single row.
        assert_eq!((covered.held_out, covered.held_out_inside), (1, 0.0));
    }

    #[test]
    fn a_source_weighs_as_the_square_root_of_its_rows() {
        let many = (0..16).map(|_| residual("many", 1.0));
        let few = (0..4).map(|_| residual("few", 2.0));
        let all: Vec<Residual> = many.chain(few).collect();
        // Weights 4 and 2: a third of the total weight is at 2.
        assert_eq!(range(&all), Some(Band { low: 1.0, high: 2.0 }));
        assert_eq!(range::<StepKind>(&[]), None);
    }
}
