//! Map and curves in a worker: what the page and the worker say to each other, and how the worker derives and paints. It runs the
//! same module as the page (`static/painter.js`), so that every number is the same to the bit, and finds no window.
//!
//! A message is an array: a JSON text, and beside it the canvas of a figure where it says so. `src/browser/worker.rs` has the page's
//! side, and says in which order the messages go.

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

/// What the page says to the worker.
#[derive(Debug, Deserialize, Serialize)]
pub enum Message {
    /// The canvas of a figure, from now on the worker's; it comes beside the text.
    Canvas(Plot),
    /// Asks for a painting.
    Paint(Paint),
}

/// What the worker says to the page.
#[derive(Debug, Deserialize, Serialize)]
pub enum Said {
    /// It listens.
    Ready,
    /// What was asked for is painted: what stands beside each figure.
    Painted([Option<Words>; 2]),
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

/// Listens to the page, as long as it is there.
pub fn listen() {
    let page: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let desk = Rc::new(RefCell::new(Desk::default()));
    let say = {
        let page = page.clone();
        // A page that is gone hears nothing.
        move |said: &Said| drop(page.post_message(&Array::of1(&text_of(said))))
    };
    let answer = say.clone();
    EventListener::new(&page, "message", move |event| {
        let data: Array = event.unchecked_ref::<MessageEvent>().data().unchecked_into();
        match serde_json::from_str(&data.get(0).as_string().unwrap_or_default()) {
            Ok(Message::Canvas(plot)) => put_up(&desk, plot, &data.get(1).unchecked_into()),
            Ok(Message::Paint(what)) => answer(&Said::Painted(desk.borrow_mut().paint(what))),
            // No page says anything else.
            Err(_) => {}
        }
    })
    .forget();
    say(&Said::Ready);
}

/// Takes the canvas of a figure, which is painted again whenever the browser has restored it. One that cannot be painted is an error,
/// and the page paints instead.
fn put_up(desk: &Rc<RefCell<Desk>>, plot: Plot, canvas: &OffscreenCanvas) {
    let sheet = Sheet::of_worker(canvas).unwrap_or_else(|error| wasm_bindgen::throw_str(&error.to_string()));
    let restored = {
        let desk = desk.clone();
        EventListener::new(canvas, "contextrestored", move |_| {
            paint::forget_image();
            let mut desk = desk.borrow_mut();
            let last = desk.last.clone();
            desk.paint(last);
        })
    };
    if let Some(place) = desk.borrow_mut().sheets.get_mut(plot as usize) {
        *place = Some((sheet, restored));
    }
}

/// What the worker has.
#[derive(Default)]
struct Desk {
    sheets: [Option<(Sheet, EventListener)>; 2],
    scratches: Scratches,
    /// What was painted last.
    last: Paint,
}

impl Desk {
    fn paint(&mut self, what: Paint) -> [Option<Words>; 2] {
        let snapshot = Snapshot::of_link(&what.link);
        let pins = compared(&snapshot.scenario, &snapshot.pins);
        let words = Plot::ALL.map(|plot| self.paint_plot(plot, &what, &snapshot, &pins));
        self.last = what;
        words
    }

    fn paint_plot(&mut self, plot: Plot, what: &Paint, snapshot: &Snapshot, pins: &[Pin]) -> Option<Words> {
        let [css_width, css_height, device_pixel_ratio] = what.sizes.get(plot as usize).copied().flatten()?;
        let (sheet, _) = self.sheets.get(plot as usize)?.as_ref()?;
        let theme = if what.dark { Theme::Dark } else { Theme::Light };
        let style = Style { theme, css_width, css_height, device_pixel_ratio };
        let spec = plot.derive(snapshot, pins, what.moving, self.scratches.of(plot));
        // A figure that cannot be painted leaves its summary, caption and table.
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
        let text = serde_json::to_string(&Message::Paint(what.clone())).unwrap();
        let Ok(Message::Paint(read)) = serde_json::from_str(&text) else { panic!("{text}") };
        assert_eq!(read, what);
        assert_eq!(Snapshot::of_link(&read.link), snapshot);
    }

    #[test]
    fn the_worker_derives_what_the_page_derives() {
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
