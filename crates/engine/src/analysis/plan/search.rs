//! The search of one case: its layouts in their order, the fastest that fits kept.

use super::Progress;
use super::cases::Case;
use super::settled::Settled;
use crate::analysis::advice::errors;
use crate::model::memory;
use crate::model::report::{MemoryPart, MemoryReport, Report};
use crate::model::run::{self, RunReport};
use crate::model::stages::stages;
use crate::model::step;
use crate::model::training::Recompute;
use crate::scenario::Scenario;
use crate::units::Bytes;

/// The fastest layout of a case so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    /// Its place among the layouts of the case.
    pub(super) place: usize,
    pub(super) scenario: Scenario,
    pub(super) run: RunReport,
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

    /// Visits up to `count` more layouts, of which one may have so many errors. Returns how many.
    pub(super) fn advance(&mut self, case: &Case, count: usize, errors: usize, progress: &mut Progress) -> usize {
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
            progress.evaluated += 1;
            match weigh(&scenario, self.best.as_ref(), errors) {
                // No micro-batch and no recomputation makes room for the states.
                Weighed::StatesTooLarge => {
                    self.place = (of + 1) * block;
                    continue;
                }
                Weighed::TooLarge => {
                    if case.laws.full_is_smallest && scenario.recompute == Recompute::None && !fits_in_full(&scenario) {
                        self.settled.settle(micro_batch);
                    }
                }
                Weighed::Fits(outcome) => {
                    progress.fitting += 1;
                    let is_settled = case.laws.none_is_fastest && scenario.recompute == Recompute::None;
                    if is_settled && !matches!(outcome, Outcome::Invalid) {
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
    let setup = Scenario { recompute: Recompute::Full, ..*scenario }.setup();
    memory::peak(&setup, &stages(&setup)).fits()
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
    /// It would be the best, but has more errors than the scenario.
    Invalid,
    /// It is the best.
    Best(RunReport),
}

/// Evaluates a combination: its memory, its time if that fits, its run if its steps alone are not too long already. Allocates only to
/// validate what would be the new best.
fn weigh(scenario: &Scenario, best: Option<&Best>, allowed: usize) -> Weighed {
    let setup = scenario.setup();
    let mut too_large = Weighed::TooLarge;
    let report = step::evaluate_where(&setup, |memory| {
        if states(scenario, memory) > memory.capacity {
            too_large = Weighed::StatesTooLarge;
        }
        memory.fits()
    });
    let Some(report) = report.filter(Report::fits) else { return too_large };
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
    } else if errors(scenario) > allowed {
        Outcome::Invalid
    } else {
        Outcome::Best(run)
    })
}

/// Returns what a GPU holds of weights and optimizer state, whatever the micro-batch and the recomputation. Paged state makes room for
/// what those need.
fn states(scenario: &Scenario, memory: &MemoryReport) -> Bytes {
    let weights = memory.parts.get(MemoryPart::Weights);
    if scenario.offload.paged { weights } else { weights + memory.parts.get(MemoryPart::Optimizer) }
}
