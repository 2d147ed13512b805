//! A chart with everything around it: heading, finding, canvas, crosshair, readout, legend, data
//! table.

mod narrow;
mod overlay;

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::canvas::{Painter, use_painted};
use super::data_table::{Drawing, on_paper, use_data_row};
use super::latest::Latest;
use super::legend::legend;
use crate::browser::{self, PaintWorker};
use crate::plots::Plot;
use crate::snapshot::Snapshot;
use crate::state::Action;
use crate::worker::Words;
use charts::layout::{PlotArea, plot_area};
use charts::paint::Style;
use charts::palette::Theme;
use charts::readout::Entry;
use charts::spec::{AxisKey, ChartSpec};
use charts::{describe, marks, readout};
use charts_canvas::{Sheet, paint_chart};
pub use narrow::{Narrow, NarrowedAxes};
use narrow::{Spot, is_drag};
use overlay::{Tip, cross, rectangle};

/// Label of the button that shows a figure's whole axes again.
pub const RESET_ZOOM: &str = "Reset zoom";

/// Distance in CSS pixels within which a click counts as a click on the place of the readout.
const SAME_SPOT: f64 = 1.5;

/// Instructions for a figure: with the pointer, and with the keyboard.
pub type Hint = (&'static str, &'static str);

/// Values of a figure, and its callbacks.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Identifier of the canvas.
    pub id: &'static str,
    /// The figure.
    pub spec: Rc<ChartSpec>,
    /// Snapshot that saved files link back to.
    pub snapshot: Rc<Snapshot>,
    /// Light or dark.
    pub theme: Theme,
    /// Applies actions.
    pub emit: Callback<Action>,
    /// Sets the text of the status line.
    pub say: Callback<AttrValue>,
    /// The selects in the heading.
    #[prop_or_default]
    pub children: Html,
    /// Text of the readout while nothing is pointed at, if there is no readout for the scenario on
    /// screen.
    #[prop_or_default]
    pub hint: Hint,
    /// Shorter heading, if the selects next to it have the rest.
    #[prop_or_default]
    pub short: Option<&'static str>,
    /// Key of the open explanation.
    #[prop_or_default]
    pub why: &'static str,
    /// View and axes for zooming; `None` if the axes cannot be zoomed.
    #[prop_or_default]
    pub narrow: Option<Narrow>,
    /// Whether the readout is also shown at the crosshair.
    #[prop_or_default]
    pub tip: bool,
    /// Called with the index of a mark that is clicked; without it a click sets the axes.
    #[prop_or_default]
    pub take: Option<Callback<usize>>,
    /// Content under the legend.
    #[prop_or_default]
    pub foot: Html,
    /// Whether a slider moves, or the figure's own spec is out of date: the description in words
    /// then stays.
    #[prop_or_default]
    pub moving: bool,
    /// The worker's plot that the figure shows, if any. The figure's own spec follows once the
    /// scenario is idle.
    #[prop_or_default]
    pub plot: Option<Plot>,
    /// The worker that paints the figure in place of the page.
    #[prop_or_default]
    pub worker: Option<PaintWorker>,
    /// Caption and values from the worker, while the figure's own spec is out of date.
    #[prop_or_default]
    pub words: Option<Rc<Words>>,
    /// Latest snapshot, which saved files are derived from while the figure's own spec is out of
    /// date.
    #[prop_or_default]
    pub later: Option<Latest<Rc<Snapshot>>>,
    /// Requests an up-to-date spec when the pointer or the focus reaches the figure.
    #[prop_or_default]
    pub ask: Option<Callback<()>>,
}

fn paint(spec: &ChartSpec, canvas: &HtmlCanvasElement, style: &Style) {
    // If the canvas cannot be painted, the summary, the caption and the table remain.
    let _ = Sheet::of_page(canvas).and_then(|sheet| paint_chart(spec, &sheet, style, None));
}

/// Returns the values, at a place, of the axes that are parameters.
fn values(spec: &ChartSpec, (x, y): (f64, f64)) -> Vec<(AxisKey, f64)> {
    let across = spec.x.key.map(|key| (key, spec.x.settled(x)));
    let up = spec.y.key.map(|key| (key, spec.y.settled(y)));
    across.into_iter().chain(up).collect()
}

/// Distance in CSS pixels from the ring of the run within which a press drags the run.
const REACH: f64 = 14.0;

/// Whether a pointer is on the ring of the run, which only a map has.
fn is_on_ring(spec: &ChartSpec, area: &PlotArea, (x, y): Spot) -> bool {
    let ring = spec.here.filter(|_| spec.y.key.is_some()).map(|(across, up)| area.to_pixel(across, up));
    ring.is_some_and(|(left, top)| (left - x).hypot(top - y) <= REACH)
}

/// Returns the steps by which an arrow key moves the crosshair, right and up.
fn arrow(event: &KeyboardEvent) -> Option<(i32, i32)> {
    let stride = if event.shift_key() { 6 } else { 1 };
    match event.key().as_str() {
        "ArrowLeft" => Some((-stride, 0)),
        "ArrowRight" => Some((stride, 0)),
        "ArrowUp" => Some((0, stride)),
        "ArrowDown" => Some((0, -stride)),
        _ => None,
    }
}

/// Returns the figure in words; while a slider moves, the words from before it moved.
#[hook]
fn use_described(spec: &ChartSpec, moving: bool) -> AttrValue {
    let kept = use_mut_ref(|| None::<AttrValue>);
    let mut kept = kept.borrow_mut();
    match &*kept {
        Some(kept) if moving => kept.clone(),
        _ => kept.insert(describe::chart(spec).into()).clone(),
    }
}

/// A chart with its canvas. Hover or arrow keys move the crosshair; a click or Enter sets the
/// scenario there; a drag or `+` zooms in, a double-click or `0` shows the whole axes.
#[component]
pub fn Figure(props: &Props) -> Html {
    let canvas = use_node_ref();
    let at = use_state(|| None::<(f64, f64)>);
    let printing = browser::use_printing();
    let theme = if printing { Theme::Light } else { props.theme };
    let page_paints = props.worker.as_ref().is_none_or(|worker| worker.thread().page_paints());
    let painter: Option<Painter<_>> = if page_paints { Some(paint) } else { None };
    let size = use_painted(&canvas, &props.spec, theme, painter);
    browser::use_pictures(props.worker.as_ref(), &canvas, props.plot, size);
    let words = props.words.as_ref();
    let what = Drawing::Chart(props.spec.clone());
    let data_row =
        use_data_row(props.id, &what, props.plot.zip(props.later.clone()), &props.snapshot, props.theme, size);
    let described = use_described(&props.spec, props.moving);
    let area = plot_area(&props.spec, size.width, size.height);
    // The axes may have changed since.
    let shown = at.filter(|here| (props.spec.x.min..=props.spec.x.max).contains(&here.0));
    // The place where the pointer was pressed, and the present place once the press is a drag. The
    // click that ends a drag is ignored.
    let drag = use_state(|| None::<(Spot, Spot)>);
    let pressed = use_mut_ref(|| None::<Spot>);
    let dragged = use_mut_ref(|| false);
    let holds_ring = use_mut_ref(|| false);
    let hover = {
        let (at, area, drag, dragged) = (at.clone(), area.clone(), drag.clone(), dragged.clone());
        let (narrow, emit, spec) = (props.narrow, props.emit.clone(), props.spec.clone());
        Callback::from(move |event: PointerEvent| {
            let spot = (f64::from(event.offset_x()), f64::from(event.offset_y()));
            match event.type_().as_str() {
                "pointerdown" => {
                    dragged.replace(false);
                    holds_ring.replace(narrow.is_some() && is_on_ring(&spec, &area, spot));
                    if narrow.is_some() && event.is_primary() && event.button() == 0 {
                        pressed.replace(Some(spot));
                        browser::hold(&event);
                    }
                }
                "pointermove" => {
                    let place = area.to_data(spot.0, spot.1);
                    at.set(place.map(|place| marks::snapped(&spec, place)));
                    if let Some(from) = *pressed.borrow()
                        && (*dragged.borrow() || is_drag((from, spot)))
                    {
                        dragged.replace(true);
                        if *holds_ring.borrow() {
                            if let Some(place) = place {
                                emit.emit(Action::Drag(values(&spec, place)));
                            }
                        } else {
                            drag.set(Some((from, spot)));
                        }
                    }
                }
                kind => {
                    let from = pressed.take();
                    if holds_ring.replace(false) && *dragged.borrow() {
                        emit.emit(Action::Settle);
                    } else if kind == "pointerup"
                        && let (Some(from), Some(narrow)) = (from, narrow)
                        && *dragged.borrow()
                        && let Some(look) = narrow.select(&spec, &area, (from, spot))
                    {
                        emit.emit(look);
                    }
                    drag.set(None);
                    // A lifted finger no longer points at anything.
                    if kind != "pointerup" || event.pointer_type() != "mouse" {
                        at.set(None);
                    }
                }
            }
        })
    };
    let reset = {
        let (narrow, emit) = (props.narrow, props.emit.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(narrow) = narrow {
                emit.emit(Action::TakeBack);
                emit.emit(narrow.reset());
            }
        })
    };
    let act = {
        let (take, emit, spec) = (props.take.clone(), props.emit.clone(), props.spec.clone());
        move |here| match take.as_ref().zip(marks::nearest(&spec, here)) {
            Some((take, mark)) => take.emit(mark),
            None => emit.emit(Action::Place(values(&spec, here))),
        }
    };
    let pick = {
        let (at, act, area) = (at.clone(), act.clone(), area.clone());
        let waits = props.narrow.is_some();
        Callback::from(move |event: MouseEvent| {
            // The second click of a double-click has a meaning of its own.
            if *dragged.borrow() || waits && event.detail() > 1 {
                return;
            }
            let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
            // A click may be rounded to another pixel than the last pointer move: the place of the
            // readout counts.
            let read = at.filter(|&(across, up)| {
                let (left, top) = area.to_pixel(across, up);
                (left - x).abs() <= SAME_SPOT && (top - y).abs() <= SAME_SPOT
            });
            if let Some(here) = read.or_else(|| area.to_data(x, y)) {
                act(here);
            }
        })
    };
    let key_pressed = {
        let (at, emit, say) = (at.clone(), props.emit.clone(), props.say.clone());
        let (spec, area, narrow) = (props.spec.clone(), area.clone(), props.narrow);
        Callback::from(move |event: KeyboardEvent| {
            let middle = area.to_data(area.left + area.width / 2.0, area.top + area.height / 2.0);
            let from = shown.or(spec.here).or(middle);
            match (event.key().as_str(), arrow(&event), from) {
                ("Escape", ..) if at.is_none() => narrow.iter().for_each(|narrow| emit.emit(narrow.reset())),
                ("Escape", ..) => at.set(None),
                ("Enter" | " ", _, Some(here)) => {
                    event.prevent_default();
                    act(here);
                }
                (_, Some((right, up)), Some(here)) => {
                    event.prevent_default();
                    let next = match (&spec.lanes, &spec.falls) {
                        (Some(lanes), _) => lanes.step(here, right, up),
                        (None, Some(falls)) => falls.step(here, right, up),
                        (None, None) => {
                            marks::step(&spec, here, right, up).or_else(|| Some(area.step(here, right, up)))
                        }
                    };
                    // Beyond the last span the timeline itself moves.
                    let Some(next) = next else {
                        narrow.and_then(|narrow| narrow.pan(&spec, right)).into_iter().for_each(|look| emit.emit(look));
                        return;
                    };
                    say.emit(readout::readout(&spec, next.0, next.1).sentence.into());
                    at.set(Some(next));
                }
                (key, None, Some(here)) if !(event.ctrl_key() || event.meta_key() || event.alt_key()) => {
                    if let Some(look) = narrow.and_then(|narrow| narrow.key(&spec, key, here)) {
                        event.prevent_default();
                        emit.emit(look);
                    }
                }
                _ => {}
            }
        })
    };
    // The legend has the values of lines at the crosshair, or else at the scenario on screen.
    let resting = props.spec.here.filter(|_| props.spec.field.is_none());
    let said = shown.or(resting).map(|(x, y)| readout::readout(&props.spec, x, y));
    let tip = shown.filter(|_| props.tip && drag.is_none()).zip(said.clone());
    let tip = tip.map(|((x, y), said)| {
        // A row without a value here is in the line under the chart, but not at the crosshair.
        let has_value = |row: &Entry| row.value.contains(|sign: char| sign.is_ascii_digit());
        let rows: Vec<Entry> = said.place.into_iter().chain(said.entries).filter(has_value).collect();
        html! { <Tip at={area.to_pixel(x, y)} {size} {rows} /> }
    });
    let (place, mut entries) = said.map_or_else(Default::default, |said| (said.place, said.entries));
    if let Some(words) = words.filter(|_| shown.is_none()) {
        for entry in &mut entries {
            let value = words.values.iter().find(|(name, _)| *name == entry.name);
            entry.value = value.map(|(_, value)| value.clone()).unwrap_or_default();
        }
    }
    let (listed, unlisted): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.role.is_some());
    let lanes = props.spec.lanes.as_ref().map(|lanes| format!("lanes-{}", lanes.shown.len()));
    let listing = props.spec.field.is_none() && lanes.is_none();
    let both = props.spec.y.key.is_some();
    let over_both = both || !props.spec.marks.is_empty() || props.spec.falls.is_some();
    let over = drag.map(|drag| rectangle(&area, size, both, drag));
    let over = over.or_else(|| shown.map(|here| cross(&area, size, here, over_both)));
    let asks = props.ask.as_ref();
    let (on_move, on_focus) =
        (asks.map(|ask| ask.reform(|_: PointerEvent| ())), asks.map(|ask| ask.reform(|_: FocusEvent| ())));
    let pointed = !(place.is_empty() || listing);
    html! {
        <figure class={classes!("figure", lanes, pointed.then_some("read"))} onpointermove={on_move} onfocusin={on_focus}>
            <div class="figure-head">
                <h2>{ props.short.filter(|_| !printing).unwrap_or(&props.spec.title) }</h2>
                <div class="axes">{ props.children.clone() }</div>
            </div>
            <div class="stage">
                <canvas ref={canvas} id={props.id} class="pick" role="img" tabindex="0" aria-label={described}
                    onpointerdown={hover.clone()} onpointermove={hover.clone()} onpointerup={hover.clone()}
                    onpointercancel={hover.clone()} onpointerleave={hover} onclick={pick} ondblclick={reset.clone()}
                    onkeydown={key_pressed} />
                { over.unwrap_or_default() }
                { tip.unwrap_or_default() }
                if printing && size.width > 0.0 { { on_paper(&what, size) } }
                if props.narrow.is_some_and(|narrow| narrow.is_narrow()) {
                    <button type="button" class="small-button reset" onclick={reset}>{ RESET_ZOOM }</button>
                }
            </div>
            <figcaption class={classes!("caption", (props.moving && words.is_some()).then_some("stale"))}>{ words.map_or(&props.spec.caption, |words| &words.caption) }</figcaption>
            if place.is_empty() {
                <p class="readout deep hint"><span>{ props.hint.0 }{ " " }<span class="keys">{ props.hint.1 }</span></span></p>
            } else {
            <dl class={classes!("readout", (!listing).then_some("deep"))}>
                { for place.into_iter().chain(unlisted).map(|entry| html! {
                    <div><dt>{ entry.name }</dt>{ " " }<dd>{ entry.value }</dd></div>
                }) }
            </dl>
            }
            { legend(&props.spec, props.id, &listed, props.why, &props.emit) }
            { props.foot.clone() }
            { data_row }
        </figure>
    }
}
