//! Planning backwards: from a deadline, a budget or the GPUs at hand to hardware and layout.
//!
//! A plan evaluates the model, data, precision and batch of a scenario over hardware, numbers of
//! GPUs and layouts, and keeps the fastest layout of each case that fits. Nothing is left out by a
//! guess: every layout that divides evenly is evaluated, but for those in which weights and
//! optimizer state alone exceed the memory, which depend on neither micro-batch nor recomputation,
//! for those that recompute where the same fits without ([`Laws`]), and for micro-batches larger
//! than one that does not fit ([`outgrows_smaller`]). A case is one place that a question asks
//! about ([`Kind`]); the questions ([`Question`]) then sort the cases ([`Plan::answers`]), so that
//! another deadline needs no other search.
//!
//! A layout that fits less surely than asked for is none ([`Terms`]). The tokens of a step are
//! those that are asked for, as they decide what the run learns; where the GPUs do not divide them,
//! up to a quarter fewer. The largest batch is a question of its own.

mod answers;
mod batch;
mod cases;
mod found;
mod hardware;
mod money;
mod piece;
mod question;
mod search;
mod settled;
mod terms;

pub use batch::{larger_batch, own_batch, published_batch, usual_batch};
pub use found::Found;
pub use hardware::{Hardware, NODES};
pub use money::{break_even, premium};
pub use piece::{Piece, Winner};
pub use question::{Kind, Question, USUAL_DAYS, USUAL_DOLLARS, amount};
pub use settled::{Laws, outgrows_smaller};
pub use terms::{Terms, USUALLY_SURE};

use super::candidates::errors;
use cases::Case;
use engine::model::run::HostMemory;
use engine::scenario::{Scenario, Strategy};
use engine::units::Seconds;
use search::{Limits, Search};

/// How far a search is, and what it met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Combinations visited so far.
    pub visited: usize,
    /// Combinations in all.
    pub of: usize,
    /// Of those visited, how many were evaluated: the others do not divide evenly, have no more
    /// room for weights and optimizer state than one evaluated that lacks it for these alone, or
    /// cannot be the best for another that was evaluated ([`Laws`]).
    pub evaluated: usize,
    /// Of those evaluated, how many fit in memory, surely enough or not.
    pub fitting: usize,
}

/// A search that is done piece by piece.
#[derive(Clone, Debug)]
pub struct Plan {
    scenario: Scenario,
    kind: Kind,
    terms: Terms,
    hardware: Vec<Hardware>,
    cases: Vec<Case>,
    /// The number of errors that a layout may have: those that the scenario has in any layout.
    errors: usize,
    /// What the scenario asks of its hosts, which a layout may ask for where they have it.
    host: HostMemory,
    /// The case that is searched.
    at: usize,
    search: Search,
    found: Vec<Found>,
    progress: Progress,
}

/// A search finds the same in the same order: two of one question about one scenario that are
/// equally far are equal.
impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        let far = |plan: &Self| (plan.at, plan.search.place());
        self.is_of(&other.scenario, other.kind, other.terms) && far(self) == far(other)
    }
}

impl Plan {
    /// Creates a search over every cluster of the catalog and the scenario's own hardware, on some
    /// terms; nothing is evaluated yet.
    pub fn new(scenario: &Scenario, kind: Kind, terms: Terms) -> Self {
        Self::over(scenario, kind, terms, hardware::all(scenario))
    }

    /// Creates a search over some hardware; questions about the scenario's own GPUs need no other
    /// than [`Hardware::own`].
    pub fn over(scenario: &Scenario, kind: Kind, terms: Terms, hardware: Vec<Hardware>) -> Self {
        let cases = cases::of(scenario, kind, terms.batch, &hardware);
        let of = cases.iter().map(|case| case.space.len()).sum();
        Self {
            scenario: *scenario,
            kind,
            terms,
            cases,
            hardware,
            errors: errors(&plain(scenario)),
            host: scenario.host_memory(),
            at: 0,
            search: Search::default(),
            found: Vec::new(),
            progress: Progress { of, ..Progress::default() },
        }
    }

    /// Whether this is the search of a scenario on these terms.
    pub fn is_of(&self, scenario: &Scenario, kind: Kind, terms: Terms) -> bool {
        self.kind == kind && self.terms == terms && self.scenario == *scenario
    }

    /// The scenario that is planned.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// What every answer holds to.
    pub fn terms(&self) -> Terms {
        self.terms
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

    fn limits(&self) -> Limits {
        Limits { errors: self.errors, host: self.host, sure: self.terms.sure }
    }

    /// Visits up to `count` more combinations. Returns whether the search is complete.
    pub fn advance(&mut self, count: usize) -> bool {
        let mut left = count;
        while left > 0
            && let Some(case) = self.cases.get(self.at)
        {
            left = left.saturating_sub(self.search.advance(case, left, self.limits(), &mut self.progress));
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

/// Returns the scenario in a layout without a degree of parallelism but sharding, whose errors no
/// layout mends.
fn plain(scenario: &Scenario) -> Scenario {
    Scenario { tp: 1, cp: 1, pp: 1, ep: 1, micro_batch_size: 1, ..*scenario }.with_strategy(Strategy::FullShard)
}

/// Returns days in a time.
fn days(time: Seconds) -> f64 {
    time.hours() / 24.0
}
