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

/// The errors with each publication left out of the fit (docs/book/accuracy/held-out.md) stay below
/// their limits, and belong to these rows: `cargo xtask score --leave-one-out` writes the table.
#[test]
fn publications_that_are_left_out_are_predicted_nearly_as_well() {
    const CHAPTER: &str = include_str!("../../../../docs/book/accuracy/held-out.md");
    /// Median and mean in percent: of hardware-bound steps, and of all publications, each once.
    const LIMITS: [(&str, [f64; 2]); 2] =
        [("All of 20 % MFU or more", [7.0, 9.3]), ("Each publication once", [11.5, 13.0])];
    /// A change of the constants by a tenth of their deviation moves a median by less.
    const STALE: f64 = 0.6;
    let table = CHAPTER.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" % |"));
    let rows: Vec<(&str, Vec<f64>)> = table
        .filter_map(|line| {
            let cells: Vec<&str> = line.split(" | ").collect();
            let numbers = cells.get(2..)?.iter().flat_map(|pair| pair.trim_end_matches(" %").split(", "));
            Some((*cells.first()?, numbers.filter_map(|number| number.parse().ok()).collect()))
        })
        .collect();
    assert!(rows.len() > 60 && rows.iter().all(|(_, numbers)| numbers.len() == 4), "{rows:?}");
    for (name, [median, mean]) in LIMITS {
        let [.., out_median, out_mean] = rows.iter().find(|(row, _)| *row == name).unwrap().1[..] else { panic!() };
        assert!(out_median <= median && out_mean <= mean, "{name}: {out_median}, {out_mean}");
    }
    let (constants, ones) = (constants(), vec![1.0; ACTIONS.iter().map(|list| list.len()).sum()]);
    let entries =
        [&PUBLISHED.training, &PUBLISHED.mixtures, &PUBLISHED.tuned, &PUBLISHED.silicon].into_iter().flatten();
    let cases: Vec<Case> = entries.filter_map(|entry| Case::prepare(entry, &constants)).collect();
    for (name, numbers) in rows.iter().filter(|(name, _)| !name.starts_with("All ") && !name.starts_with("Each ")) {
        let of = cases.iter().filter(|case| case.source == *name);
        let errors: Vec<f64> = of.map(|case| (case.error(&ones).exp() - 1.0).abs() * 1e2).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        assert!((mean - numbers[1]).abs() < STALE, "{name}: {mean:.1} % as fitted, {} % in the table", numbers[1]);
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
