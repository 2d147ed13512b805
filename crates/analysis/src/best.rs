//! The best MFU of a model on a cluster over sequence length, micro-batch and recomputation: a grid
//! search with the engine, to compare with the closed-form bounds of arXiv 2504.03655, which asks
//! how far memory and bandwidth limit MFU.
//!
//! GPU memory decides only which candidates fit. The candidates are therefore evaluated once per
//! link rate, and every memory size picks among them.

use super::layout_space::MODES;
use super::search::{Indices, Objective, Screening, Search, Space};
use super::sweep::{Sample, sample};
use engine::model::choices::Choices;
use engine::model::training::Recompute;
use engine::scenario::Scenario;
use engine::units::Bytes;

/// Sequence lengths to try, in tokens: common lengths of training.
const SEQUENCES: [u32; 9] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
/// Micro-batches to try, in sequences.
const MICRO_BATCHES: [u32; 5] = [1, 2, 4, 8, 16];

/// Candidates of one search.
pub const CANDIDATES: usize = SEQUENCES.len() * MICRO_BATCHES.len() * MODES.len();

/// Fraction of the best MFU that counts as equally fast: a further 5 % does not count as a limit by
/// memory or bandwidth.
pub const NEARLY: f64 = 0.95;

/// An evaluated configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Tokens in one sequence.
    pub seq_len: u32,
    /// Sequences in one micro-batch.
    pub micro_batch_size: u32,
    /// The activations that are recomputed.
    pub recompute: Recompute,
    /// The results of the configuration, with the memory of the scenario's GPU.
    pub sample: Sample,
}

impl Candidate {
    /// Returns the scenario in this configuration.
    #[must_use]
    pub fn apply_to(&self, scenario: &Scenario) -> Scenario {
        let Self { seq_len, micro_batch_size, recompute, .. } = *self;
        Scenario { seq_len, micro_batch_size, choices: Choices { recompute, ..scenario.choices }, ..*scenario }
    }
}

/// A capacity from which another candidate is the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The capacity.
    pub from: Bytes,
    /// MFU of the candidate.
    pub mfu: f64,
    /// Memory that it needs.
    pub needed: Bytes,
}

/// Returns the MFU at a capacity between the steps ([`Candidates::steps`]). Lengths and batches are
/// tried by factors of two, and what lies between two of them lies between their steps too.
pub fn between(steps: &[Step], capacity: Bytes) -> f64 {
    let above = steps.partition_point(|step| step.from <= capacity);
    match (above.checked_sub(1).and_then(|below| steps.get(below)), steps.get(above)) {
        (Some(low), Some(high)) => {
            let share = (capacity / low.from).ln() / (high.from / low.from).ln();
            low.mfu + share * (high.mfu - low.mfu)
        }
        (Some(step), None) | (None, Some(step)) => step.mfu,
        (None, None) => 0.0,
    }
}

/// Every candidate of one scenario, in a buffer that is reused.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    all: Vec<Candidate>,
}

/// Whether memory decides only which candidates fit. False with a rollout engine next to training,
/// whose share of the memory depends on the GPU.
pub fn holds(scenario: &Scenario) -> bool {
    !scenario.objective.task.generates()
}

/// The candidates around a scenario.
struct Grid<'a>(&'a Scenario);

impl Space for Grid<'_> {
    type Candidate = Scenario;

    fn len(&self) -> usize {
        CANDIDATES
    }

    fn at(&self, place: usize) -> Option<Scenario> {
        let mut indices = Indices(place);
        let choices = Choices { recompute: indices.on(&MODES)?, ..self.0.choices };
        let (micro_batch_size, seq_len) = (indices.on(&MICRO_BATCHES)?, indices.on(&SEQUENCES)?);
        Some(Scenario { seq_len, micro_batch_size, choices, ..*self.0 })
    }
}

impl Objective<Scenario> for Candidates {
    fn weigh(&mut self, _: usize, candidate: &Scenario) -> Screening {
        let Scenario { seq_len, micro_batch_size, .. } = *candidate;
        let sample = sample(candidate);
        self.all.push(Candidate { seq_len, micro_batch_size, recompute: candidate.recompute, sample });
        if sample.fits() { Screening::Fits } else { Screening::Misses }
    }
}

impl Candidates {
    /// Evaluates all candidates of a scenario, the fastest first.
    pub fn evaluate(&mut self, scenario: &Scenario) {
        self.all.clear();
        *self = Search::through(&Grid(scenario), core::mem::take(self));
        self.all.sort_unstable_by(|one, other| other.sample.mfu.total_cmp(&one.sample.mfu));
    }

    /// Returns the fastest candidate within a capacity, else the one that needs the least memory
    /// and does not fit. Its sample has this capacity, and the allocator's peak on the scenario's
    /// own GPU. `None` before the first evaluation.
    pub fn best(&self, capacity: Bytes) -> Option<Candidate> {
        let fitting = self.all.iter().find(|candidate| candidate.sample.least_capacity() <= capacity);
        let found = fitting.or_else(|| self.all.iter().min_by(|one, other| by_need(one, other)));
        found.map(|found| Candidate { sample: Sample { capacity, ..found.sample }, ..*found })
    }

    /// Returns the candidates that are the best from some capacity on, by that capacity.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        // The fastest first: of the slower ones, those that need less than all before.
        for Candidate { sample, .. } in &self.all {
            let from = sample.least_capacity();
            if steps.last().is_none_or(|last| from < last.from) {
                steps.push(Step { from, mfu: sample.mfu, needed: sample.needed });
            }
        }
        steps.reverse();
        steps
    }

    /// Returns the capacity at which the best candidate is nearly ([`NEARLY`]) as fast as with the
    /// largest capacity considered; `None` if nothing fits in the largest.
    pub fn enough(&self, most: Bytes) -> Option<Bytes> {
        let best = self.best(most).filter(|best| best.sample.fits())?.sample.mfu;
        let near = self.all.iter().take_while(|candidate| candidate.sample.mfu >= NEARLY * best);
        near.min_by(|one, other| by_need(one, other)).map(|found| found.sample.least_capacity())
    }
}

fn by_need(one: &Candidate, other: &Candidate) -> core::cmp::Ordering {
    one.sample.needed.get().total_cmp(&other.sample.needed.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use engine::units::BytesPerSecond;
    use links::decode;

    fn candidates(scenario: &Scenario) -> Candidates {
        let mut candidates = Candidates::default();
        candidates.evaluate(scenario);
        candidates
    }

    /// Property that lets one evaluation serve every memory size.
    #[test]
    fn memory_decides_only_what_fits() {
        for link in
            ["", "cluster=dgx-h100&model=llama-3.1-8b&gpus=16", "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8"]
        {
            let scenario = decode(link).scenario;
            let of_one = candidates(&scenario);
            for gib in [8.0, 40.0, 141.0, 288.0] {
                let mut moved = scenario;
                moved.accelerator.values.memory = Bytes::from_gib(gib);
                let capacity = moved.accelerator.values.usable_memory();
                let found = |candidates: &Candidates| {
                    candidates.best(capacity).map(|best| {
                        let Sample { mfu, needed, time_limiter, pressure, .. } = best.sample;
                        (best.seq_len, best.micro_batch_size, best.recompute, mfu, needed, time_limiter, pressure)
                    })
                };
                assert_eq!(found(&of_one), found(&candidates(&moved)), "{link} {gib}");
            }
        }
    }

    #[test]
    fn the_best_fits_where_anything_does_and_nothing_that_fits_is_faster() {
        let scenario = default_scenario();
        let all = candidates(&scenario);
        assert_eq!(all.all.len(), CANDIDATES);
        for gib in [1.0, 20.0, 40.0, 80.0] {
            let capacity = Bytes::from_gib(gib);
            let best = all.best(capacity).unwrap();
            let fitting = || all.all.iter().filter(|candidate| candidate.sample.least_capacity() <= capacity);
            assert_eq!(best.sample.fits(), fitting().count() > 0, "{gib}");
            assert!(fitting().all(|candidate| candidate.sample.mfu <= best.sample.mfu), "{gib}");
            let report = best.apply_to(&scenario).report();
            assert_eq!((report.update.mfu, report.memory.needed), (best.sample.mfu, best.sample.needed), "{gib}");
        }
    }

    #[test]
    fn between_the_steps_it_rises_from_one_to_the_next() {
        let all = candidates(&default_scenario());
        let steps = all.steps();
        assert!(steps.len() > 4 && steps.is_sorted_by(|one, other| one.from < other.from && one.mfu <= other.mfu));
        for step in &steps {
            assert_eq!(between(&steps, step.from), step.mfu);
            assert_eq!(all.best(step.from).unwrap().sample.mfu, step.mfu);
        }
        let mut last = 0.0;
        for gib in 1..300 {
            let capacity = Bytes::from_gib(f64::from(gib));
            let mfu = between(&steps, capacity);
            let fits = all.best(capacity).filter(|best| best.sample.fits());
            assert!(mfu >= last && fits.is_none_or(|best| mfu >= best.sample.mfu), "{gib}");
            last = mfu;
        }
        assert_eq!(between(&[], Bytes::from_gib(1.0)), 0.0);
    }

    #[test]
    fn with_enough_memory_the_best_is_nearly_that_of_the_most() {
        let all = candidates(&default_scenario());
        let best = |capacity| all.best(capacity).filter(|best| best.sample.fits()).map_or(0.0, |best| best.sample.mfu);
        for gib in [20.0, 80.0, 288.0] {
            let enough = all.enough(Bytes::from_gib(gib)).unwrap();
            let most = best(Bytes::from_gib(gib));
            assert!(enough.gib() <= gib && best(enough) >= NEARLY * most, "{gib}");
            assert!(best(enough * 0.999) < NEARLY * most, "{gib}");
        }
        assert_eq!(all.enough(Bytes::from_gib(0.1)), None);
    }

    /// The paper's finding: bandwidth can make up for a lack of memory, and vice versa.
    #[test]
    fn more_memory_or_more_bandwidth_is_never_slower() {
        let mut last = [0.0; 5];
        for gbit in [10.0, 50.0, 200.0, 800.0, 3200.0] {
            let mut scenario = Scenario { model: catalog::model("llama-3.1-8b").unwrap().pick(), ..default_scenario() };
            scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(gbit);
            let all = candidates(&scenario);
            let row = [24.0, 40.0, 80.0, 141.0, 288.0].map(|gib| {
                all.best(Bytes::from_gib(gib)).filter(|best| best.sample.fits()).map_or(0.0, |best| best.sample.mfu)
            });
            assert!(row.is_sorted() && row.iter().zip(last).all(|(now, before)| *now >= before), "{gbit}: {row:?}");
            last = row;
        }
        assert!(last[1] > 0.0);
    }
}
