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

/// The table of `analysis::evidence` is made of all rows with a prediction and a measurement, but
/// of rollouts, whose steps are others.
#[test]
fn the_table_of_evidence_is_that_of_the_measured_rows() {
    let published = &*PUBLISHED;
    let entries =
        [&published.training, &published.mixtures, &published.tuned, &published.silicon, &published.strangers];
    let measured = entries.into_iter().flatten().filter_map(|entry| {
        let prediction = entry.outcome.as_ref().ok()?;
        let (time, peak) = (prediction.measured.step_time_s.is_some(), prediction.measured.peak_gib.is_some());
        (time || peak).then_some((&prediction.scenario, time, peak))
    });
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../analysis/src/evidence/measured.csv");
    expect_test::expect_file![path].assert_eq(&analysis::evidence::write(measured));
}
