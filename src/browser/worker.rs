//! The page's side of the thread beside it ([`crate::worker`]). Requests to paint do not queue: while one is under way, only the
//! newest waits, so that figures follow as fast as the thread paints and never go backwards.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::utils::document;
use js_sys::futures::spawn_local;
use js_sys::{Array, Reflect};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlCanvasElement, MessageEvent, Worker};
use yew::prelude::*;

use super::observers::Size;
use crate::derived::Plot;
use crate::snapshot::Snapshot;
use crate::worker::{Answer, Job, Message, Outcome, Paint, Words, text_of};
use charts::palette::Theme;

/// What has become of the thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thread {
    /// Nothing started one.
    #[default]
    None,
    /// It works, or is about to.
    Works,
    /// It did not start, or has ended by an error: the page does its work.
    Lost,
}

/// What the page has of the thread.
#[derive(Default)]
struct Line {
    thread: Option<Worker>,
    /// The number of the last request.
    number: u32,
    /// What is to be painted.
    wanted: Paint,
    /// What was asked for last, and whether its answer is still to come.
    asked: Option<Paint>,
    is_busy: bool,
    /// Whether the next request is about to be made.
    is_due: bool,
    state: Thread,
    /// Who is told of a thread that is lost.
    lost: Callback<()>,
    /// What stands beside each figure.
    words: [Option<Rc<Words>>; 2],
}

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
}

/// Takes up the thread that `static/boot.js` has started, if it has.
pub fn take_up_worker() {
    let script = document().query_selector("script[data-wasm]").ok().flatten();
    let thread = script.and_then(|script| Reflect::get(&script, &"thread".into()).ok()).unwrap_or_default();
    if thread.is_undefined() {
        return;
    }
    let Ok(thread) = thread.dyn_into::<Worker>() else {
        return LINE.with_borrow_mut(|line| line.state = Thread::Lost);
    };
    EventListener::new(&thread, "message", |event| {
        let text = event.unchecked_ref::<MessageEvent>().data().as_string().unwrap_or_default();
        if let Ok(Answer(number, outcome)) = serde_json::from_str(&text) {
            take(number, outcome);
        }
    })
    .forget();
    EventListener::new(&thread, "error", |_| {
        let lost = LINE.with_borrow_mut(|line| {
            if let Some(thread) = line.thread.take() {
                thread.terminate();
            }
            line.state = Thread::Lost;
            line.lost.clone()
        });
        lost.emit(());
    })
    .forget();
    LINE.with_borrow_mut(|line| (line.thread, line.state) = (Some(thread), Thread::Works));
}

/// What has become of the thread that paints.
#[hook]
pub fn use_worker() -> Thread {
    let state = || LINE.with_borrow(|line| line.state);
    let thread = use_state_eq(state);
    let setter = thread.setter();
    use_effect_with((), move |()| {
        // It may have been lost before anybody listened.
        setter.set(state());
        LINE.with_borrow_mut(|line| line.lost = Callback::from(move |()| setter.set(Thread::Lost)));
    });
    *thread
}

/// Has the figures painted of what is on screen. It asks before the page draws itself: both work at the same time.
#[hook]
pub fn use_paintings(snapshot: &Rc<Snapshot>, moving: bool, theme: Theme) {
    use_memo((snapshot.clone(), moving, theme), |(snapshot, moving, theme)| {
        want(|wanted| {
            wanted.link = snapshot.link();
            wanted.moving = *moving;
            wanted.dark = *theme == Theme::Dark;
        });
        ask();
    });
}

/// Gives the canvas of a figure to the thread, and its size whenever that changes. Nothing where the page paints it.
#[hook]
pub fn use_given_away(canvas: &NodeRef, plot: Option<Plot>, size: Size) {
    let canvas = canvas.clone();
    use_effect_with(plot, move |&plot| {
        if let Some(plot) = plot
            && let Some(canvas) = canvas.cast::<HtmlCanvasElement>()
            && let Ok(canvas) = canvas.transfer_control_to_offscreen()
        {
            post(&Message::Canvas(plot), &Array::of1(&canvas));
        }
        move || resize(plot, None)
    });
    use_effect_with((plot, size), |&(plot, Size { width, height, ratio })| {
        resize(plot, (width > 0.0).then_some([width, height, ratio]));
    });
}

fn resize(plot: Option<Plot>, size: Option<[f64; 3]>) {
    let Some(plot) = plot else { return };
    want(|wanted| {
        if let Some(place) = wanted.sizes.get_mut(plot as usize) {
            *place = size;
        }
    });
}

/// What stands beside each figure, as the thread painted it last. It is shown with the next redraw of a moving slider, which is a frame
/// later: a redraw of its own would take as long as the slider's.
pub fn words() -> [Option<Rc<Words>>; 2] {
    LINE.with_borrow(|line| line.words.clone())
}

/// Changes what is to be painted; several changes in one task are one request, unless one asks at once.
fn want(change: impl FnOnce(&mut Paint)) {
    let wait = LINE.with_borrow_mut(|line| {
        if line.thread.is_none() {
            return false;
        }
        change(&mut line.wanted);
        !std::mem::replace(&mut line.is_due, true)
    });
    if wait {
        spawn_local(async { ask() });
    }
}

/// Asks for what is to be painted, unless the thread paints or has painted just that.
fn ask() {
    let job = LINE.with_borrow_mut(|line| {
        line.is_due = false;
        if line.is_busy || line.thread.is_none() || line.asked.as_ref() == Some(&line.wanted) {
            return None;
        }
        line.is_busy = true;
        line.number += 1;
        line.asked = Some(line.wanted.clone());
        Some(Message::Job(line.number, Job::Paint(line.wanted.clone())))
    });
    if let Some(job) = job {
        post(&job, &Array::new());
    }
}

/// Posts a message with what goes over to the thread.
fn post(message: &Message, with: &Array) {
    LINE.with_borrow(|line| {
        if let Some(thread) = &line.thread {
            let _ = thread.post_message_with_transfer(&Array::of1(&text_of(message)).concat(with), with);
        }
    });
}

/// Takes an answer.
fn take(number: u32, outcome: Outcome) {
    match outcome {
        Outcome::Painted(words) => {
            LINE.with_borrow_mut(|line| {
                line.is_busy &= number != line.number;
                line.words = words.map(|words| words.map(Rc::new));
            });
            ask();
        }
    }
}
