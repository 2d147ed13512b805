//! Checks that the fitted constants (`data/fitted.toml`) are optimal for the measured steps.

use crate::published::PUBLISHED;
use engine::fitted;
use score::calibrate::case::{Case, numbered};
use score::calibrate::constants::{ACTIONS, constants};
use score::calibrate::fit::Fit;

#[test]
fn every_constant_acts_and_every_action_has_a_constant() {
    let keys: Vec<&str> = fitted::ALL.iter().map(|constant| constant.key).collect();
    let actions: Vec<&str> = ACTIONS.iter().flat_map(|list| list.iter()).map(|action| action.key).collect();
    assert_eq!(constants().len(), keys.len());
    assert!(actions.iter().all(|action| keys.contains(action)) && actions.len() == keys.len(), "{actions:?}");
    for constant in fitted::ALL {
        let (low, high) = constant.between;
        assert!((low..=high).contains(&constant.value), "{}", constant.key);
        assert!(constant.width > 0.0 && constant.deviation > 0.0, "{}", constant.key);
        // A constant seen by only one publication stays at its expected value.
        let moved = (constant.value / constant.expected - 1.0).abs() > 0.005;
        assert!(!moved || constant.sources >= 2, "{} stands on {} source", constant.key, constant.sources);
    }
}

/// Changing a formula moves the optimum of its constants. Fit the constants again in the same
/// commit with `cargo xtask calibrate tests/measured/*.csv tests/measured/*/*.csv --write`.
#[test]
fn no_constant_is_a_standard_deviation_from_what_the_steps_ask_for() {
    // A distance of one deviation from the optimum costs 0.5.
    const LOST: f64 = 0.75;
    let constants = constants();
    let entries =
        [&PUBLISHED.training, &PUBLISHED.mixtures, &PUBLISHED.tuned, &PUBLISHED.silicon].into_iter().flatten();
    let mut cases: Vec<Case> = entries.filter_map(|entry| Case::prepare(entry, &constants)).collect();
    let sources = numbered(&mut cases).len();
    let cases: Vec<&Case> = cases.iter().collect();
    assert!(cases.len() > 3000, "{}", cases.len());
    let fit = Fit::new(&constants, &cases, sources, &vec![1.0; constants.len()]);
    let mut stale = Vec::new();
    for (at, (constant, _)) in constants.iter().enumerate().filter(|(_, (constant, _))| constant.sources >= 2) {
        let step = constant.deviation.min(constant.width);
        for factor in [1.0 + step, 1.0 / (1.0 + step)] {
            let gain = fit.gain(at, factor);
            if gain > LOST {
                stale.push(format!("{} times {factor:.2} gains {gain:.2}", constant.key));
            }
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}
