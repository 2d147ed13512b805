//! Searches and ranks every layout of one batch of one model on one cluster: strategies, degrees of
//! parallelism, micro-batches, recomputation, memory savers where nothing fits surely without.
//! Model, sequence length, GPUs and the tokens of a step stay fixed.
//!
//! There are thousands of layouts, so the caller evaluates them in batches with
//! [`Ranking::advance`].

use core::cmp::Ordering;

use super::change::errors;
use super::execution::polished;
use super::layout_space::LayoutSpace;
use super::search::{Objective, Progress, Screening, Search, Space};
use engine::model::report::Report;
use engine::model::step;
use engine::scenario::expressed::Lack;
use engine::scenario::{Scenario, Strategy};

/// Number of layouts to keep.
pub const MOST: usize = 8;

/// A layout, evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The scenario in this layout.
    pub scenario: Scenario,
    /// The report of the scenario.
    pub report: Report,
    /// The odds that the layout fits, 0 to 1.
    pub odds: f64,
    /// The part of the layout that its framework cannot run.
    pub lack: Option<Lack>,
}

impl Layout {
    /// Evaluates a layout.
    pub(super) fn evaluate(scenario: Scenario) -> Self {
        let report = scenario.report();
        Self::reported(scenario, report)
    }

    fn reported(scenario: Scenario, report: Report) -> Self {
        Self { scenario, report, odds: report.odds(), lack: scenario.lack() }
    }

    /// Orders layouts: those that the framework can run before the others, those that fit surely
    /// before the others, then the fastest first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let [own, others] = [self, other].map(|layout| layout.report.whole().time.get());
        let rank = |layout: &Self| (layout.lack.is_some(), !layout.is_sure());
        rank(self).cmp(&rank(other)).then(own.total_cmp(&others))
    }

    /// Whether the layout fits with odds high enough for [`engine::model::odds::Verdict::Fits`].
    pub fn is_sure(&self) -> bool {
        self.report.is_sure()
    }

    /// Returns the key under which two layouts count as one kind: the degrees of parallelism,
    /// whether weights are sharded, whether only within a group, and whether the layout fits
    /// surely.
    fn kind(&self) -> ([u32; 4], [bool; 3]) {
        let Scenario { tp, cp, pp, ep, strategy, shard_size, .. } = self.scenario;
        // A group of all GPUs is no smaller group.
        let in_groups = strategy.uses_shard_size() && shard_size < self.scenario.degrees().dp;
        ([tp, cp, pp, ep], [strategy.shards_weights(), in_groups, self.is_sure()])
    }
}

/// Returns the scenario under every strategy: those that fit before the others, then in the order
/// of a ranking.
pub fn every_strategy(scenario: &Scenario) -> Vec<Layout> {
    let mut layouts = Strategy::ALL.map(|strategy| Layout::evaluate(scenario.with_strategy(strategy))).to_vec();
    layouts.sort_by(|one, other| other.report.fits().cmp(&one.report.fits()).then(one.order(other)));
    layouts
}

/// A search of all layouts around a scenario, and the best so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    space: LayoutSpace,
    search: Search<BestOfKinds>,
    progress: Progress,
}

/// The best layouts, one of each kind.
#[derive(Clone, Debug, PartialEq)]
struct BestOfKinds {
    /// Number of errors of the base scenario; a layout may have as many.
    errors: usize,
    /// Number of combinations with the same memory savers.
    rung: usize,
    best: Vec<Layout>,
}

impl Ranking {
    /// Creates a search through layouts; nothing is evaluated yet.
    pub(super) fn new(space: LayoutSpace) -> Self {
        let progress = Progress { of: space.len(), ..Progress::default() };
        let best = Vec::with_capacity(MOST + 1);
        let search = Search::new(BestOfKinds { errors: errors(space.own()), rung: space.rung(), best });
        Self { space, search, progress }
    }

    /// Returns the progress of the search.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Whether every combination was visited.
    pub fn is_over(&self) -> bool {
        self.search.is_over(&self.space)
    }

    /// Returns the best layouts so far, one of each kind. Layouts that the framework can run come
    /// first, then those that fit surely, then the fastest.
    pub fn best(&self) -> &[Layout] {
        &self.search.objective.best
    }

    /// Visits up to `count` more combinations. Returns whether the search is complete. At the end,
    /// the best layouts get the options of execution with which each is fastest.
    pub fn advance(&mut self, count: usize) -> bool {
        self.search.advance(&self.space, count, &mut self.progress);
        if self.is_over() {
            let best = &mut self.search.objective.best;
            for layout in best.iter_mut() {
                *layout = Layout::evaluate(polished(&layout.scenario, self.space.own(), self.space.held()));
            }
            best.sort_by(Layout::order);
        }
        self.is_over()
    }
}

impl Objective<Scenario> for BestOfKinds {
    fn next(&mut self, place: usize) -> usize {
        // Memory savers cost time, so they are tried only while nothing fits surely.
        let is_enough = place.is_multiple_of(self.rung.max(1)) && self.best.first().is_some_and(Layout::is_sure);
        if is_enough { usize::MAX } else { place }
    }

    fn weigh(&mut self, _: usize, candidate: &Scenario) -> Screening {
        let Some(report) = step::evaluate_where_it_fits(&candidate.setup()).ok().filter(Report::fits) else {
            return Screening::Misses;
        };
        self.insert(Layout::reported(*candidate, report));
        Screening::Fits
    }
}

impl BestOfKinds {
    /// Inserts a layout that fits, if it is among the best.
    fn insert(&mut self, layout: Layout) {
        let is_before = |other: &Layout| layout.order(other).is_lt();
        if self.best.len() >= MOST && !self.best.last().is_some_and(is_before) {
            return;
        }
        let twin = self.best.iter().position(|other| other.kind() == layout.kind());
        if twin.and_then(|twin| self.best.get(twin)).is_some_and(|twin| !is_before(twin)) {
            return;
        }
        // Hosts and validation are expensive, so they come last.
        if !layout.scenario.host_memory().fits() || errors(&layout.scenario) > self.errors {
            return;
        }
        if let Some(twin) = twin {
            self.best.remove(twin);
        }
        let place = self.best.partition_point(|other| !is_before(other));
        self.best.insert(place, layout);
        self.best.truncate(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change;
    use crate::execution::tuned;
    use crate::held::Held;
    use crate::layout_space::{LARGEST_MICRO_BATCH, MODES, STRATEGIES, sequences};
    use catalog::default_scenario;
    use engine::model::choices::Choices;
    use links::{decode, encode};

    fn search(scenario: &Scenario) -> Ranking {
        let tuned = tuned(scenario, Held::NOTHING);
        let space = LayoutSpace::new(scenario, &tuned, sequences(scenario), LARGEST_MICRO_BATCH, Held::NOTHING);
        Ranking::new(space)
    }

    fn ranked(scenario: &Scenario) -> Ranking {
        let mut ranking = search(scenario);
        assert!(ranking.advance(usize::MAX));
        ranking
    }

    #[test]
    fn every_way_trains_the_same_tokens_on_the_same_gpus_and_fits() {
        let base = decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&seq=8k&mbs=1&accum=4").scenario;
        let ranking = ranked(&base);
        let best = ranking.best();
        assert!(best.len() > 3 && best.is_sorted_by(|one, other| one.order(other).is_le()));
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
                if report.is_sure() { report.whole().time.get() } else { f64::INFINITY }
            };
            assert!(time(&best.scenario) <= time(&base), "{link}");
            for strategy in STRATEGIES.iter().copied() {
                for recompute in MODES {
                    let mut other =
                        Scenario { choices: Choices { recompute, ..best.scenario.choices }, ..best.scenario };
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
        let base = decode("v=1&accum=4096&gpus=64&pp=3&size=7B").scenario;
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
        let mut pieces = search(&base);
        let mut calls = 1;
        while !pieces.advance(97) {
            calls += 1;
        }
        assert!(calls > 10 && calls <= pieces.progress().of.div_ceil(97), "{calls}");
        assert_eq!(pieces, whole);
    }

    #[test]
    fn nothing_fits_where_nothing_can() {
        let base = decode("model=llama-3.1-405b&gpus=4&seq=8k").scenario;
        let ranking = ranked(&base);
        assert!(ranking.best().is_empty());
    }
}
