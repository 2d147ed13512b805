//! Every way to lay out one batch of one model on one cluster, ranked: strategies, degrees of parallelism, micro-batches,
//! recomputation. Model, precision, sequence length, GPUs and the tokens of a step stay.
//!
//! There are thousands of ways: whoever asks goes on with [`Ranking::advance`] in pieces as large as it has time for.

use super::advice::{self, errors};
use crate::model::report::Report;
use crate::model::training::Recompute;
use crate::params::{self, ParamId};
use crate::scenario::{Scenario, Strategy};
use crate::units::Seconds;

/// How many ways are kept.
pub const MOST: usize = 8;
/// The most stages of a pipeline that are tried.
const MOST_STAGES: u32 = 32;
/// The most groups of experts that are tried.
const MOST_EXPERT_GROUPS: u32 = 64;
/// The largest micro-batch that is tried.
const LARGEST_MICRO_BATCH: u32 = 16;
/// The fewest tokens of a sequence that a GPU is left with under context parallelism.
const FEWEST_TOKENS: u32 = 8192;
/// The strategies, in the order in which equals rank: what changes least about a plain data-parallel loop first.
const STRATEGIES: [Strategy; 6] = [
    Strategy::Ddp,
    Strategy::Zero1,
    Strategy::Zero2,
    Strategy::FullShard,
    Strategy::ShardGradOp,
    Strategy::HybridShard,
];
/// The recomputation modes, the dearest last.
const MODES: [Recompute; 4] = [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full];

/// The parameters that a way sets.
const LAID_OUT: [ParamId; 7] = [
    ParamId::MicroBatchSize,
    ParamId::GradAccumSteps,
    ParamId::Tp,
    ParamId::Cp,
    ParamId::Pp,
    ParamId::Ep,
    ParamId::ShardSize,
];

/// One way that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The scenario laid out this way.
    pub scenario: Scenario,
    /// Its report.
    pub report: Report,
}

impl Way {
    /// What makes two ways alike: the degrees of parallelism, whether weights are sharded, and whether only within a group.
    fn kind(&self) -> (u32, u32, u32, u32, bool, bool) {
        let Scenario { tp, cp, pp, ep, strategy, .. } = self.scenario;
        (tp, cp, pp, ep, strategy.shards_weights(), strategy.uses_shard_size())
    }
}

/// The search: what is tried, how far it is, and the best so far.
#[derive(Clone, Debug)]
pub struct Ranking {
    base: Scenario,
    /// What was wrong before may stay.
    errors: usize,
    /// Sequences of a step.
    sequences: u32,
    /// What is tried of each degree, from the slowest to change to the fastest.
    degrees: [Vec<u32>; 4],
    micro_batches: Vec<u32>,
    at: usize,
    fitting: usize,
    best: Vec<Way>,
}

impl Ranking {
    /// A search around a scenario, not begun.
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

    /// How many combinations there are; those that do not come out even are passed over.
    pub fn len(&self) -> usize {
        let degrees: usize = self.degrees.iter().map(Vec::len).product();
        degrees * self.micro_batches.len() * MODES.len() * STRATEGIES.len()
    }

    /// Whether there is nothing to try; there always is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of them were looked at.
    pub fn tried(&self) -> usize {
        self.at
    }

    /// How many of those fit.
    pub fn fitting(&self) -> usize {
        self.fitting
    }

    /// The best so far, fastest first, one of a kind: the kind of sharding and the degrees of parallelism.
    pub fn best(&self) -> &[Way] {
        &self.best
    }

    /// Looks at so many more; whether that was all.
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

    /// The combination at a place, if its degrees divide the GPUs, its micro-batches the batch, and every number is within its
    /// bounds, so that the link of the layout opens it.
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
        advice::choose(&mut scenario, strategy);
        LAID_OUT.iter().all(|id| params::is_within_bounds(id.param(), &scenario)).then_some(scenario)
    }

    /// Puts a combination where it belongs among the best.
    fn weigh(&mut self, scenario: Scenario) {
        let report = scenario.report();
        if !report.fits() {
            return;
        }
        self.fitting += 1;
        let way = Way { scenario, report };
        let time = |way: &Way| way.report.time.step;
        let slowest = self.best.last().map_or(Seconds::new(f64::INFINITY), time);
        if self.best.len() >= MOST && time(&way) >= slowest {
            return;
        }
        let twin = self.best.iter().position(|other| other.kind() == way.kind());
        if twin.and_then(|twin| self.best.get(twin)).is_some_and(|twin| time(twin) <= time(&way)) {
            return;
        }
        // Dear, and so asked last.
        if errors(&scenario) > self.errors {
            return;
        }
        if let Some(twin) = twin {
            self.best.remove(twin);
        }
        let place = self.best.partition_point(|other| time(other) <= time(&way));
        self.best.insert(place, way);
        self.best.truncate(MOST);
    }
}

/// The powers of two up to a bound, and what it is now.
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
        assert!(best.len() > 3 && best.is_sorted_by_key(|way| way.report.time.step.get()));
        for way in best {
            assert!(way.report.fits());
            assert_eq!(way.report, way.scenario.report());
            assert_eq!(way.report.tokens_per_step, base.report().tokens_per_step);
            assert_eq!((way.scenario.gpus, way.scenario.seq_len), (base.gpus, base.seq_len));
            assert!(errors(&way.scenario) <= errors(&base));
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
                    advice::choose(&mut other, strategy);
                    assert!(
                        time(&best.scenario) <= time(&other) || errors(&other) > errors(&base),
                        "{link} {strategy:?}"
                    );
                }
            }
        }
    }

    /// 4,096 steps of accumulation in a pipeline of three stages, which do not divide the GPUs: on one stage the same batch takes
    /// 8,192 steps, twice what the parameter allows, and its link would be read as 4,096.
    #[test]
    fn no_way_leaves_the_bounds_of_a_parameter() {
        let base = decode("v=1&rev=2&accum=4096&gpus=64&pp=3&size=7B").scenario;
        let ranking = ranked(&base);
        assert!(!ranking.best().is_empty());
        for way in ranking.best() {
            assert!(way.scenario.grad_accum_steps <= 4096, "{}", way.scenario.grad_accum_steps);
            assert_eq!(decode(&encode(&way.scenario)).scenario, way.scenario);
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
