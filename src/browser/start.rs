//! Starts and ends workers.

use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::background::build;

/// Listeners for messages, and for an error.
type Listeners = (Closure<dyn FnMut(MessageEvent)>, Closure<dyn FnMut(Event)>);

/// A running worker with its listeners; the worker ends when dropped.
pub(super) struct Started {
    worker: Worker,
    listeners: Option<Listeners>,
}

/// Starts a worker by the path of its script; messages are arrays. Returns `None` if the browser
/// has no workers for the page, as in a sandbox.
pub(super) fn start(script: &str, hear: impl Fn(&Array) + 'static, fail: impl Fn() + 'static) -> Option<Started> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&[script, "?v=", &build()].concat(), &options).ok()?;
    let heard =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(&event.data().unchecked_into()));
    let failed = Closure::<dyn FnMut(Event)>::new(move |_| fail());
    worker.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
    Some(Started { worker, listeners: Some((heard, failed)) })
}

impl Started {
    /// Sends a message with the objects to transfer; returns false if the browser refuses.
    pub(super) fn post(&self, message: &Array, over: &Array) -> bool {
        self.worker.post_message_with_transfer(message, over).is_ok()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        let listeners = self.listeners.take();
        // A listener may be the code that ends the worker, and must not be dropped while it runs.
        Timeout::new(0, move || drop(listeners)).forget();
    }
}
