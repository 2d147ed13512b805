//! A chart with everything around it: heading, finding, canvas, crosshair, readout, legend, data
//! table.

mod input;
mod narrow;
mod overlay;
mod pointer;
mod read;

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::canvas::{Painter, use_painted};
use super::data_table::{Drawing, on_paper, use_data_row};
use super::latest::{Latest, on};
use super::legend::legend;
use crate::browser::{self, PaintWorker, Size};
use crate::context::use_page;
use crate::plots::Plot;
use crate::snapshot::Snapshot;
use crate::worker::Words;
use charts::describe;
use charts::layout::plot_area;
use charts::paint::Style;
use charts::spec::ChartSpec;
use charts_canvas::{Sheet, paint_chart};
use input::Input;
use narrow::Narrow;
pub use narrow::NarrowedAxes;
use overlay::{Tip, cross, rectangle};
use pointer::Pointer;
use read::Read;

/// Label of the button that shows a figure's whole axes again.
pub const RESET_ZOOM: &str = "Reset zoom";

/// Instructions for a figure: with the pointer, and with the keyboard.
pub type Hint = (&'static str, &'static str);

/// Values of a figure.
#[derive(PartialEq, Properties)]
pub struct FigureProps {
    /// Identifier of the canvas.
    pub id: &'static str,
    /// The figure.
    pub spec: Rc<ChartSpec>,
    /// Snapshot that saved files link back to.
    pub snapshot: Rc<Snapshot>,
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
    /// The axes that can be zoomed, if any.
    #[prop_or_default]
    pub axes: Option<NarrowedAxes>,
    /// Whether the readout is also shown at the crosshair.
    #[prop_or_default]
    pub tip: bool,
    /// Called with the index of a mark that is clicked; without it a click sets the axes.
    #[prop_or_default]
    pub take: Option<Callback<usize>>,
    /// The sliders that move the figure, under its finding.
    #[prop_or_default]
    pub sliders: Html,
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
    let _ = Sheet::from_page_canvas(canvas).and_then(|sheet| paint_chart(spec, &sheet, style, None));
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
pub fn Figure(props: &FigureProps) -> Html {
    let &FigureProps { id, ref spec, ref snapshot, .. } = props;
    let (canvas, page) = (use_node_ref(), use_page());
    let page_paints = props.worker.as_ref().is_none_or(|worker| worker.thread().page_paints());
    let painter: Option<Painter<_>> = if page_paints { Some(paint) } else { None };
    let size = use_painted(&canvas, spec, page.painted_theme(), painter);
    browser::use_pictures(props.worker.as_ref(), &canvas, props.plot, size);
    let what = Drawing::Chart(spec.clone());
    let data_row = use_data_row(id, &what, props.plot.zip(props.later.clone()), snapshot, page.theme, size);
    let described = use_described(spec, props.moving);
    let narrow = props.axes.map(|axes| Narrow { view: page.view, axes });
    let printing = page.printing;
    let input = Rc::new(Input {
        spec: spec.clone(),
        scenario: snapshot.scenario,
        area: plot_area(spec, size.width, size.height),
        narrow,
        take: props.take.clone(),
        page,
        at: use_state(|| None),
        drag: use_state(|| None),
        pointer: use_mut_ref(Pointer::default),
    });
    let hover = on(&input, Input::point);
    let reset = on(&input, Input::reset);
    let words = props.words.as_ref();
    let read = Read::of(&input, words.map(|words| &**words));
    let asks = props.ask.as_ref();
    let on_move = asks.map(|ask| ask.reform(|_: PointerEvent| ()));
    let on_focus = asks.map(|ask| ask.reform(|_: FocusEvent| ()));
    let lanes = spec.lanes.as_ref().map(|lanes| format!("lanes-{}", lanes.shown.len()));
    let caption = words.map_or(&spec.caption, |words| &words.caption).clone();
    let stale = (props.moving && words.is_some()).then_some("stale");
    html! {
        <figure class={classes!("figure", lanes, read.is_pointed().then_some("read"))} onpointermove={on_move} onfocusin={on_focus}>
            <div class="figure-head">
                <h2>{ props.short.filter(|_| !printing).unwrap_or(&spec.title) }</h2>
                <div class="axes">{ props.children.clone() }</div>
            </div>
            <div class="stage">
                <canvas ref={canvas} {id} class="pick" role="img" tabindex="0" aria-label={described}
                    onpointerdown={hover.clone()} onpointermove={hover.clone()} onpointerup={hover.clone()}
                    onpointercancel={hover.clone()} onpointerleave={hover} onclick={on(&input, Input::click)} ondblclick={reset.clone()}
                    onkeydown={on(&input, Input::key)} />
                { over(&input, size, props.tip.then_some(&read)) }
                if printing && size.width > 0.0 { { on_paper(&what, size) } }
                if narrow.is_some_and(|narrow| narrow.is_narrow()) {
                    <button type="button" class="small-button reset" onclick={reset}>{ RESET_ZOOM }</button>
                }
            </div>
            <figcaption class={classes!("caption", stale)} title={caption.clone()}>{ caption }</figcaption>
            { props.sliders.clone() }
            { read.line(props.hint) }
            { legend(spec, id, &read.listed) }
            { props.foot.clone() }
            { data_row }
        </figure>
    }
}

/// Renders what lies over the canvas: the rectangle of a drag, or the crosshair, and at the
/// crosshair the readout if the figure has one there.
fn over(input: &Input, size: Size, tip: Option<&Read>) -> Html {
    let Input { spec, area, .. } = input;
    let both = spec.y.key.is_some();
    if let Some(drag) = *input.drag {
        return rectangle(area, size, both, drag);
    }
    let Some(here) = input.shown() else { return Html::default() };
    let over_both = both || !spec.marks.is_empty() || spec.falls.is_some();
    html! {
        <>
            { cross(area, size, here, over_both) }
            if let Some(read) = tip {
                <Tip at={area.to_pixel(here.0, here.1)} {size} rows={read.tip.clone()} />
            }
        </>
    }
}
