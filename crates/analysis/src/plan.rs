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
mod fastest;
mod found;
mod hardware;
mod money;
mod piece;
mod question;
mod settled;
mod terms;

pub use super::search::Progress;
pub use batch::{larger_batch, own_batch, published_batch, usual_batch};
pub use found::Found;
pub use hardware::{Hardware, NODES};
pub use money::{break_even, premium};
pub use piece::{Piece, Winner};
pub use question::{Kind, Question, USUAL_DAYS, USUAL_DOLLARS, amount};
pub use settled::{Laws, outgrows_smaller};
pub use terms::{Terms, USUALLY_SURE};

use super::candidates::errors;
use super::search::{Search, Space};
use cases::Case;
use engine::scenario::{Scenario, Strategy};
use engine::units::Seconds;
use fastest::{Fastest, Limits};

/// A search that is done piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    scenario: Scenario,
    kind: Kind,
    terms: Terms,
    hardware: Vec<Hardware>,
    cases: Vec<Case>,
    limits: Limits,
    /// The case that is searched.
    at: usize,
    /// Its search, once begun.
    search: Option<Search<Fastest>>,
    found: Vec<Found>,
    progress: Progress,
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
        let of = cases.iter().map(Space::len).sum();
        Self {
            scenario: *scenario,
            kind,
            terms,
            cases,
            hardware,
            // A layout may have the errors that the scenario has in any layout, and may ask the
            // hosts for what the scenario asks them for.
            limits: Limits { errors: errors(&plain(scenario)), host: scenario.host_memory(), sure: terms.sure },
            at: 0,
            search: None,
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

    /// Returns the terms that every answer keeps.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// Returns the kind of search.
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

    /// Returns the progress of the search.
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
            let search = self.search.get_or_insert_with(|| Search::new(Fastest::new(case, self.limits)));
            left = left.saturating_sub(search.advance(case, left, &mut self.progress));
            if search.is_over(case) {
                let best = search.objective.best;
                self.found.extend(best.map(|best| Found::new(case.hardware, &best.scenario, &best.run)));
                self.search = None;
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
