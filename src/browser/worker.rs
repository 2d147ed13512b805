//! The page's side of the worker that derives and paints map and curves; [`crate::worker`] is the worker's.
//!
//! The page begins by painting both itself ([`Thread::Page`]). Then, one after the other:
//!
//! 1. The page starts `static/painter.js` and sends it the page's own module. It sends nothing else before the answer.
//! 2. The worker says [`Said::Ready`]. Over each canvas of the page comes one of the worker, whose control goes over to it
//!    ([`Message::Canvas`]); the page still paints its own below ([`Thread::Begins`]).
//! 3. The page asks for a painting ([`Message::Paint`]), with the theme and all sizes, and the worker answers [`Said::Painted`]. Requests
//!    do not queue: while one is under way only the newest waits, so that figures follow as fast as the worker paints, and never go
//!    backwards.
//! 4. Once the first painting is on screen, the page takes its own canvases away and derives and paints no more
//!    ([`Thread::Paints`]).
//!
//! A worker that never answers changes nothing. One that fails, at whichever step, is ended, its canvases are taken away, and the page
//! paints as it began ([`Thread::Lost`]).

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use gloo::utils::document;
use js_sys::Array;
use js_sys::futures::spawn_local;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::observers::Size;
use super::start::{Started, start};
use crate::derived::Plot;
use crate::snapshot::Snapshot;
use crate::worker::{Message, Paint, Said, Words, text_of};
use charts::palette::Theme;

/// The worker's script beside the page.
const SCRIPT: &str = "static/painter.js";
/// The time that the worker's first painting takes at most to come on screen, once it is painted.
const SHOWN_MS: u32 = 100;

/// Who paints map and curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thread {
    /// The page; a worker may be starting.
    #[default]
    Page,
    /// The page, and above it the worker.
    Begins,
    /// The worker.
    Paints,
    /// The page: no worker started, or it has failed.
    Lost,
}

impl Thread {
    /// Whether the page paints.
    pub fn page_paints(self) -> bool {
        self != Self::Paints
    }

    /// Whether the worker paints.
    pub fn worker_paints(self) -> bool {
        matches!(self, Self::Begins | Self::Paints)
    }
}

/// What the page has of the worker.
#[derive(Default)]
struct Line {
    worker: Option<Started>,
    state: Thread,
    /// Who is told of another state.
    told: Callback<Thread>,
    /// What is to be painted.
    wanted: Paint,
    /// What was asked for last, unless it is to be painted anew.
    asked: Option<Paint>,
    /// Whether an answer is to come.
    is_busy: bool,
    /// Whether the next request is about to be made.
    is_due: bool,
    /// What stands beside each figure.
    words: [Option<Rc<Words>>; 2],
}

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
}

/// Starts the worker once the page has painted, and tells who paints.
#[hook]
pub fn use_worker() -> Thread {
    let thread = use_state_eq(Thread::default);
    let setter = thread.setter();
    use_effect_with((), move |()| {
        LINE.with_borrow_mut(|line| line.told = Callback::from(move |state| setter.set(state)));
        let worker = start(SCRIPT, |said| hear(&said.get(0).as_string().unwrap_or_default()), lose);
        LINE.with_borrow_mut(|line| line.worker = worker);
        let script = document().query_selector("script[data-js]").ok().flatten();
        let script = script.and_then(|script| script.get_attribute("data-js")).unwrap_or_default();
        post(&Array::of2(&script.into(), &wasm_bindgen::module()), &Array::new());
    });
    *thread
}

/// Has the figures painted of what is on screen. It asks before the page draws itself: both work at the same time.
#[hook]
pub fn use_paintings(snapshot: &Rc<Snapshot>, moving: bool, theme: Theme) {
    use_memo((snapshot.clone(), moving, theme), |(snapshot, moving, theme)| {
        LINE.with_borrow_mut(|Line { wanted, .. }| {
            wanted.link = snapshot.link();
            wanted.moving = *moving;
            wanted.dark = *theme == Theme::Dark;
        });
        ask();
    });
}

/// Gives the canvas of a figure to the worker, and its size whenever that changes. Nothing where there is no plot.
#[hook]
pub fn use_given_away(canvas: &NodeRef, plot: Option<Plot>, size: Size) {
    let canvas = canvas.clone();
    use_effect_with(plot, move |&plot| {
        if let Some(plot) = plot
            && let Some(canvas) = canvas.cast::<HtmlCanvasElement>()
        {
            match canvas.transfer_control_to_offscreen() {
                Ok(canvas) => post(&Array::of2(&text_of(&Message::Canvas(plot)), &canvas), &Array::of1(&canvas)),
                Err(_) => lose(),
            }
            // It is blank, whatever was painted before.
            LINE.with_borrow_mut(|line| line.asked = None);
        }
        move || resize(plot, None)
    });
    use_effect_with((plot, size), |&(plot, Size { width, height, ratio })| {
        resize(plot, (width > 0.0).then_some([width, height, ratio]));
    });
}

/// Several changes of sizes in one task are one request.
fn resize(plot: Option<Plot>, size: Option<[f64; 3]>) {
    let Some(plot) = plot else { return };
    let was_due = LINE.with_borrow_mut(|line| {
        if let Some(place) = line.wanted.sizes.get_mut(plot as usize) {
            *place = size;
        }
        std::mem::replace(&mut line.is_due, true)
    });
    if !was_due {
        spawn_local(async {
            LINE.with_borrow_mut(|line| line.is_due = false);
            ask();
        });
    }
}

/// What stands beside each figure, as the worker painted it last. It is shown with the next redraw of a moving slider, which is a frame
/// later: a redraw of its own would take as long as the slider's.
pub fn words() -> [Option<Rc<Words>>; 2] {
    LINE.with_borrow(|line| line.words.clone())
}

/// Asks for what is to be painted, unless the worker paints or has painted just that.
fn ask() {
    let message = LINE.with_borrow_mut(|line| {
        let is_new = line.asked.as_ref() != Some(&line.wanted);
        if !line.state.worker_paints() || line.is_busy || !is_new {
            return None;
        }
        line.is_busy = true;
        line.asked = Some(line.wanted.clone());
        Some(text_of(&Message::Paint(line.wanted.clone())))
    });
    if let Some(message) = message {
        post(&Array::of1(&message), &Array::new());
    }
}

/// Sends a message with what goes over to the worker.
fn post(message: &Array, over: &Array) {
    let is_sent = LINE.with_borrow(|line| line.worker.as_ref().is_some_and(|worker| worker.post(message, over)));
    if !is_sent {
        lose();
    }
}

/// Takes what the worker says.
fn hear(said: &str) {
    match serde_json::from_str(said) {
        Ok(Said::Ready) => change(Thread::Begins),
        Ok(Said::Painted(words)) => {
            let is_first = LINE.with_borrow_mut(|line| {
                line.is_busy = false;
                let sizes = line.asked.as_ref().map(|asked| asked.sizes).unwrap_or_default();
                let is_whole = sizes.iter().zip(&words).all(|(size, words)| size.is_some() == words.is_some());
                line.words = words.map(|words| words.map(Rc::new));
                line.state == Thread::Begins && is_whole && sizes.iter().any(Option::is_some)
            });
            if is_first {
                Timeout::new(SHOWN_MS, || change(Thread::Paints)).forget();
            }
            ask();
        }
        // The worker says nothing else.
        Err(_) => lose(),
    }
}

/// Ends the worker.
fn lose() {
    change(Thread::Lost);
}

/// Goes on to another state; after the last there is none.
fn change(state: Thread) {
    let (told, ended) = LINE.with_borrow_mut(|line| {
        if line.state != Thread::Lost {
            line.state = state;
        }
        (line.told.clone(), (line.state == Thread::Lost).then(|| line.worker.take()))
    });
    drop(ended);
    told.emit(LINE.with_borrow(|line| line.state));
}
