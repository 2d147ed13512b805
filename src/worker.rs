//! Work beside the page: what the page may ask of a second thread, and how that thread does it. The thread runs the same module
//! (`static/boot.js`), so that every number is the same to the bit, and finds no window.
//!
//! A message is a JSON text, with the canvas of a figure where it says so. The page numbers its requests, and every answer has the
//! number of its request. [`crate::browser`] has the page's side.
//!
//! Another kind of work is a variant of [`Job`], one of [`Outcome`], and a function that [`Desk::answer`] calls.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, OffscreenCanvas};

use crate::derived::{Pin, Plot, Scratches, compared};
use crate::snapshot::Snapshot;
use charts::paint::{self, Sheet, Style};
use charts::palette::Theme;
use charts::readout;
use charts::spec::ChartSpec;

/// What the page says to the thread.
#[derive(Debug, Deserialize, Serialize)]
pub enum Message {
    /// The canvas of a figure, from now on the thread's; it comes beside the text.
    Canvas(Plot),
    /// Asks for work; the answer has the same number.
    Job(u32, Job),
}

/// A piece of work.
#[derive(Debug, Deserialize, Serialize)]
pub enum Job {
    /// Derives and paints the figures.
    Paint(Paint),
}

/// What is painted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Paint {
    /// The link of what is on screen ([`Snapshot::link`]).
    pub link: String,
    /// Whether a slider moves it: the map then has only the nodes that the eye needs.
    pub moving: bool,
    /// Whether the theme is the dark one.
    pub dark: bool,
    /// Width and height of each figure in CSS pixels, and device pixels in one of these; none where it is not on the page.
    pub sizes: [Option<[f64; 3]>; 2],
}

/// What the thread says to the page: the number of the request, and what came of it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Answer(pub u32, pub Outcome);

/// What came of a [`Job`].
#[derive(Debug, Deserialize, Serialize)]
pub enum Outcome {
    /// The figures are painted: what stands beside each of them.
    Painted([Option<Words>; 2]),
}

/// What stands beside a figure while a slider moves.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Words {
    /// The finding.
    pub caption: String,
    /// The names of lines with their values at the scenario on screen; none beside a map.
    pub values: Vec<(String, String)>,
}

impl Words {
    fn of(spec: &ChartSpec) -> Self {
        let values = spec.here.filter(|_| spec.field.is_none()).map(|(x, y)| readout::readout(spec, x, y).entries);
        let values = values.into_iter().flatten().map(|entry| (entry.name, entry.value)).collect();
        Self { caption: spec.caption.clone(), values }
    }
}

/// A message as it is posted.
pub fn text_of(message: &impl Serialize) -> JsValue {
    serde_json::to_string(message).unwrap_or_default().into()
}

/// Listens for work, as long as the page is there.
pub fn listen() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let desk = Rc::new(RefCell::new(Desk::default()));
    let page = scope.clone();
    EventListener::new(&scope, "message", move |event| {
        let data: Array = event.unchecked_ref::<MessageEvent>().data().unchecked_into();
        match serde_json::from_str(&data.get(0).as_string().unwrap_or_default()) {
            Ok(Message::Canvas(plot)) => put_up(&desk, plot, &data.get(1).unchecked_into()),
            Ok(Message::Job(number, job)) => {
                let outcome = desk.borrow_mut().answer(job);
                // A page that is gone hears nothing.
                let _ = page.post_message(&text_of(&Answer(number, outcome)));
            }
            // No page says anything else.
            Err(_) => {}
        }
    })
    .forget();
}

/// Takes the canvas of a figure, which is painted again whenever the browser has restored it. One that cannot be painted leaves the
/// summary, the caption and the table.
fn put_up(desk: &Rc<RefCell<Desk>>, plot: Plot, canvas: &OffscreenCanvas) {
    let Ok(sheet) = Sheet::of_worker(canvas) else { return };
    let restored = {
        let desk = desk.clone();
        EventListener::new(canvas, "contextrestored", move |_| {
            paint::forget_image();
            let mut desk = desk.borrow_mut();
            if let Some(last) = desk.last.clone() {
                desk.paint(&last);
            }
        })
    };
    if let Some(place) = desk.borrow_mut().sheets.get_mut(plot as usize) {
        *place = Some((sheet, restored));
    }
}

/// What the thread has.
#[derive(Default)]
struct Desk {
    sheets: [Option<(Sheet, EventListener)>; 2],
    scratches: Scratches,
    /// What was painted last.
    last: Option<Paint>,
}

impl Desk {
    /// Does a piece of work.
    fn answer(&mut self, job: Job) -> Outcome {
        match job {
            Job::Paint(what) => {
                let outcome = Outcome::Painted(self.paint(&what));
                self.last = Some(what);
                outcome
            }
        }
    }

    fn paint(&mut self, what: &Paint) -> [Option<Words>; 2] {
        let snapshot = Snapshot::of_link(&what.link);
        let pins = compared(&snapshot.scenario, &snapshot.pins);
        Plot::ALL.map(|plot| self.paint_plot(plot, what, &snapshot, &pins))
    }

    fn paint_plot(&mut self, plot: Plot, what: &Paint, snapshot: &Snapshot, pins: &[Pin]) -> Option<Words> {
        let [css_width, css_height, device_pixel_ratio] = what.sizes.get(plot as usize).copied().flatten()?;
        let (sheet, _) = self.sheets.get(plot as usize)?.as_ref()?;
        let theme = if what.dark { Theme::Dark } else { Theme::Light };
        let style = Style { theme, css_width, css_height, device_pixel_ratio };
        let spec = plot.derive(snapshot, pins, what.moving, self.scratches.of(plot));
        // As above.
        let _ = paint::paint_chart(&spec, sheet, &style, None);
        Some(Words::of(&spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::View;
    use engine::catalog::default_scenario;

    #[test]
    fn messages_survive_their_texts() {
        let snapshot = Snapshot { scenario: default_scenario(), pins: vec![default_scenario()], view: View::default() };
        let what = Paint { link: snapshot.link(), sizes: [Some([397.0, 336.5, 1.25]), None], ..Paint::default() };
        let text = serde_json::to_string(&Message::Job(7, Job::Paint(what.clone()))).unwrap();
        let Ok(Message::Job(7, Job::Paint(read))) = serde_json::from_str(&text) else { panic!("{text}") };
        assert_eq!(read, what);
        assert_eq!(Snapshot::of_link(&read.link), snapshot);
    }

    #[test]
    fn the_thread_derives_what_the_page_derives() {
        let (mut scratches, link) =
            (Scratches::default(), "?metric=tokens&x=1000..90000#v=1&rev=6&gpus=256&pin=1&tp=8");
        let mut snapshot = Snapshot::of_link(link);
        for index in 0..200 {
            use crate::state::{Action, State};
            use engine::params::ParamId;
            use yew::Reducible as _;
            let state = Rc::new(State::new(&snapshot.scenario, Vec::new(), snapshot.view));
            for key in
                [ParamId::GpuMemory, ParamId::LinkBandwidth, ParamId::SequenceLength, ParamId::ModelSize, ParamId::Gpus]
            {
                snapshot.scenario = state.clone().reduce(Action::Slide { key, index }).scenario;
                assert_eq!(Snapshot::of_link(&snapshot.link()), snapshot, "{key:?} at {index}");
            }
        }
        let pins = compared(&snapshot.scenario, &snapshot.pins);
        let spec = Plot::Curve.derive(&snapshot, &pins, true, scratches.of(Plot::Curve));
        let words = Words::of(&spec);
        assert_eq!(words.caption, spec.caption);
        assert_eq!(words.values.len(), spec.lines.len());
    }
}
