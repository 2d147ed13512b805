//! The search of layouts: the best layouts of a batch and, if no layout fits, the change of
//! training that makes one fit.

use super::advice::{Advice, is_worth_the_odds};
use super::change::{Change, Price, apply};
use super::execution::tuned;
use super::held::Held;
pub use super::layout_space::sequences;
use super::layout_space::{LARGEST_MICRO_BATCH, LayoutSpace};
use super::ranking::{Layout, Ranking};
use engine::model::report::Report;
use engine::model::training::Optimizer;
use engine::scenario::Scenario;

/// A search that advances in steps: over all layouts and, if none fits, over all layouts with one
/// change of training after another.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutSearch {
    scenario: Scenario,
    sequences: u32,
    held: Held,
    as_it_is: Ranking,
    /// Remaining changes of training, the next one last.
    changes: Vec<Change>,
    /// The present change, with its search.
    changed: Option<(Change, Ranking)>,
}

impl LayoutSearch {
    /// Creates a search through all layouts of a scenario's batch; nothing is evaluated yet.
    pub fn new(scenario: &Scenario) -> Self {
        Self::of_batch(scenario, sequences(scenario), Held::NOTHING)
    }

    /// Creates a search through the layouts of a step of `sequences` that leave some parameters as
    /// the scenario has them. The scenario's own layout need not divide the batch.
    pub fn of_batch(scenario: &Scenario, sequences: u32, held: Held) -> Self {
        let as_it_is = ranking(scenario, sequences, held);
        Self { scenario: *scenario, sequences, held, as_it_is, changes: changes(scenario), changed: None }
    }

    /// Returns the scenario whose layouts are searched.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the sequences of a step.
    pub fn sequences(&self) -> u32 {
        self.sequences
    }

    /// Returns the ranking of the layouts of the unchanged training.
    pub fn ranking(&self) -> &Ranking {
        &self.as_it_is
    }

    /// Visits up to `count` more combinations. Returns whether the search is complete.
    pub fn advance(&mut self, count: usize) -> bool {
        if !self.as_it_is.is_over() {
            self.as_it_is.advance(count);
        } else if let Some((_, ranking)) = self.changed.as_mut().filter(|(_, ranking)| !ranking.is_over()) {
            ranking.advance(count);
        } else if self.is_without()
            && let Some(change) = self.changes.pop()
        {
            self.changed = Some((change, ranking(&apply(&self.scenario, change), self.sequences, self.held)));
        }
        self.is_over()
    }

    /// Whether the search is complete.
    pub fn is_over(&self) -> bool {
        let tried = self.changed.as_ref().is_none_or(|(_, ranking)| ranking.is_over());
        self.as_it_is.is_over() && tried && (self.changes.is_empty() || !self.is_without())
    }

    /// Whether no layout has been found yet.
    fn is_without(&self) -> bool {
        self.as_it_is.best().is_empty() && self.also().is_none()
    }

    /// Returns the best layout of the unchanged training: the fastest of those that fit surely,
    /// else of those that fit. Layouts that the framework can run come first.
    pub fn best(&self) -> Option<&Layout> {
        self.as_it_is.best().first()
    }

    /// Returns the best layout, if it is worth changing to, given the scenario's report: at least
    /// [`LEAST_GAIN`] faster if the scenario fits, with odds of fitting that the gain is worth.
    pub fn offered(&self, now: &Report) -> Option<Layout> {
        let is_runnable = self.scenario.lack().is_none();
        let fits = now.fits() && self.scenario.host_memory().fits();
        let is_worth = |layout: &&Layout| {
            let gain = layout.report.whole().tokens_per_s_per_gpu / now.whole().tokens_per_s_per_gpu - 1.0;
            let is_better = gain >= LEAST_GAIN && is_worth_the_odds(gain, now.odds(), layout.odds);
            let is_expressed = layout.lack.is_none() || !is_runnable;
            layout.scenario != self.scenario && (!fits || is_better && is_expressed)
        };
        self.as_it_is.best().iter().find(is_worth).copied()
    }

    /// Returns the first change of training with which a layout fits, and the best such layout, if
    /// no layout fits without.
    pub fn also(&self) -> Option<(Change, &Layout)> {
        let (change, ranking) = self.changed.as_ref()?;
        Some((*change, ranking.best().first()?))
    }

    /// Whether a single change is still worth showing next to the [`Self::offered`] layout. If a
    /// layout fits, a shorter sequence or other hardware is not needed to make the run fit; and a
    /// change that equals the offered layout is redundant.
    pub fn keeps(&self, advice: &Advice, now: &Report) -> bool {
        let is_offered = self.offered(now).is_some_and(|layout| layout.scenario == advice.scenario);
        let is_needed = now.fits() || self.best().is_none() || advice.price == Price::Free;
        is_needed && !is_offered
    }
}

/// Creates the ranking of the layouts of a batch, with the options of execution with which the
/// scenario is fastest.
fn ranking(scenario: &Scenario, sequences: u32, held: Held) -> Ranking {
    let tuned = tuned(scenario, held);
    Ranking::new(LayoutSpace::new(scenario, &tuned, sequences, LARGEST_MICRO_BATCH, held))
}

/// Gain below which the scenario counts as good as the best layout.
pub const LEAST_GAIN: f64 = 0.01;

/// Changes of training that save memory and keep model, batch and cluster, in reverse order of
/// trial: 8-bit moments, adapters (on 4-bit weights where 16 bits do not fit).
fn changes(scenario: &Scenario) -> Vec<Change> {
    let mut changes = Vec::with_capacity(2);
    if scenario.trained.is_all() {
        changes.push(Change::Lora);
    }
    if scenario.optimizer == Optimizer::AdamW {
        changes.push(Change::Optimizer8bit);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::advise;
    use engine::model::trained::BaseFormat;
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

    /// Offloading leaves the training as it is, so it comes before 8-bit moments and adapters.
    #[test]
    fn where_no_layout_fits_the_gentlest_saver_that_helps_is_named() {
        let search = searched("cluster=dgx-h100&model=llama-3.1-8b&gpus=1&seq=16k&mbs=1");
        let best = search.best().unwrap();
        assert!(best.scenario.offload.optimizer && best.is_sure() && search.also().is_none());
        // All weights of 70B never fit on four A100. A host with 2 TiB holds the offloaded state,
        // and one with 1 TiB only that of 8-bit moments.
        let offloaded = searched("gpu=a100-80gb&model=llama-3.1-70b&gpus=4&seq=4k&mbs=1");
        assert!(offloaded.best().unwrap().scenario.offload.optimizer);
        let adapters = searched("gpu=a100-80gb&model=llama-3.1-70b&gpus=4&seq=4k&mbs=1&hostmem=1024");
        assert_eq!((adapters.best(), adapters.also().unwrap().0), (None, Change::Optimizer8bit));
        let in_4_bits = searched("cluster=dgx-h100&model=llama-3.1-70b&gpus=1&seq=2k&mbs=1&hostmem=128");
        let (change, layout) = in_4_bits.also().unwrap();
        assert_eq!((change, layout.scenario.trained.base), (Change::Lora, BaseFormat::Nf4Double));
        let hopeless = searched("model=llama-3.1-405b&gpus=4&seq=8k&hostmem=64");
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
