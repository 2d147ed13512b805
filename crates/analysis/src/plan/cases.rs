//! Cases of a search: each is one scenario whose layouts are tried.

use core::cmp::Reverse;

use super::batch::{dividing, sequences_of};
use super::{FastestLayout, Hardware, Laws, SearchKind, Terms};
use crate::execution::{polished, tuned};
use crate::held::Held;
use crate::layout_space::{LARGEST_MICRO_BATCH, LayoutSpace, SAVERS, doublings};
use crate::search::Space;
use catalog::families;
use engine::model::family::params;
use engine::params::ParamId;
use engine::scenario::{Model, Scenario};

/// One combination of hardware and scenario that a question covers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    /// Index of the hardware.
    pub(super) hardware: usize,
    /// The layouts of the case.
    pub(super) space: LayoutSpace,
    /// Whether gradients may accumulate over several micro-batches.
    accumulates: bool,
    /// Laws that hold for all layouts of the case.
    pub(super) laws: Laws,
}

impl Case {
    /// Creates the case of the layouts of a step of at most `most` sequences.
    fn new(hardware: usize, own: &Scenario, tuned: &Scenario, most: u32, held: Held) -> Self {
        let sequences = dividing(most, own.gpus);
        let space = LayoutSpace::new(own, tuned, sequences, LARGEST_MICRO_BATCH, held);
        Self { hardware, space, accumulates: true, laws: Laws::new(tuned) }
    }

    /// Creates a case on the scenario's own GPUs.
    fn here(own: &Scenario, most: u32, held: Held) -> Self {
        Self::new(0, own, &tuned(own, held), most, held)
    }
}

impl Case {
    /// Returns a layout of the case with the options of execution with which it is fastest.
    pub(super) fn polished(&self, layout: &Scenario) -> Scenario {
        polished(layout, self.space.own(), self.space.held())
    }

    /// Evaluates a polished layout of the case.
    pub(super) fn found(&self, layout: &Scenario) -> FastestLayout {
        FastestLayout::new(self.hardware, layout)
    }
}

impl Space for Case {
    type Candidate = Scenario;

    fn len(&self) -> usize {
        self.space.len()
    }

    fn next(&self, place: usize) -> usize {
        self.space.next(place)
    }

    fn at(&self, place: usize) -> Option<Scenario> {
        self.space.at(place).filter(|scenario| self.accumulates || scenario.grad_accum_steps == 1)
    }
}

/// Returns the cases of a search.
pub(super) fn list_cases(scenario: &Scenario, kind: SearchKind, terms: Terms, hardware: &[Hardware]) -> Vec<Case> {
    let Terms { batch, held, .. } = terms;
    let sequences = sequences_of(batch, scenario.seq_len);
    match kind {
        SearchKind::Runs => runs(scenario, sequences, held, hardware),
        SearchKind::Contexts => contexts(scenario, sequences, held),
        SearchKind::Models => {
            let sized = |model| Case::here(&scenario.with_model(model), sequences, held);
            models(&scenario.model).into_iter().map(sized).collect()
        }
        SearchKind::Batches => batches(scenario, held),
    }
}

/// Lists every number of GPUs of all hardware that can run the scenario; for the scenario's own
/// hardware, its own number as well. More GPUs make room, so no layout has memory savers that cost
/// time.
fn runs(scenario: &Scenario, sequences: u32, held: Held, hardware: &[Hardware]) -> Vec<Case> {
    let held = held.and(&SAVERS);
    let mut cases = Vec::new();
    for (place, of) in hardware.iter().enumerate().filter(|(_, of)| of.refused.is_none()) {
        let mut counts = of.counts();
        if of.is_own
            && let Err(at) = counts.binary_search(&scenario.gpus)
        {
            counts.insert(at, scenario.gpus);
        }
        // Which kernels are fastest does not depend on the number of GPUs.
        let tuned = tuned(&of.holding(scenario, of.network.values.gpus_per_node), held);
        cases.extend(counts.into_iter().map(|gpus| {
            let own = of.holding(scenario, gpus);
            let tuned = Scenario { gpus, shard_size: own.shard_size, ..tuned };
            Case::new(place, &own, &tuned, sequences, held)
        }));
    }
    cases
}

/// Lists multiples of the scenario's sequence length by which the batch divides, doublings beyond
/// the batch, and halves; the longest first. The batch keeps its tokens, and also grows up to one
/// sequence per GPU, for layouts with fewer replicas than GPUs.
fn contexts(scenario: &Scenario, batch: u32, held: Held) -> Vec<Case> {
    let Some(bounds) = ParamId::SequenceLength.number() else { return Vec::new() };
    let within = |seq_len: &u32| (bounds.min..=bounds.max).contains(&f64::from(*seq_len));
    let longer = (1..=batch).filter(|times| batch.is_multiple_of(*times));
    let longer = longer.filter_map(|times| Some((scenario.seq_len.checked_mul(times)?, batch / times)));
    let doubled = (0..u32::BITS).filter_map(|power| 1_u32.checked_shl(power)).filter(|times| *times > batch);
    let beyond = doubled.filter_map(|times| Some((scenario.seq_len.checked_mul(times)?, 1)));
    let halves = (1..u32::BITS).take_while(|power| (scenario.seq_len >> power) << power == scenario.seq_len);
    let shorter = halves.filter_map(|power| Some((scenario.seq_len >> power, batch.checked_mul(1 << power)?)));
    let mut lengths: Vec<(u32, u32)> =
        longer.chain(beyond).chain(shorter).filter(|(seq_len, _)| within(seq_len)).collect();
    lengths.sort_unstable_by_key(|(seq_len, _)| Reverse(*seq_len));
    let grown = |sequences: u32| {
        let doubled = core::iter::successors(Some(sequences), |count| count.checked_mul(2));
        doubled.take_while(move |count| *count == sequences || *count <= scenario.gpus)
    };
    let cases = |(seq_len, sequences)| {
        grown(sequences).map(move |count| Case::here(&Scenario { seq_len, ..*scenario }, count, held))
    };
    lengths.into_iter().flat_map(cases).collect()
}

/// A member of the ladder of GPT-style models.
const ON_THE_LADDER: &str = "ladder-13b";
/// Number of doublings and halvings to try for a model without a family.
const DOUBLINGS: i32 = 6;

/// Returns the published sizes of a model's family, or the doubled and halved sizes of a model
/// without a family; the largest first.
fn models(own: &Model) -> Vec<Model> {
    let family = if own.is_on_ladder() { families::model_family(ON_THE_LADDER) } else { own.family() };
    let mut models: Vec<Model> = if let Some(family) = family {
        let entries = family.members.iter().filter_map(|member| catalog::model(member.id));
        entries.map(catalog::ModelEntry::pick).collect()
    } else {
        let (least, most) = own.sizes();
        let times = |power: i32| if power < 0 { 1.0 / f64::from(1 << -power) } else { f64::from(1 << power) };
        let sizes = (-DOUBLINGS..=DOUBLINGS).map(|power| own.size() * times(power));
        sizes.filter(|size| (least..=most).contains(size)).map(|size| own.resized(size)).collect()
    };
    if !models.contains(own) {
        models.push(*own);
    }
    models.sort_by(|one, other| size(other).total_cmp(&size(one)));
    models
}

fn size(model: &Model) -> f64 {
    params(&model.architecture())
}

/// Largest micro-batch to try for the question about the largest batch.
const LARGEST_OF_ALL: u32 = 1024;

/// Lists batches of a step with one micro-batch per replica: the number of GPUs doubled and halved,
/// the largest first.
fn batches(scenario: &Scenario, held: Held) -> Vec<Case> {
    let times = doublings(1, LARGEST_OF_ALL).into_iter();
    let mut batches: Vec<u32> = times.map(|times| times.saturating_mul(scenario.gpus)).collect();
    let halves =
        (1..u32::BITS).take_while(|power| (scenario.gpus >> power) << power == scenario.gpus && scenario.gpus > 0);
    batches.extend(halves.map(|power| scenario.gpus >> power));
    batches.sort_unstable_by_key(|batch| Reverse(*batch));
    batches.dedup();
    let tuned = tuned(scenario, held);
    let case = |sequences| {
        let space = LayoutSpace::new(scenario, &tuned, sequences, LARGEST_OF_ALL, held);
        Case { hardware: 0, space, accumulates: false, laws: Laws::new(&tuned) }
    };
    batches.into_iter().map(case).collect()
}
