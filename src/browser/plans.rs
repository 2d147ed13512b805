//! Plans, searched by the module in its workers (`crates/files-worker`), one piece at a time.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use yew::prelude::*;

use analysis::plan::{Piece, Plan, Progress, SearchKind, Terms, Winner};
use engine::scenario::Scenario;

use super::files_worker::{ask_worker, workers};

/// Combinations in one piece: about ten milliseconds, so that a stopped search ends soon.
const COMBINATIONS_A_PIECE: usize = 40_000;
/// Milliseconds between two reports of a plan's progress.
const PROGRESS_MS: f64 = 250.0;

/// Result and progress of a search for a plan.
#[derive(Clone, PartialEq)]
pub struct Planned {
    /// The last finished plan, which may be of another scenario or question.
    pub found: Option<Rc<Plan>>,
    /// Progress of the search under way.
    pub progress: Option<Progress>,
}

/// A search under way.
struct Search {
    plan: Plan,
    link: String,
    left: VecDeque<Range<usize>>,
    /// Number of pieces that workers are searching.
    under_way: usize,
    winners: Vec<Winner>,
    /// Time of the last progress report, in milliseconds.
    said: f64,
    set_found: UseStateSetter<Option<Rc<Plan>>>,
    set_progress: UseStateSetter<Option<Progress>>,
}

/// Searches for an answer to a question around a scenario on some terms, once wanted. A search that
/// is no longer wanted ends after the pieces that workers are searching.
#[hook]
pub fn use_plan(scenario: &Scenario, kind: SearchKind, terms: Terms, wanted: bool) -> Planned {
    let found = use_state(|| None::<Rc<Plan>>);
    let progress = use_state_eq(|| None::<Progress>);
    let is_here = found.as_ref().is_some_and(|found| found.is_of(scenario, kind, terms));
    let (set_found, set_progress) = (found.setter(), progress.setter());
    use_effect_with((*scenario, kind, terms, wanted && !is_here), move |&(scenario, kind, terms, goes_on)| {
        let is_wanted = Rc::new(Cell::new(goes_on));
        let plan = goes_on.then(|| Plan::new(&scenario, kind, terms));
        set_progress.set(plan.as_ref().map(Plan::progress));
        if let Some(plan) = plan {
            let left = plan.pieces(COMBINATIONS_A_PIECE).into();
            let link = links::encode(&scenario);
            let (under_way, winners, said) = (0, Vec::new(), 0.0);
            let search = Search { plan, link, left, under_way, winners, said, set_found, set_progress };
            let search = Rc::new(RefCell::new(search));
            for worker in 0..workers() {
                go_on(worker, &search, &is_wanted);
            }
        }
        move || is_wanted.set(false)
    });
    Planned { found: (*found).clone(), progress: *progress }
}

/// Gives a worker its next piece; after the last piece, ends the search.
fn go_on(worker: u32, search: &Rc<RefCell<Search>>, is_wanted: &Rc<Cell<bool>>) {
    let mut at = search.borrow_mut();
    let Some(cases) = at.left.pop_front() else {
        if at.under_way == 0 {
            at.end();
        }
        return;
    };
    at.under_way += 1;
    let Terms { batch, sure, .. } = at.plan.terms();
    let [from, to] = [cases.start, cases.end].map(|place| (place as u32).into());
    let given = [at.link.as_str().into(), at.plan.kind().key().into(), batch.into(), sure.into(), from, to];
    drop(at);
    let (search, is_wanted) = (search.clone(), is_wanted.clone());
    ask_worker(worker, "plan", &given, move |numbers: Option<Vec<usize>>| {
        if is_wanted.get() {
            search.borrow_mut().take(numbers.as_deref(), cases);
            go_on(worker, &search, &is_wanted);
        }
    });
}

impl Search {
    /// Takes the result of a worker; a piece that no worker could search is searched here.
    fn take(&mut self, numbers: Option<&[usize]>, cases: Range<usize>) {
        let piece = numbers.and_then(Piece::from_numbers).unwrap_or_else(|| self.plan.search(cases));
        self.under_way -= 1;
        self.plan.count(&piece);
        self.winners.extend(piece.winners);
        let now = js_sys::Date::now();
        if now - self.said > PROGRESS_MS {
            self.said = now;
            self.set_progress.set(Some(self.plan.progress()));
        }
    }

    fn end(&mut self) {
        // Several workers may find nothing left; the search ends once.
        if !self.plan.is_over() {
            self.plan.end(core::mem::take(&mut self.winners));
            self.set_progress.set(None);
            self.set_found.set(Some(Rc::new(self.plan.clone())));
        }
    }
}
