//! The module that reads files, writes settings and searches plans: fetched on first use, in
//! workers of its own (`static/files.js`).

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use js_sys::Array;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use super::start::{Started, start};

/// Path of the worker's script.
const SCRIPT: &str = "static/files.js";

/// Callback for an answer; `None` if the module could not be loaded, or failed.
type Take = Box<dyn FnOnce(Option<String>)>;

/// A worker, with callbacks for its pending answers.
struct PendingWorker {
    worker: Started,
    waiting: HashMap<u32, Take>,
    questions: u32,
}

thread_local! {
    /// The started workers, by their numbers.
    static ASKED: RefCell<BTreeMap<u32, PendingWorker>> = const { RefCell::new(BTreeMap::new()) };
}

/// Calls the module's function of this name, and passes on its answer, which is JSON; `None` if the
/// module could not be loaded, or failed.
pub fn ask<T: DeserializeOwned>(function: &str, given: &[JsValue], then: impl FnOnce(Option<T>) + 'static) {
    ask_worker(0, function, given, then);
}

/// Returns the number of workers that may search at once: one less than the processor's threads,
/// but at least 2 and at most `MOST_WORKERS`.
pub(super) fn workers() -> u32 {
    let threads = gloo::utils::window().navigator().hardware_concurrency() as u32;
    threads.saturating_sub(1).clamp(2, MOST_WORKERS)
}

/// Maximum number of workers, which limits the memory of the page.
const MOST_WORKERS: u32 = 4;

/// Calls a function in one of several workers; [`ask`] uses the first.
pub(super) fn ask_worker<T: DeserializeOwned>(
    place: u32,
    function: &str,
    given: &[JsValue],
    then: impl FnOnce(Option<T>) + 'static,
) {
    let take: Take = Box::new(|answer| then(answer.and_then(|answer| serde_json::from_str(&answer).ok())));
    let refused = ASKED.with_borrow_mut(|workers| {
        if let Entry::Vacant(free) = workers.entry(place) {
            match start(SCRIPT, move |answer| hear(place, answer), move || give_up(place)) {
                Some(worker) => free.insert(PendingWorker { worker, waiting: HashMap::new(), questions: 0 }),
                None => return Some(take),
            };
        }
        let Some(asked) = workers.get_mut(&place) else { return Some(take) };
        asked.questions = asked.questions.wrapping_add(1);
        let number = asked.questions;
        let mut message = Array::of2(&number.into(), &function.into());
        message.extend(given.iter().cloned());
        if !asked.worker.post(&message, &Array::new()) {
            return Some(take);
        }
        asked.waiting.insert(number, take);
        None
    });
    // Called after the borrow ends, because the callback may ask again at once.
    if let Some(take) = refused {
        take(None);
    }
}

/// Passes an answer on. A module that failed is ended; the next question starts another.
fn hear(place: u32, answer: &Array) {
    let number = answer.get(0).as_f64().unwrap_or_default() as u32;
    let take = ASKED.with_borrow_mut(|workers| workers.get_mut(&place)?.waiting.remove(&number));
    let text = answer.get(1).as_string();
    let has_failed = text.is_none();
    if let Some(take) = take {
        take(text);
    }
    if has_failed {
        give_up(place);
    }
}

/// Ends a worker; its pending questions get `None`.
fn give_up(place: u32) {
    let ended = ASKED.with_borrow_mut(|workers| workers.remove(&place));
    for take in ended.into_iter().flat_map(|asked| asked.waiting.into_values()) {
        take(None);
    }
}
