//! Objective of a plan's case: the fastest layout that fits.

use super::cases::Case;
use super::settled::{Laws, RuledOut};
use crate::change::errors;
use crate::search::{Objective, Screening};
use engine::model::choices::Choices;
use engine::model::memory::{self, NoRoom};
use engine::model::run::{self, RunReport};
use engine::model::stages::stages;
use engine::model::step;
use engine::model::training::Recompute;
use engine::scenario::Scenario;

/// The fastest layout of a case so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Best {
    /// Index among the layouts of the case.
    pub(super) place: usize,
    pub(super) scenario: Scenario,
    pub(super) run: RunReport,
}

/// Limits that a layout must keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Maximum number of errors.
    pub(super) errors: usize,
    /// Whether layouts count that the framework cannot run, as it cannot run the scenario either.
    pub(super) lacks: bool,
    /// Minimum odds of fitting.
    pub(super) sure: f64,
}

/// The fastest layout of a case, and the layouts that need no evaluation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fastest {
    limits: Limits,
    laws: Laws,
    settled: RuledOut,
    /// Number of layouts with the same memory savers.
    rung: usize,
    pub(super) best: Option<Best>,
}

impl Fastest {
    /// Creates the objective, with no layout found yet.
    pub(super) fn new(case: &Case, limits: Limits) -> Self {
        let (laws, settled, rung) = (case.laws, RuledOut::new(&case.space), case.space.rung().max(1));
        Self { limits, laws, settled, rung, best: None }
    }
}

impl Objective<Scenario> for Fastest {
    fn next(&mut self, place: usize) -> usize {
        // Memory savers cost time, so they are tried only while nothing fits.
        let is_enough = place.is_multiple_of(self.rung) && self.best.is_some();
        if is_enough { usize::MAX } else { self.settled.next(place) }
    }

    fn weigh(&mut self, place: usize, layout: &Scenario) -> Screening {
        let has_none = layout.recompute == Recompute::None;
        if self.settled.is_outgrown(layout, place) || !self.limits.lacks && layout.lack().is_some() {
            return Screening::Settled;
        }
        match weigh(layout, self.best.as_ref(), self.limits) {
            // Neither a smaller micro-batch nor recomputation makes room for the states.
            Evaluation::StatesTooLarge => self.settled.settle_all(),
            Evaluation::TooLarge => {
                let in_all = self.laws.full_is_smallest && has_none && !fits_in_full(layout);
                self.settled.outgrow(layout.recompute, place, in_all);
            }
            Evaluation::Fits(outcome) => {
                if self.laws.none_is_fastest && has_none && !matches!(outcome, Outcome::Refused) {
                    self.settled.settle(place);
                }
                if let Outcome::Best(run) = outcome {
                    self.best = Some(Best { place, scenario: *layout, run });
                }
                return Screening::Fits;
            }
        }
        Screening::Misses
    }
}

/// Whether a layout fits with full recomputation.
fn fits_in_full(scenario: &Scenario) -> bool {
    let setup = Scenario { choices: Choices { recompute: Recompute::Full, ..scenario.choices }, ..*scenario }.setup();
    memory::peak_that_fits(&setup, &stages(&setup)).is_ok()
}

/// Result of evaluating a combination.
enum Evaluation {
    /// Weights and optimizer state alone exceed the memory.
    StatesTooLarge,
    /// The layout does not fit.
    TooLarge,
    /// The layout fits.
    Fits(Outcome),
}

/// Comparison of a fitting layout with the best so far.
#[allow(clippy::large_enum_variant, reason = "it lasts for one evaluation, and a box would allocate")]
enum Outcome {
    /// The layout is not faster.
    Slower,
    /// The layout would be the best, but has more errors than the scenario or too low odds of
    /// fitting.
    Refused,
    /// The layout is the best.
    Best(RunReport),
}

/// Evaluates a combination: its memory; its time if it fits; its run unless its steps alone take
/// too long. Allocates only to validate a new best layout.
fn weigh(scenario: &Scenario, best: Option<&Best>, limits: Limits) -> Evaluation {
    let setup = scenario.setup();
    let report = match step::evaluate_where_it_fits(&setup) {
        Ok(report) if report.fits() => report,
        Ok(_) | Err(NoRoom::Peak) => return Evaluation::TooLarge,
        Err(NoRoom::States) => return Evaluation::StatesTooLarge,
    };
    let choices = scenario.run_choices();
    // A run takes at least the time of its steps.
    if report.rollout.is_none()
        && let Some(best) = best
        && run::steps_of(&setup, &choices) * report.update.time.step >= best.run.time
    {
        return Evaluation::Fits(Outcome::Slower);
    }
    let run = run::evaluate(&setup, &report, &choices);
    Evaluation::Fits(if best.is_some_and(|best| run.time >= best.run.time) {
        Outcome::Slower
    } else if report.odds() < limits.sure || !run.host.fits() || errors(scenario) > limits.errors {
        Outcome::Refused
    } else {
        Outcome::Best(run)
    })
}
