//! The module that reads files and writes settings: fetched when it is first asked, in a worker of its own (`static/files.js`).

use std::cell::RefCell;
use std::collections::HashMap;

use js_sys::Array;
use serde::de::DeserializeOwned;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::background::build;

/// The worker's script beside the page.
const SCRIPT: &str = "static/files.js";

/// Takes an answer; nothing where the module could not be loaded, or failed.
type Take = Box<dyn FnOnce(Option<String>)>;

/// The worker, with those who wait for its answers.
struct Asked {
    worker: Worker,
    waiting: HashMap<u32, Take>,
    questions: u32,
    heard: Closure<dyn FnMut(MessageEvent)>,
    failed: Closure<dyn FnMut(Event)>,
}

thread_local! {
    static ASKED: RefCell<Option<Asked>> = const { RefCell::new(None) };
}

/// Asks the module's function of this name, and gives its answer, which is JSON; nothing where the module could not be loaded.
pub fn ask<T: DeserializeOwned>(function: &str, given: &[JsValue], then: impl FnOnce(Option<T>) + 'static) {
    let take: Take = Box::new(|answer| then(answer.and_then(|answer| serde_json::from_str(&answer).ok())));
    ASKED.with_borrow_mut(|asked| {
        if asked.is_none() {
            *asked = start();
        }
        let Some(asked) = asked else { return take(None) };
        asked.questions = asked.questions.wrapping_add(1);
        let number = asked.questions;
        let mut message = Array::of2(&number.into(), &function.into());
        message.extend(given.iter().cloned());
        match asked.worker.post_message(&message) {
            Ok(()) => drop(asked.waiting.insert(number, take)),
            Err(_) => take(None),
        }
    });
}

/// Starts the worker.
fn start() -> Option<Asked> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&[SCRIPT, "?v=", &build()].concat(), &options).ok()?;
    let heard = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| hear(&event.data().unchecked_into()));
    let failed = Closure::<dyn FnMut(Event)>::new(|_| give_up());
    worker.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
    Some(Asked { worker, waiting: HashMap::new(), questions: 0, heard, failed })
}

/// Passes an answer on. A module that failed is not asked again: the next question starts another.
fn hear(answer: &Array) {
    let number = answer.get(0).as_f64().unwrap_or_default() as u32;
    let take = ASKED.with_borrow_mut(|asked| asked.as_mut()?.waiting.remove(&number));
    let text = answer.get(1).as_string();
    let has_failed = text.is_none();
    if let Some(take) = take {
        take(text);
    }
    if has_failed {
        give_up();
    }
}

/// Ends the worker; nobody waits any longer.
fn give_up() {
    let Some(Asked { worker, waiting, heard, failed, .. }) = ASKED.with_borrow_mut(Option::take) else { return };
    worker.terminate();
    // This may be called by one of them, which must not go while it runs.
    gloo::timers::callback::Timeout::new(0, move || drop((heard, failed))).forget();
    for take in waiting.into_values() {
        take(None);
    }
}
