//! Planning backwards: from a deadline, a budget or the GPUs at hand to hardware and layout.
//!
//! A plan evaluates the model, data, precision and batch of a scenario over hardware, numbers of GPUs and layouts, and keeps the fastest
//! layout of each case that fits. Nothing is left out by a guess: every layout that divides evenly is evaluated, but for those in which
//! weights and optimizer state alone exceed the memory, which depend on neither micro-batch nor recomputation, for those that
//! recompute where the same fits without ([`Laws`]), and for micro-batches larger than one that does not fit ([`outgrows_smaller`]). A case is one place that a
//! question asks about ([`Kind`]); the questions ([`Question`]) then sort the cases ([`Plan::answers`]), so that another deadline needs no
//! other search.
//!
//! The tokens of a step stay those of the scenario, as they decide what the run learns, but for the largest batch.

mod answers;
mod cases;
mod found;
mod hardware;
mod money;
mod piece;
mod question;
mod search;
mod settled;

pub use found::Found;
pub use hardware::Hardware;
pub use money::{break_even, premium};
pub use piece::{Piece, Winner};
pub use question::{Kind, Question, USUAL_DAYS, USUAL_DOLLARS, amount};
pub use settled::{Laws, outgrows_smaller};

use super::candidates::errors;
use crate::scenario::{Scenario, Strategy};
use crate::units::Seconds;
use cases::Case;
use search::Search;

/// How far a search is, and what it met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Combinations visited so far.
    pub visited: usize,
    /// Combinations in all.
    pub of: usize,
    /// Of those visited, how many were evaluated: the others do not divide evenly, have no more room for weights and optimizer state than
    /// one evaluated that lacks it for these alone, or cannot be the best for another that was evaluated ([`Laws`]).
    pub evaluated: usize,
    /// Of those evaluated, how many fit in memory.
    pub fitting: usize,
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
    /// The case that is searched.
    at: usize,
    search: Search,
    found: Vec<Found>,
    progress: Progress,
}

/// A search finds the same in the same order: two of one question about one scenario that are equally far are equal.
impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        let far = |plan: &Self| (plan.at, plan.search.place());
        self.is_of(&other.scenario, other.kind) && far(self) == far(other)
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
            at: 0,
            search: Search::default(),
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
        self.at >= self.cases.len()
    }

    /// Visits up to `count` more combinations. Returns whether the search is complete.
    pub fn advance(&mut self, count: usize) -> bool {
        let mut left = count;
        while left > 0
            && let Some(case) = self.cases.get(self.at)
        {
            left = left.saturating_sub(self.search.advance(case, left, self.errors, &mut self.progress));
            if self.search.place() >= case.space.len() {
                let of = case.hardware;
                let search = core::mem::take(&mut self.search);
                self.found.extend(search.best().map(|best| Found::new(of, &best.scenario, &best.run)));
                self.at += 1;
            }
        }
        self.is_over()
    }
}

/// Returns the scenario in a layout without a degree of parallelism but sharding, whose errors no layout mends.
fn plain(scenario: &Scenario) -> Scenario {
    Scenario { tp: 1, cp: 1, pp: 1, ep: 1, micro_batch_size: 1, ..*scenario }.with_strategy(Strategy::FullShard)
}

/// Returns days in a time.
fn days(time: Seconds) -> f64 {
    time.hours() / 24.0
}
