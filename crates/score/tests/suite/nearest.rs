//! Nearest published runs: every published row is nearest to itself.

use crate::published::PUBLISHED;
use analysis::similar_runs::{Traits, nearest};
use score::publish;

#[test]
fn every_published_row_is_its_own_nearest() {
    let published = &*PUBLISHED;
    let entries = published.training.iter().chain(&published.mixtures);
    let traits: Vec<Traits> =
        entries.filter_map(publish::published).map(|row| Traits::from_scenario(&row.scenario())).collect();
    assert!(traits.len() > 1_000, "{} rows", traits.len());
    for own in &traits {
        let found = nearest(own, traits.iter(), 5);
        assert_eq!(found.len(), 5);
        assert!(found.is_sorted_by(|one, other| one.1 <= other.1));
        // Repetitions of a run have distance 0, too.
        let (first, distance) = found[0];
        assert!(distance == 0.0 && traits[first] == *own);
    }
}
