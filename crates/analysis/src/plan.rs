//! Planning backwards: from a deadline, a budget or the GPUs at hand to hardware and layout.
//!
//! A plan evaluates the model, data, precision and batch of a scenario over hardware, numbers of
//! GPUs and layouts, and keeps the fastest layout of each case that fits. Every layout that divides
//! evenly and that the framework can run is evaluated, except three kinds that cannot win: layouts
//! in which weights and optimizer state alone exceed the memory, which depend on neither
//! micro-batch nor recomputation; layouts that recompute although the layout fits without
//! recomputation ([`Laws`]); and micro-batches larger than one that does not fit
//! ([`outgrows_smaller`]). The layouts are those of [`crate::ranking`], so that no ranking beats a
//! plan on the same GPUs. A case is one combination that a question covers ([`SearchKind`]). The
//! questions ([`Question`]) sort the cases ([`Plan::answers`]), so that another deadline needs no
//! new search.
//!
//! Layouts with lower odds of fitting than requested are rejected ([`Terms`]). Tokens per step are
//! those requested, as they affect what the run learns; if the GPUs do not divide them, up to a
//! quarter fewer. The largest batch is a question of its own.

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
pub use batch::{larger_batch, own_batch, published_batch, sequences_of, usual_batch};
pub use found::FastestLayout;
pub use hardware::{Hardware, is_tried};
pub use money::{break_even, premium};
pub use piece::{Piece, Winner};
pub use question::{Question, SearchKind, USUAL_DAYS, USUAL_DOLLARS, amount};
pub use settled::{Laws, outgrows_smaller};
pub use terms::Terms;

use super::change::errors;
use super::search::{Search, Space};
use cases::Case;
use engine::scenario::{Scenario, Strategy};
use engine::units::Seconds;
use fastest::{Fastest, Limits};

/// A search that advances in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    scenario: Scenario,
    kind: SearchKind,
    terms: Terms,
    hardware: Vec<Hardware>,
    cases: Vec<Case>,
    limits: Limits,
    /// Index of the case being searched.
    at: usize,
    /// Search of that case, once begun.
    search: Option<Search<Fastest>>,
    found: Vec<FastestLayout>,
    progress: Progress,
}

impl Plan {
    /// Creates a search over every cluster of the catalog and the scenario's own hardware, with
    /// given terms; nothing is evaluated yet.
    pub fn new(scenario: &Scenario, kind: SearchKind, terms: Terms) -> Self {
        Self::over(scenario, kind, terms, hardware::all(scenario))
    }

    /// Creates a search over given hardware; questions about the scenario's own GPUs need only
    /// [`Hardware::own`].
    pub fn over(scenario: &Scenario, kind: SearchKind, terms: Terms, hardware: Vec<Hardware>) -> Self {
        let cases = cases::list_cases(scenario, kind, terms, &hardware);
        let of = cases.iter().map(Space::len).sum();
        Self {
            scenario: *scenario,
            kind,
            terms,
            cases,
            hardware,
            // A layout may have the errors that the scenario has in every layout.
            limits: Limits {
                errors: errors(&plain(scenario)),
                lacks: scenario.lack().is_some(),
                sure: terms.odds(kind),
            },
            at: 0,
            search: None,
            found: Vec::new(),
            progress: Progress { of, ..Progress::default() },
        }
    }

    /// Whether this plan searches the scenario, the kind and the terms.
    pub fn is_of(&self, scenario: &Scenario, kind: SearchKind, terms: Terms) -> bool {
        self.kind == kind && self.terms == terms && self.scenario == *scenario
    }

    /// Returns the planned scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the terms that every answer meets.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// Returns the kind of search.
    pub fn kind(&self) -> SearchKind {
        self.kind
    }

    /// Returns the searched hardware, the scenario's own first.
    pub fn hardware(&self) -> &[Hardware] {
        &self.hardware
    }

    /// Returns the fastest layout of each case that has one, and the fastest safer ones if they
    /// are others, in the order of the search.
    pub fn found(&self) -> &[FastestLayout] {
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
                let found = search.objective.found().map(|best| case.found(&case.polished(&best.scenario)));
                self.found.extend(found);
                self.search = None;
                self.at += 1;
            }
        }
        self.is_over()
    }
}

/// Returns the scenario with sharding as its only parallelism. Errors of this layout remain in
/// every layout.
fn plain(scenario: &Scenario) -> Scenario {
    Scenario { tp: 1, cp: 1, pp: 1, ep: 1, micro_batch_size: 1, ..*scenario }.with_strategy(Strategy::FullShard)
}

/// Converts a time to days.
fn days(time: Seconds) -> f64 {
    time.hours() / 24.0
}
