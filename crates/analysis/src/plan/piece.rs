//! Pieces of a plan, searched separately on other threads: ranges of its cases, whose winners are
//! returned as numbers.

use core::ops::Range;

use super::fastest::Fastest;
use super::{FastestLayout, Plan, Progress};
use crate::execution::{POLISHED, options, with_options};
use crate::search::{Search, Space};

/// The fastest layout of a case, as the indices of case and layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Winner {
    /// Index of the case.
    pub case: usize,
    /// Index of the layout in the case.
    pub layout: usize,
    /// Its options of execution.
    options: [usize; POLISHED],
}

/// Result of searching some cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The winners, in the order of their cases.
    pub winners: Vec<Winner>,
    /// Counts of the visited combinations.
    pub progress: Progress,
}

impl Piece {
    /// Encodes the piece as numbers, for another thread.
    pub fn to_numbers(&self) -> Vec<usize> {
        let Progress { visited, of, evaluated, fitting } = self.progress;
        let numbers = |winner: &Winner| [winner.case, winner.layout].into_iter().chain(winner.options);
        let winners = self.winners.iter().flat_map(numbers);
        [visited, of, evaluated, fitting].into_iter().chain(winners).collect()
    }

    /// Decodes a piece from numbers; `None` if they encode none.
    pub fn from_numbers(numbers: &[usize]) -> Option<Self> {
        let (&[visited, of, evaluated, fitting], winners) = numbers.split_first_chunk()?;
        let (all, rest) = winners.as_chunks::<{ POLISHED + 2 }>();
        let winner = |numbers: &[usize; POLISHED + 2]| {
            let (&[case, layout], options) = numbers.split_first_chunk()?;
            Some(Winner { case, layout, options: options.try_into().ok()? })
        };
        let winners = all.iter().map(winner).collect::<Option<_>>()?;
        rest.is_empty().then_some(Self { winners, progress: Progress { visited, of, evaluated, fitting } })
    }
}

impl Plan {
    /// Splits the cases into ranges of about `combinations` combinations.
    pub fn pieces(&self, combinations: usize) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let (mut from, mut met) = (0, 0);
        for (place, case) in self.cases.iter().enumerate() {
            met += case.len();
            if met >= combinations || place + 1 == self.cases.len() {
                pieces.push(from..place + 1);
                (from, met) = (place + 1, 0);
            }
        }
        pieces
    }

    /// Searches the cases of a range to their end.
    pub fn search(&self, cases: Range<usize>) -> Piece {
        let (mut winners, mut progress) = (Vec::new(), Progress::default());
        for (place, case) in self.cases.iter().enumerate().take(cases.end).skip(cases.start) {
            progress.of += case.len();
            let mut search = Search::new(Fastest::new(case, self.limits));
            search.advance(case, usize::MAX, &mut progress);
            winners.extend(search.objective.found().map(|best| {
                let options = options(&case.polished(&best.scenario));
                Winner { case: place, layout: best.place, options }
            }));
        }
        Piece { winners, progress }
    }

    /// Adds the counts of a searched piece to the progress.
    pub fn count(&mut self, piece: &Piece) {
        let Progress { visited, evaluated, fitting, .. } = piece.progress;
        self.progress.visited += visited;
        self.progress.evaluated += evaluated;
        self.progress.fitting += fitting;
    }

    /// Ends the plan with the winners of all its cases, in any order. Winners with invalid indices
    /// are ignored.
    pub fn end(&mut self, mut winners: Vec<Winner>) {
        winners.sort_by_key(|winner| winner.case);
        self.found = winners.into_iter().filter_map(|winner| self.found_at(winner)).collect();
        self.search = None;
        self.at = self.cases.len();
    }

    fn found_at(&self, winner: Winner) -> Option<FastestLayout> {
        let case = self.cases.get(winner.case)?;
        Some(case.found(&with_options(case.at(winner.layout)?, winner.options)))
    }
}
