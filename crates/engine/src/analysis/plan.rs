//! Planning backwards: from a deadline, a budget or the GPUs at hand to hardware and layout.
//!
//! A plan evaluates the model, data, precision and batch of a scenario over hardware, numbers of GPUs and layouts, and keeps the fastest
//! layout of each case that fits. Nothing is left out by a guess: every layout that divides evenly is evaluated, but for those in which
//! weights and optimizer state alone exceed the memory, which depend on neither micro-batch nor recomputation. A case is one place that a
//! question asks about ([`Kind`]); the questions ([`Question`]) then sort the cases ([`Plan::answers`]), so that another deadline needs no
//! other search.
//!
//! The tokens of a step stay those of the scenario, as they decide what the run learns, but for the largest batch.

mod answers;
mod cases;
mod found;
mod hardware;
mod money;
mod question;

pub use found::Found;
pub use hardware::Hardware;
pub use money::{break_even, premium};
pub use question::{Kind, Question, USUAL_DAYS, USUAL_DOLLARS, amount};

use super::advice::errors;
use crate::model::report::{MemoryPart, MemoryReport, Report};
use crate::model::run::{self, RunReport};
use crate::model::step;
use crate::scenario::{Scenario, Strategy};
use crate::units::{Bytes, Seconds};
use cases::Case;

/// How far a search is, and what it met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Combinations visited so far.
    pub visited: usize,
    /// Combinations in all.
    pub of: usize,
    /// Of those visited, how many divide evenly and were evaluated: the others do not divide evenly, or have no more room for weights and
    /// optimizer state than one evaluated that lacks it for these alone.
    pub evaluated: usize,
    /// Of those evaluated, how many fit in memory.
    pub fitting: usize,
}

/// The fastest layout of a case so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    scenario: Scenario,
    run: RunReport,
}

/// A search that is done piece by piece.
#[derive(Clone, Debug)]
pub struct Plan {
    scenario: Scenario,
    kind: Kind,
    hardware: Vec<Hardware>,
    cases: Vec<Case>,
    /// The number of errors that a layout may have: those that the scenario has in any layout.
    errors: usize,
    /// The case that is searched, and the place in it.
    at: (usize, usize),
    best: Option<Best>,
    found: Vec<Found>,
    progress: Progress,
}

/// A search finds the same in the same order: two of one question about one scenario that are equally far are equal.
impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        self.is_of(&other.scenario, other.kind) && self.at == other.at
    }
}

impl Plan {
    /// Creates a search over every cluster of the catalog and the scenario's own hardware; nothing is evaluated yet.
    pub fn new(scenario: &Scenario, kind: Kind) -> Self {
        Self::over(scenario, kind, hardware::all(scenario))
    }

    /// Creates a search over some hardware; questions about the scenario's own GPUs need no other than [`Hardware::own`].
    pub fn over(scenario: &Scenario, kind: Kind, hardware: Vec<Hardware>) -> Self {
        let cases = cases::of(scenario, kind, &hardware);
        let of = cases.iter().map(|case| case.space.len()).sum();
        Self {
            scenario: *scenario,
            kind,
            cases,
            hardware,
            errors: errors(&plain(scenario)),
            at: (0, 0),
            best: None,
            found: Vec::new(),
            progress: Progress { of, ..Progress::default() },
        }
    }

    /// Whether this is the search of a scenario.
    pub fn is_of(&self, scenario: &Scenario, kind: Kind) -> bool {
        self.kind == kind && self.scenario == *scenario
    }

    /// The scenario that is planned.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// What is searched.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The hardware that is searched, the scenario's own first.
    pub fn hardware(&self) -> &[Hardware] {
        &self.hardware
    }

    /// The fastest layout of each case that has one, in the order of the search.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// How far the search is.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Whether the search is complete.
    pub fn is_over(&self) -> bool {
        self.at.0 >= self.cases.len()
    }

    /// Visits up to `count` more combinations. Returns whether the search is complete.
    pub fn advance(&mut self, count: usize) -> bool {
        let mut left = count;
        while left > 0
            && let Some(case) = self.cases.get(self.at.0)
        {
            let (from, len) = (self.at.1, case.space.len());
            let end = len.min(from.saturating_add(left));
            let mut place = from;
            while place < end {
                let tried = case.candidate(place).map(|scenario| weigh(&scenario, self.best.as_ref(), self.errors));
                self.progress.evaluated += usize::from(tried.is_some());
                place = match tried {
                    None | Some(Weighed::TooLarge) => place + 1,
                    // No micro-batch and no recomputation makes room for the states.
                    Some(Weighed::StatesTooLarge) => (place / case.space.block() + 1) * case.space.block(),
                    Some(Weighed::Fits(better)) => {
                        self.progress.fitting += 1;
                        self.best = better.or(self.best);
                        place + 1
                    }
                };
            }
            self.progress.visited += place - from;
            left = left.saturating_sub(place - from);
            self.at.1 = place;
            if place >= len {
                let of = case.hardware;
                self.found.extend(self.best.take().map(|best| Found::new(of, &best.scenario, &best.run)));
                self.at = (self.at.0 + 1, 0);
            }
        }
        self.is_over()
    }
}

/// What an evaluation of a combination says.
#[allow(clippy::large_enum_variant, reason = "one lives for one evaluation, and a box would allocate")]
enum Weighed {
    /// Weights and optimizer state alone exceed the memory.
    StatesTooLarge,
    /// It does not fit.
    TooLarge,
    /// It fits; where its run ends before that of the best so far, it is the new best.
    Fits(Option<Best>),
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
        return Weighed::Fits(None);
    }
    let run = run::evaluate(&setup, &report, &choices);
    let is_first = best.is_none_or(|best| run.time < best.run.time);
    let is_valid = is_first && errors(scenario) <= allowed;
    Weighed::Fits(is_valid.then_some(Best { scenario: *scenario, run }))
}

/// Returns what a GPU holds of weights and optimizer state, whatever the micro-batch and the recomputation. Paged state makes room for
/// what those need.
fn states(scenario: &Scenario, memory: &MemoryReport) -> Bytes {
    let weights = memory.parts.get(MemoryPart::Weights);
    if scenario.offload.paged { weights } else { weights + memory.parts.get(MemoryPart::Optimizer) }
}

/// Returns the scenario in a layout without a degree of parallelism but sharding, whose errors no layout mends.
fn plain(scenario: &Scenario) -> Scenario {
    Scenario { tp: 1, cp: 1, pp: 1, ep: 1, micro_batch_size: 1, ..*scenario }.with_strategy(Strategy::FullShard)
}

/// Returns days in a time.
fn days(time: Seconds) -> f64 {
    time.hours() / 24.0
}
