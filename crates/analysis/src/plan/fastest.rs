//! Objective of a plan's case: the fastest layout that fits.

use super::cases::Case;
use super::settled::{Laws, RuledOut};
use super::terms::LAYOUTS;
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
    /// Minimum odds of fitting, of a layout and of safer ones.
    pub(super) sure: [f64; LAYOUTS],
}

/// The fastest layout of a case, the fastest ones that are safer, and the layouts that need no
/// evaluation. A run must fit and hold its limit with the requested odds, and the fastest layout
/// often has just these odds of fitting.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fastest {
    limits: Limits,
    laws: Laws,
    settled: RuledOut,
    /// Number of layouts with the same memory savers.
    rung: usize,
    best: [Option<Best>; LAYOUTS],
}

impl Fastest {
    /// Creates the objective, with no layout found yet.
    pub(super) fn new(case: &Case, limits: Limits) -> Self {
        let (laws, settled, rung) = (case.laws, RuledOut::new(&case.space), case.space.rung().max(1));
        Self { limits, laws, settled, rung, best: [None; LAYOUTS] }
    }

    /// Returns the layouts found, the fastest first.
    pub(super) fn found(&self) -> impl Iterator<Item = &Best> {
        let [fastest, safer, safest] = &self.best;
        let places = [fastest, safer].map(|best| best.as_ref().map(|best| best.place));
        let is_new =
            move |best: &&Best, before: usize| places.iter().take(before).all(|place| *place != Some(best.place));
        let safer = safer.iter().filter(move |best| is_new(best, 1));
        fastest.iter().chain(safer).chain(safest.iter().filter(move |best| is_new(best, 2)))
    }

    /// Evaluates a combination: its memory; its time if it fits; its run unless its steps alone
    /// take too long. Allocates only to validate a new best layout.
    fn evaluate(&mut self, place: usize, scenario: &Scenario) -> Evaluation {
        let setup = scenario.setup();
        let report = match step::evaluate_where_it_fits(&setup) {
            Ok(report) if report.fits() => report,
            Ok(_) | Err(NoRoom::Peak) => return Evaluation::TooLarge,
            Err(NoRoom::States) => return Evaluation::StatesTooLarge,
        };
        let (choices, odds) = (scenario.run_choices(), report.odds());
        // A run takes at least the time of its steps.
        let steps = if report.rollout.is_some() { 0.0 } else { run::steps_of(&setup, &choices) };
        let least = steps * report.update.time.step;
        let is_slower = |best: &Option<Best>, time| best.is_some_and(|best| time >= best.run.time);
        // A slower mode of recomputation may still be the safer layout.
        let is_final =
            self.best.iter().zip(self.limits.sure).all(|(best, sure)| odds >= sure || is_slower(best, least));
        let may_win =
            self.best.iter().zip(self.limits.sure).any(|(best, sure)| odds >= sure && !is_slower(best, least));
        if !may_win {
            return Evaluation::Fits { is_final };
        }
        let run = run::evaluate(&setup, &report, &choices);
        let wins: [bool; LAYOUTS] = core::array::from_fn(|of| {
            let (best, sure) = (self.best.get(of), self.limits.sure.get(of));
            best.zip(sure).is_some_and(|(best, sure)| odds >= *sure && !is_slower(best, run.time))
        });
        if wins.contains(&true) && (!run.host.fits() || errors(scenario) > self.limits.errors) {
            return Evaluation::Fits { is_final: false };
        }
        for (best, _) in self.best.iter_mut().zip(wins).filter(|(_, wins)| *wins) {
            *best = Some(Best { place, scenario: *scenario, run });
        }
        Evaluation::Fits { is_final }
    }
}

impl Objective<Scenario> for Fastest {
    fn next(&mut self, place: usize) -> usize {
        // Memory savers cost time, so they are tried only while nothing fits.
        let is_enough = place.is_multiple_of(self.rung) && self.best.iter().any(Option::is_some);
        if is_enough { usize::MAX } else { self.settled.next(place) }
    }

    fn weigh(&mut self, place: usize, layout: &Scenario) -> Screening {
        let has_none = layout.recompute == Recompute::None;
        if self.settled.is_outgrown(layout, place) || !self.limits.lacks && layout.lack().is_some() {
            return Screening::Settled;
        }
        match self.evaluate(place, layout) {
            // Neither a smaller micro-batch nor recomputation makes room for the states.
            Evaluation::StatesTooLarge => self.settled.settle_all(),
            Evaluation::TooLarge => {
                let in_all = self.laws.full_is_smallest && has_none && !fits_in_full(layout);
                self.settled.outgrow(layout.recompute, place, in_all);
            }
            Evaluation::Fits { is_final } => {
                if self.laws.none_is_fastest && has_none && is_final {
                    self.settled.settle(place);
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
    Fits {
        /// Whether no slower layout with less memory can be one of the best.
        is_final: bool,
    },
}
