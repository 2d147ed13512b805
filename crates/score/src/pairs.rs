//! Hybrid against full sharding: pairs of rows that differ in nothing else.

use std::collections::BTreeMap;

use super::summary::Entry;
use engine::scenario::Strategy;

/// Pairs that differ by less are not told apart by the measurement.
const TOLD_APART: f64 = 0.05;

/// Pairs whose difference has the measured sign, of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// The sign is right.
    pub right: usize,
    /// All pairs.
    pub all: usize,
}

/// The signs of all pairs of full and hybrid sharding among the entries.
pub fn hybrid_against_full<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Signs {
    let mut groups: BTreeMap<String, Vec<(bool, f64, f64)>> = BTreeMap::new();
    for entry in entries {
        let Ok(prediction) = &entry.outcome else { continue };
        let Some((measured, _)) = prediction.measured_step else { continue };
        let scenario = prediction.scenario;
        let hybrid = match scenario.strategy {
            Strategy::HybridShard => true,
            Strategy::FullShard => false,
            _ => continue,
        };
        // All else of the scenario is the key.
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
