//! The search behind all questions: a space of candidates, visited by index, and an objective that
//! keeps the best.
//!
//! | question | space | objective |
//! |---|---|---|
//! | [`crate::ranking`]: the best layouts | the layouts of a batch | the best of each kind |
//! | [`crate::plan`]: a deadline, a budget, the GPUs at hand | the layouts of each case | the fastest of a case |
//! | [`crate::best`]: the MFU that memory allows | lengths, micro-batches, recomputation | all, by MFU |
//! | [`crate::bounds_search`]: the MFU by the closed-form bounds | stage, share kept, tokens | the highest MFU |
//!
//! Questions about a single axis are bisected ([`last`]): [`crate::limits`].

/// Candidates, each with an index (place).
pub(crate) trait Space {
    /// A configuration to evaluate.
    type Candidate;

    /// Number of places.
    fn len(&self) -> usize;

    /// Returns the candidate at a place; `None` if its values are impossible together.
    fn at(&self, place: usize) -> Option<Self::Candidate>;

    /// Returns the first place, from this one on, at which there may be a candidate.
    fn next(&self, place: usize) -> usize {
        place
    }
}

/// A place decomposed into one index per axis, the fastest-varying axis first.
pub(crate) struct Indices(pub(crate) usize);

impl Indices {
    /// Returns the value on the next axis.
    pub(crate) fn on<T: Copy>(&mut self, axis: &[T]) -> Option<T> {
        let value = axis.get(self.0.checked_rem(axis.len())?).copied();
        self.0 /= axis.len();
        value
    }
}

/// Result of weighing a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Screening {
    /// Not evaluated: the result of another candidate decides this one.
    Settled,
    /// Evaluated; does not fit.
    Misses,
    /// Evaluated; fits.
    Fits,
}

/// The aim of a search: decides which candidates to keep.
pub(crate) trait Objective<T> {
    /// Returns the first place, from this one on, whose candidate may be kept: this place, unless
    /// earlier evaluations rule it out.
    fn next(&mut self, place: usize) -> usize {
        place
    }

    /// Evaluates the candidate at a place as far as needed, and keeps it if it is good enough.
    fn weigh(&mut self, place: usize, candidate: &T) -> Screening;
}

/// Progress of a search, with counts of its candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Combinations visited so far.
    pub visited: usize,
    /// Combinations in all.
    pub of: usize,
    /// Number of visited combinations that were evaluated. The others do not divide evenly, have no
    /// more room for weights and optimizer state than an evaluated one that lacks room for these
    /// alone, or cannot be the best because of another evaluated one ([`crate::plan::Laws`]).
    pub evaluated: usize,
    /// Number of evaluated combinations that fit in memory, whatever their odds.
    pub fitting: usize,
}

/// A search that advances in steps: its objective, and the next place to visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Search<O> {
    pub(crate) objective: O,
    place: usize,
}

impl<O> Search<O> {
    /// Creates a search; nothing is evaluated yet.
    pub(crate) fn new(objective: O) -> Self {
        Self { objective, place: 0 }
    }

    /// Visits every place, and returns what the objective keeps.
    pub(crate) fn through<S: Space>(space: &S, objective: O) -> O
    where
        O: Objective<S::Candidate>,
    {
        let mut search = Self::new(objective);
        search.advance(space, usize::MAX, &mut Progress::default());
        search.objective
    }

    /// Whether every place was visited.
    pub(crate) fn is_over<S: Space>(&self, space: &S) -> bool {
        self.place >= space.len()
    }

    /// Visits up to `count` more places, or a few more if many are settled at once. Returns the
    /// number of places visited.
    pub(crate) fn advance<S: Space>(&mut self, space: &S, count: usize, progress: &mut Progress) -> usize
    where
        O: Objective<S::Candidate>,
    {
        let from = self.place;
        let end = space.len().min(from.saturating_add(count));
        while self.place < end {
            let next = self.objective.next(space.next(self.place)).min(space.len());
            if next > self.place {
                self.place = next;
                continue;
            }
            if let Some(candidate) = space.at(self.place) {
                let met = self.objective.weigh(self.place, &candidate);
                progress.evaluated += usize::from(met != Screening::Settled);
                progress.fitting += usize::from(met == Screening::Fits);
            }
            self.place += 1;
        }
        progress.visited += self.place - from;
        self.place - from
    }
}

/// Bisects a range for the last value at which a monotonic condition holds: `None` if the condition
/// fails at the first value. `middle` returns a value between two, or `None` once the two are close
/// enough.
pub(crate) fn last<T: Copy>(
    (first, end): (T, T),
    mut middle: impl FnMut(T, T) -> Option<T>,
    holds: impl Fn(T) -> bool,
) -> Option<T> {
    if !holds(first) {
        return None;
    }
    if holds(end) {
        return Some(end);
    }
    let (mut low, mut high) = (first, end);
    while let Some(value) = middle(low, high) {
        if holds(value) {
            low = value;
        } else {
            high = value;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers below 100 that are multiples of three.
    struct Threes;

    impl Space for Threes {
        type Candidate = usize;

        fn len(&self) -> usize {
            100
        }

        fn at(&self, place: usize) -> Option<usize> {
            place.is_multiple_of(3).then_some(place)
        }
    }

    /// Keeps even numbers, and skips 50 to 59.
    struct Even(Vec<usize>);

    impl Objective<usize> for Even {
        fn next(&mut self, place: usize) -> usize {
            if (50..60).contains(&place) { 60 } else { place }
        }

        fn weigh(&mut self, place: usize, candidate: &usize) -> Screening {
            assert_eq!(place, *candidate);
            if !candidate.is_multiple_of(2) {
                return Screening::Misses;
            }
            self.0.push(place);
            Screening::Fits
        }
    }

    #[test]
    fn every_place_is_visited_once_whatever_the_pieces() {
        let whole = Search::through(&Threes, Even(vec![])).0;
        assert_eq!((whole.len(), whole.first(), whole.last()), (16, Some(&0), Some(&96)));
        for piece in [1, 7, 99] {
            let (mut search, mut progress) = (Search::new(Even(vec![])), Progress::default());
            while !search.is_over(&Threes) {
                search.advance(&Threes, piece, &mut progress);
            }
            assert_eq!(search.objective.0, whole);
            assert_eq!(progress, Progress { visited: 100, of: 0, evaluated: 31, fitting: 16 });
        }
    }

    #[test]
    fn a_place_has_one_index_on_each_axis() {
        let all: Vec<(char, u32)> = (0..6)
            .map(|place| {
                let mut indices = Indices(place);
                (indices.on(&['a', 'b']).unwrap(), indices.on(&[1, 2, 3]).unwrap())
            })
            .collect();
        assert_eq!(all, [('a', 1), ('b', 1), ('a', 2), ('b', 2), ('a', 3), ('b', 3)]);
        assert_eq!(Indices(0).on::<u32>(&[]), None);
    }

    #[test]
    fn the_last_is_found_at_both_ends_and_between() {
        let between = |low: u32, high: u32| (high - low > 1).then(|| u32::midpoint(low, high));
        let last_up_to = |most: u32| last((1, 100), between, |value| value <= most);
        assert_eq!([0, 1, 37, 99, 100, 500].map(last_up_to), [None, Some(1), Some(37), Some(99), Some(100), Some(100)]);
    }
}
