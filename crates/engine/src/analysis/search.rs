//! Searches and ranks every layout of one batch of one model on one cluster: strategies, degrees of
//! parallelism, micro-batches, recomputation. Model, precision, sequence length, GPUs and the
//! tokens of a step stay fixed.
//!
//! There are thousands of layouts, so the caller evaluates them in batches with
//! [`Ranking::advance`].

use super::advice::errors;
use super::change;
use crate::model::report::Report;
use crate::model::training::Recompute;
use crate::params::{self, ParamId};
use crate::scenario::{Scenario, Strategy};
use crate::units::Seconds;

/// Number of layouts that are kept.
pub const MOST: usize = 8;
/// Largest pipeline-parallel degree that is tried.
const MOST_STAGES: u32 = 32;
/// Largest expert-parallel degree that is tried.
const MOST_EXPERT_GROUPS: u32 = 64;
/// Largest micro-batch that is tried.
const LARGEST_MICRO_BATCH: u32 = 16;
/// Fewest tokens of a sequence that context parallelism leaves on a GPU.
const FEWEST_TOKENS: u32 = 8192;
/// The strategies, in the order that breaks ties: the one closest to a plain data-parallel loop
/// first.
const STRATEGIES: [Strategy; 6] = [
    Strategy::Ddp,
    Strategy::Zero1,
    Strategy::Zero2,
    Strategy::FullShard,
    Strategy::ShardGradOp,
    Strategy::HybridShard,
];
/// The recomputation modes, from the least to the most recomputation.
const MODES: [Recompute; 4] = [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full];

/// The parameters that a layout sets.
const LAID_OUT: [ParamId; 7] = [
    ParamId::MicroBatchSize,
    ParamId::GradAccumSteps,
    ParamId::Tp,
    ParamId::Cp,
    ParamId::Pp,
    ParamId::Ep,
    ParamId::ShardSize,
];

/// A layout that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The scenario in this layout.
    pub scenario: Scenario,
    /// The report of the scenario.
    pub report: Report,
}

impl Layout {
    /// Returns the key under which two layouts count as the same kind: the degrees of parallelism,
    /// whether weights are sharded, and whether only within a group.
    fn kind(&self) -> (u32, u32, u32, u32, bool, bool) {
        let Scenario { tp, cp, pp, ep, strategy, shard_size, .. } = self.scenario;
        // A group of all GPUs is none.
        let in_groups = strategy.uses_shard_size() && shard_size < self.scenario.degrees().dp;
        (tp, cp, pp, ep, strategy.shards_weights(), in_groups)
    }
}

/// The state of a search: candidates, progress, and the best layouts so far.
#[derive(Clone, Debug)]
pub struct Ranking {
    base: Scenario,
    /// Number of errors of the base scenario; a layout may have as many.
    errors: usize,
    /// Sequences of a step, over all replicas.
    sequences: u32,
    /// Candidate degrees of pipeline, context, tensor and expert parallelism, from the slowest to
    /// vary to the fastest.
    degrees: [Vec<u32>; 4],
    micro_batches: Vec<u32>,
    at: usize,
    fitting: usize,
    best: Vec<Layout>,
}

impl Ranking {
    /// Creates a search around a scenario; nothing is evaluated yet.
    pub fn new(base: &Scenario) -> Self {
        let shape = base.model.architecture();
        let mesh = base.degrees();
        let layers = shape.num_hidden_layers.max(1);
        let node = base.network.values.gpus_per_node.min(shape.num_attention_heads);
        let longest = (base.seq_len / FEWEST_TOKENS).max(1);
        let groups = shape.experts.num_experts.min(MOST_EXPERT_GROUPS);
        let degrees = [
            doublings(mesh.pp, layers.min(MOST_STAGES).min(base.gpus)),
            doublings(mesh.cp, longest.min(base.gpus)),
            doublings(mesh.tp, node.min(base.gpus)),
            doublings(mesh.ep, groups.min(base.gpus)),
        ];
        Self {
            base: *base,
            errors: errors(base),
            sequences: base.micro_batch_size.saturating_mul(base.grad_accum_steps).saturating_mul(mesh.dp),
            degrees,
            micro_batches: doublings(base.micro_batch_size, LARGEST_MICRO_BATCH),
            at: 0,
            fitting: 0,
            best: Vec::with_capacity(MOST + 1),
        }
    }

    /// Number of combinations; those that do not divide evenly are skipped when reached.
    pub fn len(&self) -> usize {
        let degrees: usize = self.degrees.iter().map(Vec::len).product();
        degrees * self.micro_batches.len() * MODES.len() * STRATEGIES.len()
    }

    /// Whether there are no combinations; always false.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of combinations visited so far.
    pub fn tried(&self) -> usize {
        self.at
    }

    /// Number of visited combinations that fit.
    pub fn fitting(&self) -> usize {
        self.fitting
    }

    /// Returns the best layouts so far, fastest first, one of each kind: sharding and degrees of
    /// parallelism.
    pub fn best(&self) -> &[Layout] {
        &self.best
    }

    /// Visits up to `count` more combinations. Returns whether the search is complete.
    pub fn advance(&mut self, count: usize) -> bool {
        let end = self.len().min(self.at.saturating_add(count));
        while self.at < end {
            if let Some(scenario) = self.candidate(self.at) {
                self.weigh(scenario);
            }
            self.at += 1;
        }
        self.at == self.len()
    }

    /// Returns the combination at an index if its degrees divide the GPUs, its micro-batches divide
    /// the batch, and every number is within its bounds, so that the link of the layout reproduces
    /// it.
    fn candidate(&self, place: usize) -> Option<Scenario> {
        let mut rest = place;
        let mut digit = |count: usize| {
            let digit = rest % count;
            rest /= count;
            digit
        };
        let micro_batch_size = *self.micro_batches.get(digit(self.micro_batches.len()))?;
        let recompute = *MODES.get(digit(MODES.len()))?;
        let strategy = *STRATEGIES.get(digit(STRATEGIES.len()))?;
        let [pps, cps, tps, eps] = &self.degrees;
        let mut degree = |values: &Vec<u32>| values.get(digit(values.len())).copied();
        let (ep, tp, cp, pp) = (degree(eps)?, degree(tps)?, degree(cps)?, degree(pps)?);
        let mut scenario = Scenario { micro_batch_size, tp, cp, pp, ep, recompute, ..self.base };
        let mesh = scenario.degrees();
        if (mesh.pp, mesh.cp, mesh.tp, mesh.ep) != (pp, cp, tp, ep) {
            return None;
        }
        let together = micro_batch_size.checked_mul(mesh.dp)?;
        if !self.sequences.is_multiple_of(together) {
            return None;
        }
        scenario.grad_accum_steps = self.sequences / together;
        change::choose(&mut scenario, strategy);
        LAID_OUT.iter().all(|id| params::is_within_bounds(id.param(), &scenario)).then_some(scenario)
    }

    /// Evaluates a combination and inserts it among the best layouts.
    fn weigh(&mut self, scenario: Scenario) {
        let report = scenario.report();
        if !report.fits() {
            return;
        }
        self.fitting += 1;
        let layout = Layout { scenario, report };
        let time = |layout: &Layout| layout.report.time.step;
        let slowest = self.best.last().map_or(Seconds::new(f64::INFINITY), time);
        if self.best.len() >= MOST && time(&layout) >= slowest {
            return;
        }
        let twin = self.best.iter().position(|other| other.kind() == layout.kind());
        if twin.and_then(|twin| self.best.get(twin)).is_some_and(|twin| time(twin) <= time(&layout)) {
            return;
        }
        // Validation is expensive, so it comes last.
        if errors(&scenario) > self.errors {
            return;
        }
        if let Some(twin) = twin {
            self.best.remove(twin);
        }
        let place = self.best.partition_point(|other| time(other) <= time(&layout));
        self.best.insert(place, layout);
        self.best.truncate(MOST);
    }
}

/// Returns the powers of two up to a bound, together with the present value.
fn doublings(now: u32, most: u32) -> Vec<u32> {
    let mut values: Vec<u32> = (0..u32::BITS - 1).map(|power| 1 << power).take_while(|value| *value <= most).collect();
    if let Err(place) = values.binary_search(&now) {
        values.insert(place, now);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::default_scenario;
    use crate::share::{decode, encode};

    fn ranked(scenario: &Scenario) -> Ranking {
        let mut ranking = Ranking::new(scenario);
        assert!(ranking.advance(usize::MAX));
        ranking
    }

    #[test]
    fn every_way_trains_the_same_tokens_on_the_same_gpus_and_fits() {
        let base = decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&seq=8k&mbs=1&accum=4").scenario;
        let ranking = ranked(&base);
        let best = ranking.best();
        assert!(best.len() > 3 && best.is_sorted_by_key(|layout| layout.report.time.step.get()));
        for layout in best {
            assert!(layout.report.fits());
            assert_eq!(layout.report, layout.scenario.report());
            assert_eq!(layout.report.tokens_per_step, base.report().tokens_per_step);
            assert_eq!((layout.scenario.gpus, layout.scenario.seq_len), (base.gpus, base.seq_len));
            assert!(errors(&layout.scenario) <= errors(&base));
        }
    }

    #[test]
    fn the_best_is_no_slower_than_the_scenario_and_than_its_neighbours() {
        for link in
            ["", "cluster=dgx-h100&model=llama-3-8b&gpus=16&accum=8", "cluster=dgx-h100&model=mixtral-8x7b&gpus=64"]
        {
            let base = decode(link).scenario;
            let best = ranked(&base).best().first().copied().unwrap();
            let time = |scenario: &Scenario| {
                let report = scenario.report();
                if report.fits() { report.time.step.get() } else { f64::INFINITY }
            };
            assert!(time(&best.scenario) <= time(&base), "{link}");
            for strategy in STRATEGIES {
                for recompute in MODES {
                    let mut other = Scenario { recompute, ..best.scenario };
                    change::choose(&mut other, strategy);
                    assert!(
                        time(&best.scenario) <= time(&other) || errors(&other) > errors(&base),
                        "{link} {strategy:?}"
                    );
                }
            }
        }
    }

    /// 4,096 accumulation steps in a pipeline of three stages, which do not divide the GPUs: on one
    /// stage the same batch takes 8,192 steps, twice the parameter's maximum, and its link would be
    /// read as 4,096.
    #[test]
    fn no_way_leaves_the_bounds_of_a_parameter() {
        let base = decode("v=1&rev=6&accum=4096&gpus=64&pp=3&size=7B").scenario;
        let ranking = ranked(&base);
        assert!(!ranking.best().is_empty());
        for layout in ranking.best() {
            assert!(layout.scenario.grad_accum_steps <= 4096, "{}", layout.scenario.grad_accum_steps);
            assert_eq!(decode(&encode(&layout.scenario)).scenario, layout.scenario);
        }
    }

    #[test]
    fn pieces_find_what_the_whole_finds() {
        let base = default_scenario();
        let whole = ranked(&base);
        let mut pieces = Ranking::new(&base);
        let mut calls = 1;
        while !pieces.advance(97) {
            calls += 1;
        }
        assert_eq!(calls, pieces.len().div_ceil(97));
        assert_eq!((pieces.best(), pieces.fitting()), (whole.best(), whole.fitting()));
    }

    #[test]
    fn nothing_fits_where_nothing_can() {
        let base = decode("model=llama-3.1-405b&gpus=4&seq=8k").scenario;
        let ranking = ranked(&base);
        assert_eq!((ranking.best().len(), ranking.fitting()), (0, 0));
    }

    #[test]
    fn degrees_are_doubled_from_one_and_hold_what_is() {
        assert_eq!(doublings(1, 8), [1, 2, 4, 8]);
        assert_eq!(doublings(6, 8), [1, 2, 4, 6, 8]);
        assert_eq!(doublings(16, 1), [1, 16]);
    }
}
