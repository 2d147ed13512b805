//! The result of the layout search: the best layout of the present batch and, if no layout fits,
//! the change that makes one fit.

use super::advice::{Advice, is_worth_the_odds};
use super::change::errors;
use super::change::{Change, Price, apply};
use super::other_options::other_option_candidates;
use super::ranking::{Layout, Ranking};
use catalog::accuracy;
use engine::model::report::Report;
use engine::model::training::Optimizer;
use engine::params::ParamId;
use engine::scenario::Scenario;

/// A search that advances in steps: over all layouts and, if none fits, over all layouts with one
/// memory saver after another.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutSearch {
    scenario: Scenario,
    /// The scenario with the kernels that the search uses.
    tuned: Scenario,
    as_it_is: Ranking,
    /// Remaining savers, the next one last.
    savers: Vec<Change>,
    /// The present saver, with its search.
    saved: Option<(Change, Ranking)>,
}

impl LayoutSearch {
    /// Creates a search; nothing is evaluated yet.
    pub fn new(scenario: &Scenario) -> Self {
        let tuned = tuned(scenario, &KERNELS);
        Self { scenario: *scenario, tuned, as_it_is: Ranking::new(&tuned), savers: savers(scenario), saved: None }
    }

    /// Returns the scenario whose layouts are searched.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the ranking of the unchanged scenario's layouts.
    pub fn ranking(&self) -> &Ranking {
        &self.as_it_is
    }

    /// Visits up to `count` more combinations. Returns whether the search is complete.
    pub fn advance(&mut self, count: usize) -> bool {
        if !self.as_it_is.is_over() {
            advance(&mut self.as_it_is, count);
        } else if let Some((_, ranking)) = self.saved.as_mut().filter(|(_, ranking)| !ranking.is_over()) {
            advance(ranking, count);
        } else if self.is_without()
            && let Some(change) = self.savers.pop()
        {
            // Offloaded state must fit the hosts.
            let saving = apply(&self.tuned, change);
            self.saved = Some((change, Ranking::in_place_of(&saving, &self.tuned)));
        }
        self.is_over()
    }

    /// Whether the search is complete.
    pub fn is_over(&self) -> bool {
        let tried = self.saved.as_ref().is_none_or(|(_, ranking)| ranking.is_over());
        self.as_it_is.is_over() && tried && (self.savers.is_empty() || !self.is_without())
    }

    /// Whether no layout has been found yet.
    fn is_without(&self) -> bool {
        self.as_it_is.best().is_empty() && self.also().is_none()
    }

    /// Returns the fastest layout of the unchanged scenario that fits. Layouts that the framework
    /// can run come first.
    pub fn best(&self) -> Option<&Layout> {
        self.as_it_is.best().first()
    }

    /// Returns the layouts worth changing to, given the scenario's report, the best first: at least
    /// [`LEAST_GAIN`] faster if the scenario fits, with odds of fitting that the gain is worth. If
    /// the first layout is tight, the best sure layout is included.
    pub fn offered(&self, now: &Report) -> Vec<Layout> {
        let odds = accuracy::fit_odds(now);
        let is_runnable = self.scenario.lack().is_none();
        let is_worth = |layout: &&Layout| {
            let gain = layout.report.whole().tokens_per_s_per_gpu / now.whole().tokens_per_s_per_gpu - 1.0;
            let is_better = gain >= LEAST_GAIN && is_worth_the_odds(gain, odds, layout.odds);
            let is_expressed = layout.lack.is_none() || !is_runnable;
            layout.scenario != self.scenario && (!now.fits() || is_better && is_expressed)
        };
        // The scenario's own layout with other kernels, which a faster, less sure layout may hide.
        let own = Layout::evaluate(tuned(&self.scenario, &CHOICES));
        let own = core::iter::once(&own)
            .filter(|own| own.report.fits() && own.scenario.host_memory().may_replace(&self.scenario.host_memory()));
        let mut worth: Vec<Layout> = self.as_it_is.best().iter().chain(own).filter(is_worth).copied().collect();
        worth.sort_by(Layout::order);
        let first = worth.first();
        let sure = worth.iter().find(|layout| layout.is_sure()).filter(|sure| Some(*sure) != first);
        first.into_iter().chain(sure).copied().collect()
    }

    /// Returns the first memory saver with which a layout fits, and the fastest such layout, if no
    /// layout fits without a saver.
    pub fn also(&self) -> Option<(Change, &Layout)> {
        let (change, ranking) = self.saved.as_ref()?;
        Some((*change, ranking.best().first()?))
    }

    /// Whether a single change is still worth showing next to the [`Self::offered`] layouts. If a
    /// layout fits, a shorter sequence or other hardware is not needed to make the run fit; and a
    /// change that equals an offered layout is redundant.
    pub fn keeps(&self, advice: &Advice, now: &Report) -> bool {
        let is_offered = self.offered(now).iter().any(|layout| layout.scenario == advice.scenario);
        let is_needed = now.fits() || self.best().is_none() || advice.price == Price::Free;
        is_needed && !is_offered
    }
}

/// Visits more combinations. At the end, the best layouts get the kernels and the pipeline schedule
/// with which each is fastest.
fn advance(ranking: &mut Ranking, count: usize) {
    if ranking.advance(count) {
        ranking.tune(|layout| tuned(layout, &CHOICES));
    }
}

/// Gain below which the scenario counts as good as the best layout.
pub const LEAST_GAIN: f64 = 0.01;
/// Gain below which another kernel is not proposed.
const LEAST_OF_KERNELS: f64 = 0.005;

/// Kernels that are chosen for all layouts, as most layouts gain alike.
const KERNELS: [ParamId; 2] = [ParamId::AttentionKernel, ParamId::Compile];
/// [`KERNELS`] and the pipeline schedule, which only pipelined layouts have.
const CHOICES: [ParamId; 3] = [ParamId::AttentionKernel, ParamId::Compile, ParamId::PipelineSchedule];

/// Returns the scenario with the fastest options of some choices, among those that its GPU and
/// framework can run.
fn tuned(scenario: &Scenario, choices: &[ParamId]) -> Scenario {
    let before = errors(scenario);
    let mut best = *scenario;
    for id in choices {
        let least = best.report().whole().time / (1.0 + LEAST_OF_KERNELS);
        let runs = |other: &Scenario| other.lack().is_none() || scenario.lack().is_some();
        let others = other_option_candidates(&best, &[*id], before)
            .into_iter()
            .map(|(_, other)| (other.report().whole().time, other));
        let fastest = others.filter(|(step, other)| *step <= least && runs(other));
        if let Some((_, other)) = fastest.min_by(|(one, _), (other, _)| one.get().total_cmp(&other.get())) {
            best = other;
        }
    }
    best
}

/// Memory savers that keep model, batch and cluster, in reverse order of trial: a
/// loss without fp32 logits, 8-bit moments, states in host memory.
fn savers(scenario: &Scenario) -> Vec<Change> {
    let mut savers = Vec::with_capacity(5);
    // Last, as adapters change the training.
    if scenario.trained.is_all() {
        savers.extend([Change::QLora, Change::Lora]);
    }
    if !scenario.offload.optimizer {
        savers.push(Change::Offload);
    }
    if scenario.optimizer == Optimizer::AdamW {
        savers.push(Change::Optimizer8bit);
    }
    if scenario.kernels.loss.is_unfused() {
        savers.push(Change::FusedLoss);
    }
    savers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::advise;
    use links::decode;

    fn searched(link: &str) -> LayoutSearch {
        let mut search = LayoutSearch::new(&decode(link).scenario);
        while !search.advance(1000) {}
        search
    }

    /// At 128k tokens the scenario's layout does not fit on eight H100, but others do: no advice
    /// shortens the sequence.
    #[test]
    fn what_a_layout_holds_needs_no_shorter_sequence() {
        let search = searched("cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=128k&mbs=1");
        let report = search.scenario().report();
        let best = search.best().unwrap();
        assert!(!report.fits() && best.report.fits() && search.also().is_none());
        let advice = advise(search.scenario(), &report);
        assert!(advice.iter().any(|advice| advice.price != Price::Free), "{advice:?}");
        assert!(advice.iter().filter(|one| search.keeps(one, &report)).all(|one| one.price == Price::Free));
    }

    #[test]
    fn where_no_layout_fits_the_gentlest_saver_that_helps_is_named() {
        let search = searched("cluster=dgx-h100&model=llama-3.1-8b&gpus=1&seq=16k&mbs=1");
        assert!(search.best().is_none());
        let (change, layout) = search.also().unwrap();
        assert_eq!(change, Change::Offload, "8-bit moments are not enough here");
        assert!(layout.report.fits());
        // All weights of 70B never fit on four A100. A host with 2 TiB holds the offloaded state,
        // and one with 1 TiB does not.
        let offloaded = searched("gpu=a100-80gb&model=llama-3.1-70b&gpus=4&seq=4k&mbs=1");
        assert_eq!(offloaded.also().unwrap().0, Change::Offload);
        let adapters = searched("gpu=a100-80gb&model=llama-3.1-70b&gpus=4&seq=4k&mbs=1&hostmem=1024");
        assert_eq!(adapters.also().unwrap().0, Change::Lora);
        let in_4_bits = searched("cluster=dgx-h100&model=llama-3.1-70b&gpus=1&seq=2k&mbs=1&hostmem=1024");
        assert_eq!(in_4_bits.also().unwrap().0, Change::QLora);
        let hopeless = searched("model=llama-3.1-405b&gpus=4&seq=8k");
        assert!(hopeless.best().is_none() && hopeless.also().is_none());
    }

    #[test]
    fn twins_are_one_row() {
        // Eight GPUs of one node: sharding within the node equals sharding over all GPUs.
        let search = searched("cluster=dgx-h100&model=llama-3-8b&gpus=8&seq=8k&mbs=1&accum=8");
        let best = search.ranking().best();
        assert!(best.iter().all(|layout| !layout.scenario.strategy.uses_shard_size()), "{best:?}");
    }
}
