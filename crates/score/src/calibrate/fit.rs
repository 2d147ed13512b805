//! The loss function of the fit, and coordinate descent.

#![allow(clippy::indexing_slicing, reason = "places come from the lists that they point into")]

use super::case::Case;
use super::constants::Action;
use engine::fitted::Fitted;

/// Parameters of the error distribution, a mixture for each source. Errors that constants can
/// explain follow a Laplace distribution with scale `NARROW`. Errors with other causes (stalls, a
/// slow data loader, a misread row) are uniform up to a factor of about ten, so they do not bias
/// the constants.
const NARROW: f64 = 0.08;
const WIDE: f64 = 4.6;
/// Initial share of the uniform component, and the bounds of the share.
const SHARE: f64 = 0.1;
const LEAST: f64 = 0.02;
const MOST: f64 = 0.9;
/// Number of passes over all constants.
const PASSES: usize = 14;
/// Initial step of the descent, as a share of a constant's width.
const STEP: f64 = 0.8;
/// Minimum width used for the steps of a constant.
const LEAST_STEP: f64 = 0.1;

/// Loss of a set of cases for given values of the constants.
pub struct Fit<'a> {
    cases: &'a [&'a Case],
    /// Weight of a row by source: each source counts with the square root of its rows.
    weights: Vec<f64>,
    /// Share of each source's rows that no constant explains.
    shares: Vec<f64>,
    /// Factor of each constant relative to the engine's value.
    pub factors: Vec<f64>,
    constants: &'a [(&'static Fitted, &'static Action)],
    errors: Vec<f64>,
    /// Cases affected by each constant.
    affected: Vec<Vec<usize>>,
}

impl<'a> Fit<'a> {
    /// Creates a fit with the given factors. `sources` is the number of sources of the cases.
    pub fn new(
        constants: &'a [(&'static Fitted, &'static Action)],
        cases: &'a [&'a Case],
        sources: usize,
        factors: &[f64],
    ) -> Self {
        let mut counts = vec![0.0_f64; sources];
        for case in cases {
            counts[case.of] += 1.0;
        }
        let affected = |at: usize| {
            (0..cases.len())
                .filter(|row| cases[*row].constants.iter().any(|(place, _)| *place == at))
                .collect::<Vec<_>>()
        };
        let mut fit = Self {
            cases,
            weights: counts.iter().map(|count| 1.0 / count.max(1.0).sqrt()).collect(),
            shares: vec![SHARE; sources],
            constants,
            factors: factors.to_vec(),
            errors: cases.iter().map(|case| case.error(factors)).collect(),
            affected: (0..constants.len()).map(affected).collect(),
        };
        fit.share();
        fit
    }

    /// Returns the weighted negative log likelihood of an error of a source.
    fn lost(&self, source: usize, error: f64) -> f64 {
        let [narrow, wide] = self.densities(source, error);
        -(narrow + wide).ln() * self.weights[source]
    }

    fn densities(&self, source: usize, error: f64) -> [f64; 2] {
        let share = self.shares[source];
        let error = error.abs();
        [(1.0 - share) / (2.0 * NARROW) * (-error / NARROW).exp(), share / WIDE]
    }

    /// Estimates the shares of unexplained rows by expectation maximization.
    fn share(&mut self) {
        for _ in 0..8 {
            let mut sums = vec![(0.0, 0.0); self.shares.len()];
            for (case, &error) in self.cases.iter().zip(&self.errors) {
                let [narrow, wide] = self.densities(case.of, error);
                sums[case.of].0 += wide / (narrow + wide);
                sums[case.of].1 += 1.0;
            }
            for (share, (wide, all)) in self.shares.iter_mut().zip(sums) {
                if all > 0.0 {
                    *share = (wide / all).clamp(LEAST, MOST);
                }
            }
        }
    }

    /// Returns the loss: the negative log likelihood of all rows plus the priors of the constants.
    pub fn loss(&self) -> f64 {
        let rows: f64 = self.cases.iter().zip(&self.errors).map(|(case, error)| self.lost(case.of, *error)).sum();
        let priors: f64 = (0..self.factors.len()).map(|at| self.away(at, self.factors[at])).sum();
        rows + priors
    }

    /// Returns the prior loss of a constant at a factor, a Gaussian in the logarithm.
    fn away(&self, at: usize, factor: f64) -> f64 {
        let (constant, _) = self.constants[at];
        let deviations = (constant.value * factor / constant.expected).ln() / constant.width;
        0.5 * deviations * deviations
    }

    /// Returns the change of the loss if one constant is set to a factor, and the new errors of the
    /// affected rows.
    fn change(&self, at: usize, factor: f64) -> (f64, Vec<f64>) {
        let mut factors = self.factors.clone();
        factors[at] = factor;
        let errors: Vec<f64> = self.affected[at].iter().map(|&row| self.cases[row].error(&factors)).collect();
        let rows = self.affected[at].iter().zip(&errors);
        let of_rows: f64 = rows
            .map(|(&row, &error)| {
                let source = self.cases[row].of;
                self.lost(source, error) - self.lost(source, self.errors[row])
            })
            .sum();
        (of_rows + self.away(at, factor) - self.away(at, self.factors[at]), errors)
    }

    /// Returns the decrease of the loss if one constant is multiplied by a factor; negative if the
    /// loss increases.
    pub fn gain(&self, at: usize, factor: f64) -> f64 {
        -self.change(at, self.factors[at] * factor).0
    }

    fn set(&mut self, at: usize, factor: f64, errors: &[f64]) {
        self.factors[at] = factor;
        for (&row, &error) in self.affected[at].iter().zip(errors) {
            self.errors[row] = error;
        }
    }

    /// Returns the cases sensitive to a constant: the prediction changes by more than 1 % if the
    /// constant increases by a quarter.
    pub fn seen(&self, at: usize) -> Vec<&'a Case> {
        let (_, errors) = self.change(at, self.factors[at] * 1.25);
        let rows = self.affected[at].iter().zip(&errors);
        rows.filter(|&(&row, error)| (error - self.errors[row]).abs() > 0.01).map(|(&row, _)| self.cases[row]).collect()
    }

    /// Returns the standard deviation of a constant from the curvature of the loss without its
    /// prior, as a share of the constant's value; 1 if the rows do not determine the constant.
    pub fn deviation(&self, at: usize) -> f64 {
        const AWAY: f64 = 0.15;
        let factor = self.factors[at];
        let of_rows = |times: f64| {
            let moved = factor * times;
            self.change(at, moved).0 - self.away(at, moved) + self.away(at, factor)
        };
        let curvature = (of_rows(1.0 + AWAY) + of_rows(1.0 / (1.0 + AWAY))) / (AWAY * AWAY);
        if curvature > 1.0 { 1.0 / curvature.sqrt() } else { 1.0 }
    }

    /// Resets each constant that fewer than two publications are sensitive to, as one publication
    /// may be wrong, to its expected value.
    fn anchor(&mut self) {
        for at in 0..self.factors.len() {
            if !self.is_seen_twice(at) {
                let (constant, _) = self.constants[at];
                let (_, errors) = self.change(at, constant.expected / constant.value);
                self.set(at, constant.expected / constant.value, &errors);
            }
        }
    }

    /// Returns whether at least two publications are sensitive to a constant.
    fn is_seen_twice(&self, at: usize) -> bool {
        let seen = self.seen(at);
        seen.iter().any(|case| case.of != seen[0].of)
    }

    /// Runs coordinate descent: tries several factors for each constant in turn and keeps
    /// improvements, with shrinking steps.
    pub fn descend(&mut self, free: &[bool]) {
        let mut step = STEP;
        for _ in 0..PASSES {
            self.anchor();
            let seen: Vec<bool> = (0..self.factors.len()).map(|at| self.is_seen_twice(at)).collect();
            let mut gained = 0.0;
            for at in 0..self.factors.len() {
                if !free[at] || !seen[at] {
                    continue;
                }
                let (constant, _) = self.constants[at];
                let (low, high) = (constant.between.0 / constant.value, constant.between.1 / constant.value);
                let width = constant.width.max(LEAST_STEP) * step;
                for factor in [-width, -width / 4.0, width / 4.0, width] {
                    let moved = (self.factors[at] * factor.exp()).clamp(low, high);
                    let (change, errors) = self.change(at, moved);
                    if change < -1e-9 {
                        gained -= change;
                        self.set(at, moved, &errors);
                    }
                }
            }
            self.share();
            if gained < 1e-2 {
                step *= 0.5;
            }
        }
        self.anchor();
    }

    /// Returns the share of unexplained rows of each source.
    pub fn unexplained(&self) -> &[f64] {
        &self.shares
    }
}
