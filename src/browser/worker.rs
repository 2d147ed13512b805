//! The page's side of the worker that derives and paints map and curves; [`crate::worker`] is the
//! worker's.
//!
//! The page begins by painting both itself ([`Thread::Page`]). Then, one after the other:
//!
//! 1. The page starts `static/painter.js` and sends it the page's own module. It sends nothing else
//!    before the answer.
//! 2. The worker says [`Said::Ready`] ([`Thread::Ready`]).
//! 3. The page asks for a painting ([`Paint`]), with the theme and all sizes, and the worker answers
//!    [`Said::Painted`] with pictures, which the page draws on its canvases. Requests do not queue:
//!    while one is under way only the newest waits, so that figures follow as fast as the worker
//!    paints, and never go backwards.
//! 4. From the first answer on the page derives and paints no more ([`Thread::Paints`]).
//!
//! The canvases stay the page's: it reads and prints them without the worker, and paints them itself
//! once the worker is lost. A worker that could not be loaded is started again once. One that fails
//! later, or owes an answer for two seconds, is ended, and the page paints as it began
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
use crate::derived::Plot;
use crate::snapshot::Snapshot;
use crate::worker::{Paint, Said, Words, text_of};
use charts::paint::Sheet;
use charts::palette::Theme;

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
        begin();
    });
    *thread
}

fn begin() {
    let Some(worker) = start(SCRIPT, hear, lose) else { return change(Thread::Refused) };
    LINE.with_borrow_mut(|line| line.worker = Some(worker));
    let script = document().query_selector("script[data-js]").ok().flatten();
    let script = script.and_then(|script| script.get_attribute("data-js")).unwrap_or_default();
    post(&Array::of2(&script.into(), &wasm_bindgen::module()));
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

/// Shows the worker's pictures of a plot on a canvas, of its size whenever that changes. Nothing where
/// there is no plot.
#[hook]
pub fn use_pictures(canvas: &NodeRef, plot: Option<Plot>, size: Size) {
    let restorations = use_restorations(canvas, || {});
    let canvas = canvas.clone();
    use_effect_with((plot, size, restorations), move |&(plot, size, _)| {
        let shown = size.width > 0.0 && size.height > 0.0;
        place(plot, canvas.cast().filter(|_| shown), size);
        move || place(plot, None, Size::default())
    });
}

/// Several changes of canvases and sizes in one task are one request.
fn place(plot: Option<Plot>, canvas: Option<HtmlCanvasElement>, Size { width, height, ratio }: Size) {
    let Some(plot) = plot else { return };
    let was_due = LINE.with_borrow_mut(|line| {
        if let (Some(at), Some(size)) = (line.canvases.get_mut(plot as usize), line.wanted.sizes.get_mut(plot as usize))
        {
            *size = canvas.is_some().then_some([width, height, ratio]);
            *at = canvas;
        }
        // A canvas that is new or restored is blank, whatever was painted before.
        line.asked = None;
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

/// Asks for what is to be painted, unless no worker listens, it paints, or has painted just that.
fn ask() {
    let message = LINE.with_borrow_mut(|line| {
        let is_new = line.asked.as_ref() != Some(&line.wanted);
        let listens = matches!(line.state, Thread::Ready | Thread::Paints);
        if !listens || line.waiting.is_some() || !is_new || line.canvases.iter().all(Option::is_none) {
            return None;
        }
        line.asked = Some(line.wanted.clone());
        Some(text_of(&line.wanted))
    });
    if let Some(message) = message {
        wait(TICKS);
        post(&Array::of1(&message));
    }
}

/// Ends the worker unless it answers within so many ticks.
fn wait(ticks: u32) {
    let tick = Timeout::new(TICK_MS, move || if ticks > 1 { wait(ticks - 1) } else { lose() });
    // The one before is this function's caller.
    if let Some(before) = LINE.with_borrow_mut(|line| line.waiting.replace(tick)) {
        before.forget();
    }
}

/// Sends a message to the worker.
fn post(message: &Array) {
    if !LINE.with_borrow(|line| line.worker.as_ref().is_some_and(|worker| worker.post(message, &Array::new()))) {
        lose();
    }
}

/// Takes what the worker says.
fn hear(message: &Array) {
    match serde_json::from_str(&message.get(0).as_string().unwrap_or_default()) {
        Ok(Said::Ready) => change(Thread::Ready),
        Ok(Said::Painted(words)) => {
            LINE.with_borrow_mut(|line| {
                line.waiting = None;
                // Until then the page has painted what is newer.
                if line.state == Thread::Paints || line.asked.as_ref() == Some(&line.wanted) {
                    for (canvas, picture) in line.canvases.iter().zip(message.iter().skip(1)) {
                        show(canvas.as_ref(), picture.dyn_ref());
                    }
                }
                line.words = words.map(|words| words.map(Rc::new));
            });
            change(Thread::Paints);
        }
        // The worker says nothing else.
        Err(_) => return lose(),
    }
    ask();
}

/// Draws a picture, whose memory is then free.
fn show(canvas: Option<&HtmlCanvasElement>, picture: Option<&ImageBitmap>) {
    if let (Some(canvas), Some(picture)) = (canvas, picture) {
        // A canvas that cannot be painted leaves the summary, the caption and the table.
        let _ = Sheet::of_page(canvas).and_then(|sheet| sheet.show(picture));
        picture.close();
    }
}

/// Ends the worker; one that never listened is started again, once.
fn lose() {
    let (ended, again) = LINE.with_borrow_mut(|line| {
        let again = line.state == Thread::Page && !line.is_second;
        line.is_second = true;
        (line.worker.take(), again)
    });
    drop(ended);
    if again {
        Timeout::new(AGAIN_MS, begin).forget();
    } else {
        change(Thread::Lost);
    }
}

/// Goes on to another state.
fn change(state: Thread) {
    let told = LINE.with_borrow_mut(|line| {
        if !line.state.is_final() {
            line.state = state;
        }
        line.told.clone()
    });
    told.emit(LINE.with_borrow(|line| line.state));
}
