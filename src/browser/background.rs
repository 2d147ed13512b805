//! Work in the background, in pieces between which the page stays responsive: published rows are
//! loaded and evaluated, layouts searched; plans are searched in workers (`plans`).

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::{Interval, Timeout};
use gloo::utils::{document, window};
use js_sys::futures::{JsFuture, spawn_local};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::Response;
use yew::prelude::*;

use analysis::layouts::LayoutSearch;
use analysis::published::{self, Published};
use charts::views::ScoredRows;
use engine::scenario::Scenario;

/// Path of the file of published rows.
const FILE: &str = "rows.txt";
/// Rows in one piece: far shorter than a long task.
const ROWS_A_PIECE: usize = 32;

/// The published rows, or the state of loading them.
#[derive(Clone)]
pub enum Rows {
    /// The rows are being loaded.
    Coming,
    /// The rows could not be loaded: the HTTP status, 0 without an answer.
    Missing(u16),
    /// All rows, loaded and evaluated.
    Here(Rc<ScoredRows>),
}

impl Rows {
    /// Returns the rows, once loaded.
    pub fn here(&self) -> Option<&Rc<ScoredRows>> {
        match self {
            Self::Here(rows) => Some(rows),
            Self::Coming | Self::Missing(_) => None,
        }
    }
}

impl PartialEq for Rows {
    /// Compares pointers, because rows never change once loaded.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Here(one), Self::Here(other)) => Rc::ptr_eq(one, other),
            (Self::Missing(one), Self::Missing(other)) => one == other,
            (Self::Coming, Self::Coming) => true,
            _ => false,
        }
    }
}

/// Loads the published rows once they are wanted. If loading fails, loads them again when they are
/// wanted anew.
#[hook]
pub fn use_rows(wanted: bool) -> Rows {
    let rows = use_state(|| Rows::Coming);
    let asked = use_mut_ref(|| Rc::new(Cell::new(false)));
    let setter = rows.setter();
    use_effect_with(wanted, move |&wanted| {
        let asked = asked.borrow().clone();
        if wanted && !asked.replace(true) {
            fetch_text(
                FILE,
                Callback::from(move |answer: Result<String, u16>| match answer {
                    Ok(text) => {
                        evaluate(published::parse_published(&text).into_iter(), ScoredRows::default(), setter.clone());
                    }
                    Err(status) => {
                        asked.set(false);
                        setter.set(Rows::Missing(status));
                    }
                }),
            );
        }
    });
    (*rows).clone()
}

/// Evaluates one piece of the rows now, and each other piece in a task of its own. Loads late.
#[inline(never)]
fn evaluate(mut left: std::vec::IntoIter<Published>, mut done: ScoredRows, setter: UseStateSetter<Rows>) {
    for row in left.by_ref().take(ROWS_A_PIECE) {
        done.push(row);
    }
    if left.as_slice().is_empty() {
        setter.set(Rows::Here(Rc::new(done)));
    } else {
        Timeout::new(0, move || evaluate(left, done, setter)).forget();
    }
}

/// Event after which the whole module is there (`static/boot.js`).
const COMPLETE: &str = "shardwise:complete";
/// Attribute of the document once that event has been.
const IS_COMPLETE: &str = "data-complete";

/// Whether all of the module is there; what runs unasked, and is not of the first screen, waits for
/// that.
#[hook]
pub fn use_complete() -> bool {
    let is_there = || document().document_element().is_some_and(|root| root.has_attribute(IS_COMPLETE));
    let complete = use_state_eq(|| false);
    let setter = complete.setter();
    use_effect_with((), move |()| {
        setter.set(is_there());
        let listener = EventListener::once(&window(), COMPLETE, move |_| setter.set(true));
        move || drop(listener)
    });
    *complete
}

/// Status of a request without an answer.
const UNANSWERED: u16 = 0;

/// Attribute of the script that starts the page: the name of the page's module, which contains its
/// hash (`Trunk.toml`).
const MODULE: &str = "data-wasm";

/// Returns the name of the page's module. In the query of another file, it keeps caches from mixing
/// the files of two builds.
pub(super) fn build() -> String {
    let script = document().query_selector("script[data-wasm]").ok().flatten();
    script.and_then(|script| script.get_attribute(MODULE)).unwrap_or_default()
}

/// Fetches a file by its path from the page, and passes on its text, or the HTTP status of the
/// answer, 0 without one.
fn fetch_text(path: &str, then: Callback<Result<String, u16>>) {
    let request = window().fetch_with_str(&[path, "?v=", &build()].concat());
    spawn_local(async move {
        let mut status = UNANSWERED;
        let text = body(request, &mut status).await;
        then.emit(text.ok().flatten().ok_or(status));
    });
}

/// Returns the text of a successful answer, and sets the status.
async fn body(request: js_sys::Promise, status: &mut u16) -> Result<Option<String>, JsValue> {
    let response: Response = JsFuture::from(request).await?.unchecked_into();
    *status = response.status();
    Ok(if response.ok() { JsFuture::from(response.text()?).await?.as_string() } else { None })
}

/// Combinations in one piece: a few milliseconds.
const COMBINATIONS_A_PIECE: usize = 1500;

/// Searches the layouts around a scenario, piece by piece, once wanted. Returns the last finished
/// search, which may be of an earlier scenario.
#[hook]
pub fn use_layouts(scenario: &Scenario, wanted: bool) -> Option<Rc<LayoutSearch>> {
    use_searches(&[*scenario], wanted).into_iter().next().flatten()
}

/// Searches the layouts around each of some scenarios, piece by piece and one after another, once
/// wanted. Returns the last finished searches, which may be of earlier scenarios.
#[hook]
pub fn use_searches(scenarios: &[Scenario], wanted: bool) -> Vec<Option<Rc<LayoutSearch>>> {
    let found = use_state(Vec::<Option<Rc<LayoutSearch>>>::new);
    let is_of = |place: usize, scenario: &Scenario| {
        found.get(place).is_some_and(|found| found.as_ref().is_some_and(|found| found.scenario() == scenario))
    };
    let is_here = found.len() == scenarios.len() && scenarios.iter().enumerate().all(|(place, one)| is_of(place, one));
    let setter = found.setter();
    let kept: Vec<_> = (0..scenarios.len()).map(|place| found.get(place).cloned().flatten()).collect();
    use_effect_with((scenarios.to_vec(), wanted && !is_here), move |(scenarios, goes_on)| {
        let mut left = scenarios.clone().into_iter().map(|scenario| LayoutSearch::new(&scenario)).enumerate();
        let mut now = left.next();
        let mut results = kept;
        let pieces = goes_on.then(|| {
            Interval::new(0, move || {
                let Some((place, search)) = &mut now else { return };
                if search.advance(COMBINATIONS_A_PIECE) {
                    if let Some(result) = results.get_mut(*place) {
                        *result = Some(Rc::new(search.clone()));
                    }
                    now = left.next();
                    // All are reported once: the redraw that follows removes the interval.
                    if now.is_none() {
                        setter.set(results.clone());
                    }
                }
            })
        });
        move || drop(pieces)
    });
    (*found).clone()
}
