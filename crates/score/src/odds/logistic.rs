//! Maximum-likelihood fit of a logistic curve with a floor and a ceiling to outcomes of runs.

use engine::model::odds::{CEILING, FLOOR};

/// A run: the two values that its odds depend on, and its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Values multiplied by the two coefficients.
    pub values: [f64; 2],
    /// Whether the run succeeded.
    pub ran: bool,
    /// Whether the source distinguishes memory failures from other failures.
    pub is_told: bool,
}

/// Coefficients of the curve, and the share of runs without other causes of failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Coefficients of the two values.
    pub by: [f64; 2],
    /// Share of runs, 0 to 1, that no other cause lets fail, among sources that do not report why a
    /// run failed.
    pub others: f64,
}

impl Fit {
    /// Returns the odds that memory is sufficient:
    /// `floor + (ceiling - floor) / (1 + exp(-by . values))`.
    pub fn odds(&self, values: [f64; 2]) -> f64 {
        FLOOR + (CEILING - FLOOR) * self.logistic(values)
    }

    fn logistic(&self, values: [f64; 2]) -> f64 {
        let [[one, other], [by_one, by_other]] = [values, self.by];
        1.0 / (1.0 + (-(by_one * one + by_other * other)).exp())
    }

    /// Returns the odds that the run succeeded, including other causes of failure.
    fn ran(&self, run: &Run) -> f64 {
        self.odds(run.values) * if run.is_told { 1.0 } else { self.others }
    }

    /// Returns the log likelihood of the outcomes.
    fn likelihood(&self, runs: &[Run]) -> f64 {
        runs.iter().map(|run| if run.ran { self.ran(run).ln() } else { (-self.ran(run)).ln_1p() }).sum()
    }
}

/// Number of alternating updates of coefficients and share.
const ROUNDS: usize = 60;

/// Returns the maximum-likelihood fit, from a start whose second coefficient has the right sign.
pub fn fit(runs: &[Run], start: [f64; 2]) -> Fit {
    let mut fit = Fit { by: start, others: 1.0 };
    for _ in 0..ROUNDS {
        fit = scored(fit, runs);
        fit.others = others(fit, runs);
    }
    fit
}

/// Makes a step of Fisher scoring for the coefficients, halved until the likelihood does not
/// decrease.
fn scored(fit: Fit, runs: &[Run]) -> Fit {
    let (mut slope, mut information) = ([0.0; 2], [0.0; 3]);
    for run in runs {
        let (odds, logistic) = (fit.ran(run), fit.logistic(run.values));
        let share = odds / fit.odds(run.values);
        let rise = share * (CEILING - FLOOR) * logistic * (1.0 - logistic);
        let [one, other] = run.values;
        let weight = rise / (odds * (1.0 - odds));
        let off = (f64::from(u8::from(run.ran)) - odds) * weight;
        slope = [slope[0] + off * one, slope[1] + off * other];
        let each = weight * rise;
        information = [
            information[0] + each * one * one,
            information[1] + each * one * other,
            information[2] + each * other * other,
        ];
    }
    let [first, mixed, second] = information;
    let determinant = first * second - mixed * mixed;
    if determinant <= 0.0 {
        return fit;
    }
    let step =
        [(second * slope[0] - mixed * slope[1]) / determinant, (first * slope[1] - mixed * slope[0]) / determinant];
    let before = fit.likelihood(runs);
    let tries = (0..30).map(|halvings| 0.5_f64.powi(halvings));
    let moved = tries.map(|part| Fit { by: [fit.by[0] + part * step[0], fit.by[1] + part * step[1]], ..fit });
    moved.into_iter().find(|moved| moved.likelihood(runs) >= before).unwrap_or(fit)
}

/// Finds the share of runs without other causes of failure by bisection: the slope of the
/// likelihood decreases with the share.
fn others(fit: Fit, runs: &[Run]) -> f64 {
    let untold: Vec<&Run> = runs.iter().filter(|run| !run.is_told).collect();
    let slope = |share: f64| -> f64 {
        let of = |run: &&Run| {
            let odds = fit.odds(run.values);
            if run.ran { 1.0 / share } else { -odds / (1.0 - share * odds) }
        };
        untold.iter().map(of).sum()
    };
    let (mut low, mut high) = (0.5, 1.0);
    if untold.is_empty() || slope(high) >= 0.0 {
        return high;
    }
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates runs with outcomes in exactly the proportions of a fit, so that the fit must be
    /// recovered.
    fn drawn(from: Fit, each: u32) -> Vec<Run> {
        let of_place = |place: i32| {
            let values = [1.0, f64::from(place) * 0.05];
            [false, true].into_iter().flat_map(move |is_told| {
                let share = from.odds(values) * if is_told { 1.0 } else { from.others };
                (0..each).map(move |run| Run { values, is_told, ran: f64::from(run) + 0.5 < share * f64::from(each) })
            })
        };
        (-12..=12).flat_map(of_place).collect()
    }

    #[test]
    fn the_fit_that_runs_were_drawn_from_is_found_again() {
        let from = Fit { by: [-0.9, 14.0], others: 0.93 };
        let found = fit(&drawn(from, 400), [0.0, 5.0]);
        assert!((found.by[0] - from.by[0]).abs() < 0.05 && (found.by[1] - from.by[1]).abs() < 0.3, "{found:?}");
        assert!((found.others - from.others).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn no_other_coefficients_are_likelier() {
        let runs = drawn(Fit { by: [0.5, 6.0], others: 0.9 }, 20);
        let found = fit(&runs, [0.0, 5.0]);
        let most = found.likelihood(&runs);
        for (one, other, share) in
            [(0.05, 0.0, 0.0), (-0.05, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, -0.5, 0.0), (0.0, 0.0, 0.02)]
        {
            let by = [found.by[0] + one, found.by[1] + other];
            for others in [found.others + share, found.others - share] {
                assert!(Fit { by, others }.likelihood(&runs) <= most, "{found:?}");
            }
        }
    }
}
