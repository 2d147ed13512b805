//! The nearest yes of a run that does not fit: the least changes with which a layout fits, each by
//! the search of layouts.

use super::change::{Change, apply};
use super::held::Held;
use super::layouts::{LayoutSearch, sequences};
use super::settings::{EXECUTION, SAVING, settings_beside};
use catalog::accuracy::Fit;
use catalog::pick::fill_hosts;
use engine::format;
use engine::params::labels;
use engine::params::quantity::group_thousands;
use engine::scenario::Scenario;

/// Layouts that the search of one change visits.
const MOST_LAYOUTS: usize = 20_000;
/// Times the GPUs are doubled.
const DOUBLINGS: u32 = 7;
/// Shortest length in tokens that is offered.
const SHORTEST: u32 = 512;

/// A change with which a run fits.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestYes {
    /// The change, in words: `16 GPUs`, `2,048 tokens`.
    pub change: String,
    /// The layout with the change, in words.
    pub layout: String,
    /// The scenario with the change, in its best layout.
    pub scenario: Scenario,
    /// The odds that it fits, 0 to 1.
    pub odds: f64,
}

impl NearestYes {
    /// Describes the change on one line.
    pub fn sentence(&self) -> String {
        format!("{}: {} of such runs fit ({})", self.change, format::odds(self.odds), self.layout)
    }
}

/// Returns the least changes with which a layout of a run fits, the cheapest first: settings that
/// save memory, adapters, more GPUs, shorter sequences. What a person said is `held`.
pub fn nearest_yes(scenario: &Scenario, held: Held) -> Vec<NearestYes> {
    let plain = held.and(&EXECUTION).and(&SAVING);
    let saved = searched(scenario, held.and(&EXECUTION));
    let settings = saved.map(|found| (settings_beside(scenario, &found).join(", "), found));
    let settings =
        settings.map(|(words, found)| (if words.is_empty() { labels::layout(&found) } else { words }, found));
    let is_full = scenario.trained.is_all() && scenario.objective.is_next_token();
    let adapters = [(Change::Lora, "LoRA"), (Change::QLora, "QLoRA")].into_iter().filter(|_| is_full);
    let adapters = adapters.map(|(change, words)| (words.to_owned(), apply(scenario, change)));
    let gpus = (1..=DOUBLINGS).filter_map(|power| {
        let mut more = Scenario { gpus: scenario.gpus.checked_mul(1 << power)?, ..*scenario };
        fill_hosts(&mut more);
        Some((format::gpus(more.gpus), more))
    });
    let lengths = core::iter::successors(Some(scenario.seq_len / 2), |length| Some(length / 2));
    let lengths = lengths.take_while(|length| *length >= SHORTEST).map(|seq_len| {
        (format!("{} tokens", group_thousands(&seq_len.to_string())), Scenario { seq_len, ..*scenario })
    });
    // The first of each kind that fits; 16-bit adapters come before those on 4-bit weights.
    let first = |mut changed: Box<dyn Iterator<Item = (String, Scenario)> + '_>| {
        changed.find_map(|(words, scenario)| Some((words, searched(&scenario, plain)?)))
    };
    let kinds = [settings, first(Box::new(adapters)), first(Box::new(gpus)), first(Box::new(lengths))];
    let yes = |(change, scenario): (String, Scenario)| {
        let odds = Fit::check(&scenario, &scenario.report()).odds;
        NearestYes { change, layout: labels::layout(&scenario), scenario, odds }
    };
    kinds.into_iter().flatten().map(yes).collect()
}

/// Returns the best layout of a scenario that fits.
fn searched(scenario: &Scenario, held: Held) -> Option<Scenario> {
    let mut search = LayoutSearch::of_batch(scenario, sequences(scenario), held);
    while !search.ranking().is_over() && search.ranking().progress().visited < MOST_LAYOUTS {
        search.advance(1000);
    }
    let found = search.best()?.scenario;
    Fit::check(&found, &found.report()).fits.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn a_no_goes_on_with_changes_that_fit() {
        let scenario = decode("v=1&cluster=dgx-a100-80&model=llama-3-70b&gpus=8&recompute=full").scenario;
        assert!(!Fit::check(&scenario, &scenario.report()).fits);
        let found = nearest_yes(&scenario, Held::NOTHING);
        assert!(found.len() > 1, "{found:?}");
        for yes in &found {
            assert!(Fit::check(&yes.scenario, &yes.scenario.report()).fits, "{}", yes.sentence());
        }
        assert!(
            found.iter().any(|yes| yes.scenario.gpus > 8) && found.iter().any(|yes| !yes.scenario.trained.is_all())
        );
    }
}
