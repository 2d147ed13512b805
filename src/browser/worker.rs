//! The page's side of the worker that derives and paints map and curves; [`crate::worker`] is the
//! worker's side.
//!
//! At first the page paints the figures itself ([`Thread::Page`]). Then, in this order:
//!
//! 1. The page starts `static/painter.js` and sends it the page's own module. It sends nothing else
//!    before the answer.
//! 2. The worker answers [`WorkerMessage::Ready`] ([`Thread::Ready`]).
//! 3. The page requests a painting ([`Paint`]) with the theme and all sizes, and the worker answers
//!    [`WorkerMessage::Painted`] with pictures, which the page draws on its canvases. Requests do
//!    not queue: while one is in flight only the newest is kept, so that figures follow as fast as
//!    the worker paints, and never go backwards.
//! 4. After the first answer the page no longer derives or paints ([`Thread::Paints`]).
//!
//! The canvases remain the page's: it reads and prints them without the worker, and paints them
//! itself if the worker is lost. A worker that could not be loaded is started once more. A worker
//! that fails later, or does not answer for two seconds (the first time for ten), is ended, and the
//! page paints again ([`Thread::Lost`]).

use std::cell::RefCell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use gloo::utils::document;
use js_sys::Array;
use js_sys::futures::spawn_local;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlCanvasElement, ImageBitmap};
use yew::prelude::*;

use super::observers::{Size, use_restorations};
use super::start::{Started, start};
use crate::plots::{PLOTS, Plot};
use crate::snapshot::Snapshot;
use crate::worker::{Layouts, Paint, Words, WorkerMessage, text_of};
use charts::palette::Theme;
use charts_canvas::Sheet;

/// Path of the worker's script.
const SCRIPT: &str = "static/painter.js";
/// Milliseconds before a worker that could not be loaded is started again.
const AGAIN_MS: u32 = 2000;
/// Ticks of `TICK_MS` milliseconds that an answer may take. One long timer would also expire while
/// the page itself is blocked, with the answer queued behind the timer.
const TICKS: u32 = 4;
/// Ticks that the first answer may take, which has a search of layouts before it: the page paints
/// meanwhile.
const FIRST_TICKS: u32 = 20;
const TICK_MS: u32 = 500;

/// The thread that paints map and curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thread {
    /// The page paints; a worker may be starting.
    #[default]
    Page,
    /// The page paints; the worker is ready.
    Ready,
    /// The worker paints.
    Paints,
    /// The page paints: the worker could not be loaded, has failed, or did not answer.
    Lost,
    /// The page paints: the browser starts no worker.
    Refused,
}

impl Thread {
    /// Whether the page paints.
    pub fn page_paints(self) -> bool {
        self != Self::Paints
    }

    /// Whether the worker will answer soon. Natively, as for the screen in index.html, there is
    /// none.
    pub fn is_starting(self) -> bool {
        cfg!(target_arch = "wasm32") && matches!(self, Self::Page | Self::Ready)
    }

    /// Whether the state can no longer change.
    fn is_final(self) -> bool {
        matches!(self, Self::Lost | Self::Refused)
    }
}

/// The page's connection to the worker.
#[derive(Default)]
struct WorkerConnection {
    worker: Option<Started>,
    /// Whether a worker was started before.
    is_second: bool,
    state: Thread,
    /// Number of answers about snapshots at rest.
    rests: u32,
    /// Called with each state, and after each such answer.
    told: Callback<(Thread, u32)>,
    /// The canvases of the figures.
    canvases: [Option<HtmlCanvasElement>; PLOTS],
    /// The newest request.
    wanted: Paint,
    /// The last request that was sent; `None` if the figures must be painted anew.
    asked: Option<Paint>,
    /// Timer that runs while an answer is pending.
    waiting: Option<Timeout>,
    /// Whether the next request is scheduled.
    is_due: bool,
    /// Captions and values of each figure.
    words: [Option<Rc<Words>>; PLOTS],
    /// The layouts of the curves, once the worker has found some.
    layouts: Option<Rc<Layouts>>,
}

/// Handle of the worker that paints map and curves. Two handles are equal if only the pictures
/// differ.
#[derive(Clone)]
pub struct PaintWorker {
    line: Rc<RefCell<WorkerConnection>>,
    thread: Thread,
}

impl PartialEq for PaintWorker {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.line, &other.line) && self.thread == other.thread
    }
}

/// Starts the worker once the page has painted, and requests the figures of each snapshot.
#[hook]
pub fn use_worker(snapshot: &Rc<Snapshot>, moving: bool, theme: Theme) -> PaintWorker {
    let heard = use_state_eq(|| (Thread::default(), 0));
    let line = (*use_mut_ref(|| Rc::new(RefCell::new(WorkerConnection::default()))).borrow()).clone();
    let worker = PaintWorker { line, thread: heard.0 };
    {
        let (setter, worker) = (heard.setter(), worker.clone());
        use_effect_with((), move |()| {
            worker.line.borrow_mut().told = Callback::from(move |heard| setter.set(heard));
            worker.begin();
        });
    }
    {
        let worker = worker.clone();
        use_effect_with((snapshot.clone(), moving, theme), move |(snapshot, moving, theme)| {
            {
                let wanted = &mut worker.line.borrow_mut().wanted;
                wanted.link = snapshot.link();
                wanted.moving = *moving;
                wanted.dark = *theme == Theme::Dark;
            }
            worker.ask();
        });
    }
    worker
}

/// Shows the worker's pictures of a plot on a canvas, at the canvas's size whenever that changes.
/// Does nothing without a plot.
#[hook]
pub fn use_pictures(worker: Option<&PaintWorker>, canvas: &NodeRef, plot: Option<Plot>, size: Size) {
    let restorations = use_restorations(canvas, || {});
    let (canvas, worker) = (canvas.clone(), worker.cloned());
    use_effect_with((plot, size, restorations), move |&(plot, size, _)| {
        let shown = size.width > 0.0 && size.height > 0.0;
        let place = move |canvas, size| {
            if let (Some(worker), Some(plot)) = (&worker, plot) {
                worker.place(plot, canvas, size);
            }
        };
        place(canvas.cast().filter(|_| shown), size);
        move || place(None, Size::default())
    });
}

impl PaintWorker {
    /// Returns which thread paints.
    pub fn thread(&self) -> Thread {
        self.thread
    }

    /// Returns the captions and values of each figure, from the worker's last painting. They are
    /// shown with the next redraw of a moving slider, one frame later: a redraw of their own would
    /// take as long as the slider's.
    pub fn words(&self) -> [Option<Rc<Words>>; PLOTS] {
        self.line.borrow().words.clone()
    }

    /// Returns the layouts of the curves that the worker has found.
    pub fn layouts(&self) -> Option<Rc<Layouts>> {
        self.line.borrow().layouts.clone()
    }

    /// Whether the worker has painted a snapshot at rest, and so found its layouts.
    pub fn has_painted(&self, snapshot: &Snapshot) -> bool {
        let line = self.line.borrow();
        let is_it = |asked: &Paint| !asked.moving && asked.link == snapshot.link();
        line.waiting.is_none() && line.asked.as_ref().is_some_and(is_it)
    }

    fn begin(&self) {
        let (hears, loses) = (self.clone(), self.clone());
        let Some(worker) = start(SCRIPT, move |message: &Array| hears.hear(message), move || loses.lose()) else {
            return self.change(Thread::Refused);
        };
        self.line.borrow_mut().worker = Some(worker);
        let script = document().query_selector("script[data-js]").ok().flatten();
        let script = script.and_then(|script| script.get_attribute("data-js")).unwrap_or_default();
        self.post(&Array::of2(&script.into(), &wasm_bindgen::module()));
    }

    /// Sets the canvas and the size of a plot. Several such changes in one task make one request.
    fn place(&self, plot: Plot, canvas: Option<HtmlCanvasElement>, Size { width, height, ratio }: Size) {
        let was_due = {
            let line = &mut *self.line.borrow_mut();
            if let (Some(at), Some(size)) =
                (line.canvases.get_mut(plot as usize), line.wanted.sizes.get_mut(plot as usize))
            {
                *size = canvas.is_some().then_some([width, height, ratio]);
                *at = canvas;
            }
            // A new or restored canvas is blank, so the last request must be painted again.
            line.asked = None;
            std::mem::replace(&mut line.is_due, true)
        };
        if !was_due {
            let worker = self.clone();
            spawn_local(async move {
                worker.line.borrow_mut().is_due = false;
                worker.ask();
            });
        }
    }

    /// Sends the newest request, unless there is no canvas, or the worker is not ready, is
    /// painting, or has just painted that request.
    fn ask(&self) {
        let (message, ticks) = {
            let line = &mut *self.line.borrow_mut();
            let is_new = line.asked.as_ref() != Some(&line.wanted);
            let listens = matches!(line.state, Thread::Ready | Thread::Paints);
            if !listens || line.waiting.is_some() || !is_new || line.canvases.iter().all(Option::is_none) {
                return;
            }
            line.asked = Some(line.wanted.clone());
            let ticks = if line.state == Thread::Paints { TICKS } else { FIRST_TICKS };
            (text_of(&line.wanted), ticks)
        };
        self.wait(ticks);
        self.post(&Array::of1(&message));
    }

    /// Ends the worker unless it answers within this many ticks.
    fn wait(&self, ticks: u32) {
        let worker = self.clone();
        let tick = Timeout::new(TICK_MS, move || if ticks > 1 { worker.wait(ticks - 1) } else { worker.lose() });
        let before = self.line.borrow_mut().waiting.replace(tick);
        // The timer before this one has called this function, and must not be dropped.
        if let Some(before) = before {
            before.forget();
        }
    }

    /// Sends a message to the worker.
    fn post(&self, message: &Array) {
        let is_sent = self.line.borrow().worker.as_ref().is_some_and(|worker| worker.post(message, &Array::new()));
        if !is_sent {
            self.lose();
        }
    }

    /// Handles a message of the worker.
    fn hear(&self, message: &Array) {
        match serde_json::from_str(&message.get(0).as_string().unwrap_or_default()) {
            Ok(WorkerMessage::Ready) => self.change(Thread::Ready),
            Ok(WorkerMessage::Painted(words, layouts)) => {
                {
                    let line = &mut *self.line.borrow_mut();
                    line.waiting = None;
                    // Before the worker's first answer the page paints too, and may have painted a
                    // newer request.
                    if line.state == Thread::Paints || line.asked.as_ref() == Some(&line.wanted) {
                        for (canvas, picture) in line.canvases.iter().zip(message.iter().skip(1)) {
                            show(canvas.as_ref(), picture.dyn_ref());
                        }
                    }
                    line.words = words.map(|words| words.map(Rc::new));
                    line.layouts = layouts.map(Rc::new).or(line.layouts.take());
                    line.rests += u32::from(line.asked.as_ref().is_some_and(|asked| !asked.moving));
                }
                self.change(Thread::Paints);
            }
            // The worker sends no other messages.
            Err(_) => return self.lose(),
        }
        self.ask();
    }

    /// Ends the worker; a worker that never was ready is started again, once.
    fn lose(&self) {
        let (ended, again) = {
            let line = &mut *self.line.borrow_mut();
            let again = line.state == Thread::Page && !line.is_second;
            line.is_second = true;
            (line.worker.take(), again)
        };
        drop(ended);
        if again {
            let worker = self.clone();
            Timeout::new(AGAIN_MS, move || worker.begin()).forget();
        } else {
            self.change(Thread::Lost);
        }
    }

    /// Changes the state unless it is final, and reports it.
    fn change(&self, state: Thread) {
        let (told, heard) = {
            let line = &mut *self.line.borrow_mut();
            if !line.state.is_final() {
                line.state = state;
            }
            (line.told.clone(), (line.state, line.rests))
        };
        told.emit(heard);
    }
}

/// Draws a picture, then frees its memory.
fn show(canvas: Option<&HtmlCanvasElement>, picture: Option<&ImageBitmap>) {
    if let (Some(canvas), Some(picture)) = (canvas, picture) {
        // If the canvas cannot be painted, the summary, the caption and the table remain.
        let _ = Sheet::from_page_canvas(canvas).and_then(|sheet| sheet.show(picture));
        picture.close();
    }
}
