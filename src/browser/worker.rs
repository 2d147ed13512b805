//! The page's side of the worker that derives and paints map and curves; [`crate::worker`] is the
//! worker's.
//!
//! The page begins by painting both itself ([`Thread::Page`]). Then, one after the other:
//!
//! 1. The page starts `static/painter.js` and sends it the page's own module. It sends nothing else
//!    before the answer.
//! 2. The worker says [`Said::Ready`] ([`Thread::Ready`]).
//! 3. The page asks for a painting ([`Paint`]), with the theme and all sizes, and the worker
//!    answers [`Said::Painted`] with pictures, which the page draws on its canvases. Requests do
//!    not queue: while one is under way only the newest waits, so that figures follow as fast as
//!    the worker paints, and never go backwards.
//! 4. From the first answer on the page derives and paints no more ([`Thread::Paints`]).
//!
//! The canvases stay the page's: it reads and prints them without the worker, and paints them
//! itself once the worker is lost. A worker that could not be loaded is started again once. One
//! that fails later, or owes an answer for two seconds, is ended, and the page paints as it began
//! ([`Thread::Lost`]).

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
use crate::plots::Plot;
use crate::snapshot::Snapshot;
use crate::worker::{Paint, Said, Words, text_of};
use charts::palette::Theme;
use charts_canvas::Sheet;

/// The worker's script beside the page.
const SCRIPT: &str = "static/painter.js";
/// The time before a worker that could not be loaded is started again.
const AGAIN_MS: u32 = 2000;
/// An answer may take so many ticks of so many milliseconds. It is not one long timer, as that also
/// ends while the page itself stands still, with the answer waiting behind it.
const TICKS: u32 = 4;
const TICK_MS: u32 = 500;

/// Who paints map and curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thread {
    /// The page; a worker may be starting.
    #[default]
    Page,
    /// The page; the worker listens.
    Ready,
    /// The worker.
    Paints,
    /// The page: the worker could not be loaded, has failed or was silent.
    Lost,
    /// The page: the browser starts no worker.
    Refused,
}

impl Thread {
    /// Whether the page paints.
    pub fn page_paints(self) -> bool {
        self != Self::Paints
    }

    /// Whether it stays as it is.
    fn is_final(self) -> bool {
        matches!(self, Self::Lost | Self::Refused)
    }
}

/// What the page has of the worker.
#[derive(Default)]
struct Line {
    worker: Option<Started>,
    /// Whether it was started before.
    is_second: bool,
    state: Thread,
    /// Who is told of another state.
    told: Callback<Thread>,
    /// The canvases of the figures.
    canvases: [Option<HtmlCanvasElement>; 2],
    /// What is to be painted.
    wanted: Paint,
    /// What was asked for last, unless it is to be painted anew.
    asked: Option<Paint>,
    /// Runs while an answer is to come.
    waiting: Option<Timeout>,
    /// Whether the next request is about to be made.
    is_due: bool,
    /// What stands beside each figure.
    words: [Option<Rc<Words>>; 2],
}

/// What paints map and curves. Two are equal where nothing but the pictures differs.
#[derive(Clone)]
pub struct PaintWorker {
    line: Rc<RefCell<Line>>,
    thread: Thread,
}

impl PartialEq for PaintWorker {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.line, &other.line) && self.thread == other.thread
    }
}

/// Starts the worker once the page has painted, and has the figures painted of what is on screen.
#[hook]
pub fn use_worker(snapshot: &Rc<Snapshot>, moving: bool, theme: Theme) -> PaintWorker {
    let thread = use_state_eq(Thread::default);
    let line = (*use_mut_ref(|| Rc::new(RefCell::new(Line::default()))).borrow()).clone();
    let worker = PaintWorker { line, thread: *thread };
    {
        let (setter, worker) = (thread.setter(), worker.clone());
        use_effect_with((), move |()| {
            worker.line.borrow_mut().told = Callback::from(move |state| setter.set(state));
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

/// Shows the worker's pictures of a plot on a canvas, of its size whenever that changes. Nothing
/// where there is no plot.
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
    /// Who paints.
    pub fn thread(&self) -> Thread {
        self.thread
    }

    /// What stands beside each figure, as the worker painted it last. It is shown with the next
    /// redraw of a moving slider, which is a frame later: a redraw of its own would take as long as
    /// the slider's.
    pub fn words(&self) -> [Option<Rc<Words>>; 2] {
        self.line.borrow().words.clone()
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

    /// Several changes of canvases and sizes in one task are one request.
    fn place(&self, plot: Plot, canvas: Option<HtmlCanvasElement>, Size { width, height, ratio }: Size) {
        let was_due = {
            let line = &mut *self.line.borrow_mut();
            if let (Some(at), Some(size)) =
                (line.canvases.get_mut(plot as usize), line.wanted.sizes.get_mut(plot as usize))
            {
                *size = canvas.is_some().then_some([width, height, ratio]);
                *at = canvas;
            }
            // A canvas that is new or restored is blank, whatever was painted before.
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

    /// Asks for what is to be painted, unless no worker listens, it paints, or has painted just
    /// that.
    fn ask(&self) {
        let message = {
            let line = &mut *self.line.borrow_mut();
            let is_new = line.asked.as_ref() != Some(&line.wanted);
            let listens = matches!(line.state, Thread::Ready | Thread::Paints);
            if !listens || line.waiting.is_some() || !is_new || line.canvases.iter().all(Option::is_none) {
                return;
            }
            line.asked = Some(line.wanted.clone());
            text_of(&line.wanted)
        };
        self.wait(TICKS);
        self.post(&Array::of1(&message));
    }

    /// Ends the worker unless it answers within so many ticks.
    fn wait(&self, ticks: u32) {
        let worker = self.clone();
        let tick = Timeout::new(TICK_MS, move || if ticks > 1 { worker.wait(ticks - 1) } else { worker.lose() });
        let before = self.line.borrow_mut().waiting.replace(tick);
        // The one before is this function's caller.
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

    /// Takes what the worker says.
    fn hear(&self, message: &Array) {
        match serde_json::from_str(&message.get(0).as_string().unwrap_or_default()) {
            Ok(Said::Ready) => self.change(Thread::Ready),
            Ok(Said::Painted(words)) => {
                {
                    let line = &mut *self.line.borrow_mut();
                    line.waiting = None;
                    // Until then the page has painted what is newer.
                    if line.state == Thread::Paints || line.asked.as_ref() == Some(&line.wanted) {
                        for (canvas, picture) in line.canvases.iter().zip(message.iter().skip(1)) {
                            show(canvas.as_ref(), picture.dyn_ref());
                        }
                    }
                    line.words = words.map(|words| words.map(Rc::new));
                }
                self.change(Thread::Paints);
            }
            // The worker says nothing else.
            Err(_) => return self.lose(),
        }
        self.ask();
    }

    /// Ends the worker; one that never listened is started again, once.
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

    /// Goes on to another state.
    fn change(&self, state: Thread) {
        let (told, state) = {
            let line = &mut *self.line.borrow_mut();
            if !line.state.is_final() {
                line.state = state;
            }
            (line.told.clone(), line.state)
        };
        told.emit(state);
    }
}

/// Draws a picture, whose memory is then free.
fn show(canvas: Option<&HtmlCanvasElement>, picture: Option<&ImageBitmap>) {
    if let (Some(canvas), Some(picture)) = (canvas, picture) {
        // A canvas that cannot be painted leaves the summary, the caption and the table.
        let _ = Sheet::of_page(canvas).and_then(|sheet| sheet.show(picture));
        picture.close();
    }
}
