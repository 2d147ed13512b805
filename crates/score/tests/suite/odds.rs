//! The odds that a run fits, compared with the outcomes of runs.

use std::sync::LazyLock;

use crate::published::PUBLISHED;
use engine::model::odds::{HALF, PeakKind, SURE};
use score::odds::curves::{self, Curves};
use score::odds::middle::middles;
use score::odds::outcome::{Outcome, outcomes};
use score::odds::reliability::{self, Tenth};
use score::summary::Entry;

static ENTRIES: LazyLock<Vec<&Entry>> = LazyLock::new(|| {
    let all = PUBLISHED.training.iter().chain(&PUBLISHED.mixtures).chain(&PUBLISHED.tuned).chain(&PUBLISHED.silicon);
    all.collect()
});

fn recorded() -> Curves {
    let of = PeakKind::ALL.into_iter().map(|kind| (kind, kind.curve())).collect();
    Curves { of, others: 1.0 }
}

/// Minimum number of runs in a tenth for a meaningful share.
const FEWEST: usize = 25;
/// Maximum difference between the share of runs that ran and the mean odds.
const CLOSE: f64 = 0.08;

/// Returns the difference between the share and the mean of the odds, less `errors` standard errors
/// of the share.
fn off(tenth: &Tenth, errors: f64) -> f64 {
    let (said, runs) = (tenth.mean_odds(), tenth.runs as f64);
    (tenth.share() - said).abs() - errors * (said * (1.0 - said) / runs).sqrt()
}

/// The recorded curves are calibrated: the share of runs that ran matches the predicted odds.
#[test]
fn runs_run_as_often_as_is_said() {
    let outcomes = outcomes(ENTRIES.iter().copied());
    let tenths = reliability::by_tenth(&outcomes, &recorded());
    let filled: Vec<&Tenth> = tenths.iter().filter(|tenth| tenth.runs >= FEWEST).collect();
    assert!(filled.len() >= 5 && filled.iter().map(|tenth| tenth.runs).sum::<usize>() > 1900, "{tenths:?}");
    for tenth in filled {
        assert!(off(tenth, 0.0) <= CLOSE, "{:.2} ran of {:.2} said: {tenth:?}", tenth.share(), tenth.mean_odds());
    }
}

/// Compares each half of the runs with curves fitted only to the other half. A tenth has too few
/// runs for its share to be accurate to 8 points, so one standard error is allowed in addition.
#[test]
fn runs_that_no_curve_was_fitted_to_run_as_often_as_is_said() {
    let outcomes = outcomes(ENTRIES.iter().copied());
    let tenths = reliability::held_out(&outcomes, &middles(ENTRIES.iter().copied()));
    let filled: Vec<&Tenth> = tenths.iter().filter(|tenth| tenth.runs >= FEWEST).collect();
    assert!(filled.len() >= 5, "{tenths:?}");
    for tenth in filled {
        assert!(off(tenth, 1.0) <= CLOSE, "{:.2} ran of {:.2} said: {tenth:?}", tenth.share(), tenth.mean_odds());
    }
}

/// Runs of nanotron's sweep, which reports failures: runs predicted to fit ran, and runs predicted
/// not to fit failed.
#[test]
fn the_verdicts_of_nanotrons_runs_are_how_often_they_ran() {
    let share = |range: std::ops::Range<f64>| {
        let rows = ENTRIES.iter().filter(|entry| entry.file.starts_with("nanotron"));
        let inside: Vec<bool> = rows
            .filter(|entry| entry.outcome.as_ref().is_ok_and(|prediction| range.contains(&prediction.fit_odds)))
            .filter(|entry| entry.row.failed() || entry.row.succeeded())
            .map(|entry| entry.row.succeeded())
            .collect();
        inside.iter().filter(|ran| **ran).count() as f64 / inside.len() as f64
    };
    let [hopeless, tight, sure] = [share(0.0..HALF), share(HALF..SURE), share(SURE..2.0)];
    assert!(hopeless < 0.05 && sure > 0.9 && (0.6..0.8).contains(&tight), "{hopeless} {tight} {sure}");
}

/// The sweep has its own fit. The other kinds share a fit, scaled by the spread of their peaks.
#[test]
fn every_kind_has_a_curve_and_what_is_spread_wider_has_a_flatter_one() {
    let curves = curves::fitted(ENTRIES.iter().copied());
    assert_eq!(curves.of, recorded().of, "run `cargo xtask accuracy`");
    assert!((0.9..1.0).contains(&curves.others), "{}", curves.others);
    let middles = middles(ENTRIES.iter().copied());
    for (kind, curve) in &curves.of {
        assert!((0.9..1.3).contains(&curve.half) && (16..=80).contains(&curve.quarters), "{kind:?}: {curve:?}");
        for (other, flatter) in &curves.of {
            let is_wider = middles[other].spread > middles[kind].spread;
            assert!(!is_wider || flatter.quarters <= curve.quarters, "{kind:?} {other:?}");
        }
    }
    // Without failures, everything fits.
    let ran: Vec<Outcome> = outcomes(ENTRIES.iter().copied()).into_iter().filter(|outcome| outcome.ran).collect();
    let failed = Curves::fit(&ran, &middles).of[&PeakKind::Nanotron];
    assert!(failed.odds(0.8) > 0.5 + curves.of[&PeakKind::Nanotron].odds(0.8), "{failed:?}");
}
