//! The search of one case: its layouts in their order, the fastest that fits kept.

use super::Progress;
use super::cases::Case;
use super::settled::Settled;
use crate::candidates::errors;
use catalog::accuracy;
use engine::model::choices::Choices;
use engine::model::memory::{self, NoRoom};
use engine::model::run::{self, HostMemory, RunReport};
use engine::model::stages::stages;
use engine::model::step;
use engine::model::training::Recompute;
use engine::scenario::Scenario;

/// The fastest layout of a case so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    /// Its place among the layouts of the case.
    pub(super) place: usize,
    pub(super) scenario: Scenario,
    pub(super) run: RunReport,
}

/// What a layout has to hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most errors that it may have.
    pub(super) errors: usize,
    /// What the asked scenario asks of its hosts.
    pub(super) host: HostMemory,
    /// The least odds that it fits.
    pub(super) sure: f64,
}

/// How far the search of a case is, and what it met.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    place: usize,
    best: Option<Best>,
    settled: Settled,
}

impl Search {
    /// The place that is visited next.
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// The fastest layout that was found.
    pub(super) fn best(self) -> Option<Best> {
        self.best
    }

    /// Visits up to `count` more layouts, and returns how many.
    pub(super) fn advance(&mut self, case: &Case, count: usize, limits: Limits, progress: &mut Progress) -> usize {
        let from = self.place;
        let end = case.space.len().min(from.saturating_add(count));
        let block = case.space.block();
        while self.place < end {
            let (of, micro_batch) = (self.place / block, case.space.micro_batch(self.place));
            if self.settled.has(of, micro_batch) {
                self.place += 1;
                continue;
            }
            let Some(scenario) = case.candidate(self.place) else {
                self.place += 1;
                continue;
            };
            if self.settled.is_outgrown(&scenario, micro_batch) {
                self.place += 1;
                continue;
            }
            progress.evaluated += 1;
            match weigh(&scenario, self.best.as_ref(), limits) {
                // No micro-batch and no recomputation makes room for the states.
                Weighed::StatesTooLarge => {
                    self.place = (of + 1) * block;
                    continue;
                }
                Weighed::TooLarge => {
                    let is_first = case.laws.full_is_smallest && scenario.recompute == Recompute::None;
                    let in_all = is_first && !fits_in_full(&scenario);
                    self.settled.outgrow(scenario.recompute, micro_batch, in_all);
                }
                Weighed::Fits(outcome) => {
                    progress.fitting += 1;
                    let is_settled = case.laws.none_is_fastest && scenario.recompute == Recompute::None;
                    if is_settled && !matches!(outcome, Outcome::Refused) {
                        self.settled.settle(micro_batch);
                    }
                    if let Outcome::Best(run) = outcome {
                        self.best = Some(Best { place: self.place, scenario, run });
                    }
                }
            }
            self.place += 1;
        }
        progress.visited += self.place - from;
        self.place - from
    }
}

/// Whether a layout fits with full recomputation.
fn fits_in_full(scenario: &Scenario) -> bool {
    let setup = Scenario { choices: Choices { recompute: Recompute::Full, ..scenario.choices }, ..*scenario }.setup();
    memory::peak_that_fits(&setup, &stages(&setup)).is_ok()
}

/// What an evaluation of a combination says.
enum Weighed {
    /// Weights and optimizer state alone exceed the memory.
    StatesTooLarge,
    /// It does not fit.
    TooLarge,
    /// It fits.
    Fits(Outcome),
}

/// How a layout that fits compares with the best so far.
#[allow(clippy::large_enum_variant, reason = "one lives for one evaluation, and a box would allocate")]
enum Outcome {
    /// It is not faster.
    Slower,
    /// It would be the best, but has more errors than the scenario, or fits not surely enough.
    Refused,
    /// It is the best.
    Best(RunReport),
}

/// Evaluates a combination: its memory, its time if that fits, its run if its steps alone are not
/// too long already. Allocates only to validate what would be the new best.
fn weigh(scenario: &Scenario, best: Option<&Best>, limits: Limits) -> Weighed {
    let setup = scenario.setup();
    let report = match step::evaluate_where_it_fits(&setup) {
        Ok(report) if report.fits() => report,
        Ok(_) | Err(NoRoom::Peak) => return Weighed::TooLarge,
        Err(NoRoom::States) => return Weighed::StatesTooLarge,
    };
    let choices = scenario.run_choices();
    // A run takes at least its steps.
    if report.rollout.is_none()
        && let Some(best) = best
        && run::steps_of(&setup, &choices) * report.time.step >= best.run.time
    {
        return Weighed::Fits(Outcome::Slower);
    }
    let run = run::evaluate(&setup, &report, &choices);
    Weighed::Fits(if best.is_some_and(|best| run.time >= best.run.time) {
        Outcome::Slower
    } else if accuracy::fit_odds(&report) < limits.sure
        || !run.host.may_replace(&limits.host)
        || errors(scenario) > limits.errors
    {
        Outcome::Refused
    } else {
        Outcome::Best(run)
    })
}
