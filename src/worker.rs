//! Work beside the page: what the page may ask of a second thread, and how that thread does it. The thread runs the same module
//! (`static/boot.js`), so that every number is the same to the bit, and finds no window.
//!
//! A message is a JSON text, with pictures behind it where the answer has some. The page numbers its requests, and every answer has
//! the number of its request. [`crate::browser`] has the page's side.
//!
//! Pictures go over as bitmaps, which are handed on and not copied. A canvas that belongs to the thread altogether
//! (`transferControlToOffscreen`) would save the page a frame, but Firefox 153 without a graphics card shows its first picture
//! for ever.
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
use charts::paint::{self, Style};
use charts::palette::Theme;
use charts::readout;
use charts::spec::ChartSpec;

/// What the page says to the thread: asks for work under a number.
#[derive(Debug, Deserialize, Serialize)]
pub struct Request(pub u32, pub Job);

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

/// What the thread says to the page: the number of the request, or 0 for what it has painted again by itself, and what came of it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Answer(pub u32, pub Outcome);

/// What came of a [`Job`].
#[derive(Debug, Deserialize, Serialize)]
pub enum Outcome {
    /// The figures are painted: what stands beside each of them. Their pictures follow the text, in the same order.
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
    for plot in Plot::ALL {
        desk.borrow_mut().put_up(plot, &scope, &desk);
    }
    let page = scope.clone();
    EventListener::new(&scope, "message", move |event| {
        let text = event.unchecked_ref::<MessageEvent>().data().as_string().unwrap_or_default();
        // No page says anything else.
        if let Ok(Request(number, job)) = serde_json::from_str(&text) {
            let (outcome, pictures) = desk.borrow_mut().answer(job);
            post(&page, &Answer(number, outcome), &pictures);
        }
    })
    .forget();
}

/// What there is to hand on for each figure, or `undefined`.
type Pictures = [JsValue; 2];

fn post(page: &DedicatedWorkerGlobalScope, answer: &Answer, pictures: &Pictures) {
    let (message, handed_on) = (Array::of1(&text_of(answer)), Array::new());
    for picture in pictures {
        message.push(picture);
        if !picture.is_undefined() {
            handed_on.push(picture);
        }
    }
    // A page that is gone hears nothing.
    let _ = page.post_message_with_transfer(&message, &handed_on);
}

/// What the thread has.
#[derive(Default)]
struct Desk {
    canvases: [Option<(OffscreenCanvas, EventListener)>; 2],
    scratches: Scratches,
    /// What was painted last.
    last: Option<Paint>,
}

impl Desk {
    /// Makes the canvas of a figure, which is painted again whenever the browser has restored it.
    fn put_up(&mut self, plot: Plot, page: &DedicatedWorkerGlobalScope, desk: &Rc<RefCell<Self>>) {
        let Ok(canvas) = OffscreenCanvas::new(1, 1) else { return };
        let (page, desk) = (page.clone(), desk.clone());
        let restored = EventListener::new(&canvas, "contextrestored", move |_| {
            paint::forget_image();
            let mut desk = desk.borrow_mut();
            if let Some(last) = desk.last.clone() {
                let (words, pictures) = desk.paint(&last);
                post(&page, &Answer(0, Outcome::Painted(words)), &pictures);
            }
        });
        if let Some(place) = self.canvases.get_mut(plot as usize) {
            *place = Some((canvas, restored));
        }
    }

    /// Does a piece of work.
    fn answer(&mut self, job: Job) -> (Outcome, Pictures) {
        match job {
            Job::Paint(what) => {
                let (words, pictures) = self.paint(&what);
                self.last = Some(what);
                (Outcome::Painted(words), pictures)
            }
        }
    }

    fn paint(&mut self, what: &Paint) -> ([Option<Words>; 2], Pictures) {
        let snapshot = Snapshot::of_link(&what.link);
        let pins = compared(&snapshot.scenario, &snapshot.pins);
        let [map, curve] = Plot::ALL.map(|plot| self.paint_plot(plot, what, &snapshot, &pins).unzip());
        ([map.0, curve.0], [map.1, curve.1].map(Option::unwrap_or_default))
    }

    fn paint_plot(&mut self, plot: Plot, what: &Paint, snapshot: &Snapshot, pins: &[Pin]) -> Option<(Words, JsValue)> {
        let [css_width, css_height, device_pixel_ratio] = what.sizes.get(plot as usize).copied().flatten()?;
        let (canvas, _) = self.canvases.get(plot as usize)?.as_ref()?;
        let theme = if what.dark { Theme::Dark } else { Theme::Light };
        let style = Style { theme, css_width, css_height, device_pixel_ratio };
        let spec = plot.derive(snapshot, pins, what.moving, self.scratches.of(plot));
        // A canvas that cannot be painted leaves the summary, the caption and the table.
        let painted = paint::paint_chart(&spec, paint::of_worker(canvas), &style, None).is_ok();
        let picture = if painted { canvas.transfer_to_image_bitmap().ok() } else { None };
        Some((Words::of(&spec), picture.map(JsValue::from).unwrap_or_default()))
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
        let text = serde_json::to_string(&Request(7, Job::Paint(what.clone()))).unwrap();
        let Ok(Request(7, Job::Paint(read))) = serde_json::from_str(&text) else { panic!("{text}") };
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
