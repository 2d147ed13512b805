//! Map, curves and the map of the best in a worker: the messages between the page and the worker,
//! and how the worker derives and paints. The worker runs the page's module (`static/painter.js`),
//! so that every number is identical to the bit, and has no window.
//!
//! A message is an array: a JSON text, then the pictures that are transferred to the page.
//! `src/browser/worker.rs` has the page's side, with the order of the messages.

use js_sys::Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, ImageBitmap, MessageEvent, OffscreenCanvas};

use crate::compare::compared;
use crate::plots::{PLOTS, Plot, Scratches};
use crate::snapshot::Snapshot;
use analysis::layout_pool::LayoutPool;
use charts::paint::{PaintError, Style};
use charts::palette::Theme;
use charts::readout;
use charts::spec::ChartSpec;
use charts::views::KnownLayouts;
use charts_canvas::{Sheet, paint_chart, refused};

/// Message from the worker to the page.
#[derive(Debug, Deserialize, Serialize)]
pub enum WorkerMessage {
    /// The worker listens.
    Ready,
    /// The request is painted: captions and values of each figure, and the layouts of the curves if
    /// they are others than at the last answer. The picture of each figure, or nothing, follows the
    /// text.
    Painted([Option<Words>; PLOTS], Option<Layouts>),
}

/// The layouts that the worker has found for the curves, as links, with the scenarios around which
/// it has found them. The search takes longer than a frame, so that the page leaves it to the
/// worker.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Layouts {
    around: Vec<String>,
    /// Each layout after its memory savers and a space.
    pool: Vec<String>,
}

impl From<&KnownLayouts> for Layouts {
    fn from(known: &KnownLayouts) -> Self {
        Self {
            around: known.around.iter().map(links::encode).collect(),
            pool: known
                .pool
                .layouts()
                .iter()
                .map(|(savers, layout)| format!("{savers} {}", links::encode(layout)))
                .collect(),
        }
    }
}

impl From<&Layouts> for KnownLayouts {
    fn from(layouts: &Layouts) -> Self {
        let scenario = |link: &str| links::decode(link).scenario;
        let layout = |text: &String| {
            let (savers, link) = text.split_once(' ')?;
            Some((savers.parse().ok()?, scenario(link)))
        };
        Self {
            around: layouts.around.iter().map(|link| scenario(link)).collect(),
            pool: LayoutPool::of(layouts.pool.iter().filter_map(layout).collect()),
        }
    }
}

/// Request to the worker to paint.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Paint {
    /// Link of the snapshot on screen ([`Snapshot::link`]).
    pub link: String,
    /// Whether a slider moves: the map is then coarse.
    pub moving: bool,
    /// Whether the theme is dark.
    pub dark: bool,
    /// Width and height of each figure in CSS pixels, and device pixels per CSS pixel; `None` for a
    /// figure that is not on the page.
    #[serde(with = "sizes")]
    pub sizes: [Option<[f64; 3]>; PLOTS],
}

/// Sizes as text. Reading numbers from JSON is code that the first screen would need for nothing
/// else.
mod sizes {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::plots::PLOTS;

    pub(super) fn serialize<S: Serializer>(
        sizes: &[Option<[f64; 3]>; PLOTS],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = |size: &Option<[f64; 3]>| size.map(|[width, height, ratio]| format!("{width} {height} {ratio}"));
        let texts = sizes.each_ref().map(|size| text(size).unwrap_or_default());
        texts.join(";").serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[Option<[f64; 3]>; PLOTS], D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut sizes = [None; PLOTS];
        for (size, text) in sizes.iter_mut().zip(text.split(';')) {
            let numbers: Option<Vec<f64>> = text.split(' ').map(|number| number.parse().ok()).collect();
            *size = numbers.and_then(|numbers| numbers.try_into().ok());
        }
        Ok(sizes)
    }
}

/// Texts shown next to a figure while a slider moves.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Words {
    /// Caption, with the figure's finding.
    pub caption: String,
    /// Names of lines with their values at the scenario on screen; empty for a map.
    pub values: Vec<(String, String)>,
}

impl Words {
    fn from_chart(spec: &ChartSpec) -> Self {
        let values = spec.here.filter(|_| spec.field.is_none()).map(|(x, y)| readout::readout(spec, x, y).entries);
        let values = values.into_iter().flatten().map(|entry| (entry.name, entry.value)).collect();
        Self { caption: spec.caption.clone(), values }
    }
}

/// Serializes a message for posting.
pub fn text_of(message: &impl Serialize) -> JsValue {
    serde_json::to_string(message).unwrap_or_default().into()
}

/// Listens for messages of the page until the worker ends.
pub fn listen() {
    let page: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    // An error reaches the page, which then paints by itself.
    let mut desk = WorkerCanvases::new().unwrap_or_else(|error| wasm_bindgen::throw_str(&error.to_string()));
    // If the page is gone, nobody receives the message.
    let _ = page.post_message(&Array::of1(&text_of(&WorkerMessage::Ready)));
    let scope = page.clone();
    let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let data: Array = event.data().unchecked_into();
        // The page sends no other messages.
        let Ok(what) = serde_json::from_str(&data.get(0).as_string().unwrap_or_default()) else { return };
        let sent = desk.paint(&what).and_then(|painted| {
            let (words, pictures): (Vec<_>, Vec<_>) = painted.into_iter().map(Option::unzip).unzip();
            let words: [Option<Words>; PLOTS] = words.try_into().unwrap_or_default();
            let pictures: Vec<JsValue> = pictures.into_iter().map(JsValue::from).collect();
            let over: Array = pictures.iter().filter(|picture| picture.is_object()).collect();
            let message = WorkerMessage::Painted(words, desk.news());
            let message: Array = [text_of(&message)].into_iter().chain(pictures).collect();
            page.post_message_with_transfer(&message, &over).map_err(refused)
        });
        sent.unwrap_or_else(|error| wasm_bindgen::throw_str(&error.to_string()));
    });
    scope.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    heard.forget();
}

/// Canvases and scratch space of the worker. The canvases are its own: a canvas transferred from
/// the page could be read by the page, for a screenshot or a print, only while the worker is idle.
struct WorkerCanvases {
    canvases: [(OffscreenCanvas, Sheet); PLOTS],
    scratches: Scratches,
    /// The layouts that the page has.
    sent: Option<KnownLayouts>,
}

impl WorkerCanvases {
    fn new() -> Result<Self, PaintError> {
        let canvas = || {
            let canvas = OffscreenCanvas::new(1, 1).map_err(refused)?;
            Sheet::from_worker_canvas(&canvas).map(|sheet| (canvas, sheet))
        };
        Ok(Self { canvases: [canvas()?, canvas()?, canvas()?], scratches: Scratches::default(), sent: None })
    }

    /// Returns the layouts of the curves, unless the page has them.
    fn news(&mut self) -> Option<Layouts> {
        let known = self.scratches.for_plot(Plot::Curve).layouts();
        if known == self.sent.as_ref() {
            return None;
        }
        self.sent = known.cloned();
        known.map(Layouts::from)
    }

    fn paint(&mut self, what: &Paint) -> Result<[Option<(Words, ImageBitmap)>; PLOTS], PaintError> {
        let snapshot = Snapshot::from_link(&what.link);
        let pins = compared(&snapshot.scenario, &snapshot.pins);
        let theme = if what.dark { Theme::Dark } else { Theme::Light };
        let mut painted = [const { None }; PLOTS];
        let figures = Plot::ALL.into_iter().zip(what.sizes).zip(&self.canvases);
        for (place, ((plot, size), (canvas, sheet))) in painted.iter_mut().zip(figures) {
            let Some([css_width, css_height, device_pixel_ratio]) = size else { continue };
            let style = Style { theme, css_width, css_height, device_pixel_ratio };
            let spec = plot.derive(&snapshot, &pins, what.moving, self.scratches.for_plot(plot));
            paint_chart(&spec, sheet, &style, None)?;
            *place = Some((Words::from_chart(&spec), canvas.transfer_to_image_bitmap().map_err(refused)?));
        }
        Ok(painted)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::view::View;
    use catalog::default_scenario;
    use charts::views::Scratch;

    #[test]
    fn messages_survive_their_texts() {
        let snapshot = Snapshot { scenario: default_scenario(), pins: vec![default_scenario()], view: View::default() };
        let what = Paint { link: snapshot.link(), sizes: [Some([397.0, 336.5, 1.25]), None, None], ..Paint::default() };
        let read: Paint = serde_json::from_str(&serde_json::to_string(&what).unwrap()).unwrap();
        assert_eq!(read, what);
        assert_eq!(Snapshot::from_link(&read.link), snapshot);
    }

    #[test]
    fn the_page_draws_the_curves_with_the_layouts_of_the_worker() {
        for link in ["#v=1", "#v=1&model=llama-3.1-70b&cluster=dgx-h100&gpus=64&seq=8192", "#v=1&gpus=8&peft=lora"] {
            let (mut worker, mut page) = (Scratch::default(), Scratch::default());
            let snapshot = Snapshot::from_link(link);
            let painted = Plot::Curve.derive(&snapshot, &[], false, &mut worker);
            let known = worker.layouts().unwrap();
            let text = serde_json::to_string(&Layouts::from(known)).unwrap();
            let read = KnownLayouts::from(&serde_json::from_str::<Layouts>(&text).unwrap());
            assert_eq!(&read, known, "{link}");
            page.set_layouts(read);
            assert_eq!(Plot::Curve.derive(&snapshot, &[], false, &mut page), painted, "{link}");
        }
    }

    #[test]
    fn the_worker_derives_what_the_page_derives() {
        let (mut scratches, link) = (Scratches::default(), "?metric=tokens&x=1000..90000#v=1&gpus=256&pin=1&tp=8");
        let mut snapshot = Snapshot::from_link(link);
        for index in 0..200 {
            use crate::state::{Action, State};
            use engine::params::ParamId;
            use yew::Reducible as _;
            let state = Rc::new(State::new(&snapshot.scenario, Vec::new(), snapshot.view));
            for key in
                [ParamId::GpuMemory, ParamId::LinkBandwidth, ParamId::SequenceLength, ParamId::ModelSize, ParamId::Gpus]
            {
                snapshot.scenario = state.clone().reduce(Action::Slide { key, index }).scenario;
                assert_eq!(Snapshot::from_link(&snapshot.link()), snapshot, "{key:?} at {index}");
            }
        }
        let pins = compared(&snapshot.scenario, &snapshot.pins);
        let spec = Plot::Curve.derive(&snapshot, &pins, true, scratches.for_plot(Plot::Curve));
        let words = Words::from_chart(&spec);
        assert_eq!(words.caption, spec.caption);
        assert_eq!(words.values.len(), spec.lines.len());
    }
}
