//! How many measured steps and peaks lie in the range beside their prediction, by what decides
//! their error and by silicon: as the ranges stand, and with the range that a kind's other sources
//! give.

use std::collections::BTreeMap;

use super::by_accelerator::is_apart;
use super::predict::Prediction;
use super::quantile::{by_source, quantile};
use super::summary::Entry;
use catalog::accuracy::{Band, Kind, PeakKind};
use engine::model::hardware::Generation;
use engine::scenario::Scenario;

/// A measured step or peak over its prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual<K = Kind> {
    /// What decides how far off it is.
    pub kind: K,
    /// Its silicon.
    pub generation: Generation,
    /// Its publisher.
    pub source: String,
    /// Measured over predicted.
    pub ratio: f64,
    /// The range beside the prediction.
    pub band: Band,
}

impl Residual {
    /// Returns the residual of a scenario's step that took `ratio` times its prediction.
    pub fn new(source: &str, scenario: &Scenario, band: Band, ratio: f64) -> Self {
        let generation = scenario.accelerator.values.generation;
        Self { kind: Kind::of(scenario), generation, source: source.to_owned(), ratio, band }
    }
}

impl<K> Residual<K> {
    fn is_inside(&self, band: Band) -> bool {
        (band.low..=band.high).contains(&self.ratio)
    }
}

/// Returns the residuals of the rows with a measured step, those apart whose author warns of them.
pub fn residuals<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Residual> {
    let of = |prediction: &Prediction| {
        Some((Kind::of(&prediction.scenario), prediction.step_error()?, prediction.step_band))
    };
    let steps = entries.into_iter().filter_map(|entry| residual(entry, of));
    steps.filter(|step| !is_apart(&step.source, step.generation)).collect()
}

/// Returns the residuals of the rows with a measured peak.
pub fn peaks<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Residual<PeakKind>> {
    let of = |prediction: &Prediction| {
        Some((PeakKind::of(&prediction.report), prediction.memory_error()?, prediction.memory_band))
    };
    entries.into_iter().filter_map(|entry| residual(entry, of)).collect()
}

/// The residual of a row, from its kind, its error (predicted over measured, less one) and the
/// range beside the prediction.
fn residual<K>(entry: &Entry, of: impl Fn(&Prediction) -> Option<(K, f64, Band)>) -> Option<Residual<K>> {
    let prediction = entry.outcome.as_ref().ok()?;
    let (kind, error, band) = of(prediction)?;
    let generation = prediction.scenario.accelerator.values.generation;
    Some(Residual { kind, generation, source: entry.source().to_owned(), ratio: 1.0 / (1.0 + error), band })
}

/// Returns the 10th and the 90th percentile of the residuals, each source weighing as the square
/// root of its rows; `None` if there are none.
pub fn range<'a, K: 'a>(residuals: impl IntoIterator<Item = &'a Residual<K>>) -> Option<Band> {
    let weighted = by_source(residuals.into_iter().map(|residual| (residual.source.as_str(), residual.ratio)));
    Some(Band { low: quantile(&weighted, 0.1)?, high: quantile(&weighted, 0.9)? })
}

/// Residuals counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Covered {
    /// How many there are.
    pub rows: usize,
    /// From how many sources.
    pub sources: usize,
    /// Share of them in the range beside their prediction.
    pub inside: f64,
    /// How many are of a kind that has other sources as well.
    pub held_out: usize,
    /// Share of these in the range that the other sources give.
    pub held_out_inside: f64,
}

/// Fewest residuals of other sources that give a range, and for how many of one source each of them
/// may speak.
const FEWEST: usize = 8;
const SPEAKS_FOR: usize = 5;

/// Returns for each residual whether it lies in the range that its kind's other sources give;
/// `None` where these are too few.
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

/// A residual, and whether it lies in the range of its kind's other sources.
type Counted<'a, K> = (&'a Residual<K>, Option<bool>);

/// Counts the residuals by a key.
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
        Residual { kind: Kind::Tuned, generation: Generation::Hopper, source: source.to_owned(), ratio, band }
    }

    #[test]
    fn a_range_is_held_against_the_sources_that_did_not_give_it() {
        // Ten rows of one source near 1, one row of another far off.
        let mut residuals: Vec<Residual> = (0..10).map(|at| residual("near", 0.95 + 0.01 * f64::from(at))).collect();
        residuals.push(residual("far", 2.0));
        let covered = by(&residuals, |_| ()).remove(&()).unwrap();
        assert_eq!((covered.rows, covered.sources), (11, 2));
        assert!((covered.inside - 10.0 / 11.0).abs() < 1e-12);
        // The one far row is held against the ten others; the ten have no range from one row alone.
        assert_eq!((covered.held_out, covered.held_out_inside), (1, 0.0));
    }

    #[test]
    fn a_source_weighs_as_the_square_root_of_its_rows() {
        let many = (0..16).map(|_| residual("many", 1.0));
        let few = (0..4).map(|_| residual("few", 2.0));
        let all: Vec<Residual> = many.chain(few).collect();
        // Weights 4 and 2: a third of the weight at 2.
        assert_eq!(range(&all), Some(Band { low: 1.0, high: 2.0 }));
        assert_eq!(range::<Kind>(&[]), None);
    }
}
