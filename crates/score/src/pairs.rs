//! Hybrid against full sharding: pairs of rows that are otherwise equal.

use std::collections::BTreeMap;

use super::summary::Entry;
use engine::scenario::Strategy;

/// Relative difference below which the measurements of a pair count as equal.
const TOLD_APART: f64 = 0.05;

/// Number of pairs whose predicted difference has the measured sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Pairs with the right sign.
    pub right: usize,
    /// All pairs.
    pub all: usize,
}

/// Compares the signs of all pairs of full and hybrid sharding among the entries.
pub fn hybrid_against_full<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Signs {
    let mut groups: BTreeMap<String, Vec<(bool, f64, f64)>> = BTreeMap::new();
    for entry in entries {
        let Ok(prediction) = &entry.outcome else { continue };
        let Some(measured) = prediction.measured.step_time_s else { continue };
        let scenario = prediction.scenario;
        let hybrid = match scenario.strategy {
            Strategy::HybridShard => true,
            Strategy::FullShard => false,
            _ => continue,
        };
        // The rest of the scenario identifies the pair.
        let key = scenario.with_strategy(Strategy::FullShard);
        let key = engine::scenario::Scenario { shard_size: 1, ..key };
        let key = format!("{} {key:?}", entry.source());
        groups.entry(key).or_default().push((hybrid, measured, prediction.step_time_s));
    }
    let mut signs = Signs::default();
    for rows in groups.values() {
        for full in rows.iter().filter(|row| !row.0) {
            for hybrid in rows.iter().filter(|row| row.0) {
                if (hybrid.1 / full.1 - 1.0).abs() > TOLD_APART {
                    signs.all += 1;
                    signs.right += usize::from((hybrid.1 < full.1) == (hybrid.2 < full.2));
                }
            }
        }
    }
    signs
}
