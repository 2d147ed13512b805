//! The memory of one GPU by part: a stacked bar, and a list.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::compare::unlettered;
use crate::components::canvas::use_painted;
use crate::components::data_table::{Drawing, on_paper, use_data_row};
use crate::components::explain_button::ExplainButton;
use crate::context::use_page;
use crate::snapshot::Snapshot;
use charts::describe;
use charts::layout::bar_area;
use charts::paint::Style;
use charts::spec::{BarSpec, PinnedBar};
use charts_canvas::{Sheet, paint_bar};
use engine::format;
use engine::model::report::MemoryPart;
use engine::scenario::pins::pin_letter;
use engine::units::Bytes;

/// Values to show, and the callback for actions.
#[derive(PartialEq, Properties)]
pub struct MemoryBarProps {
    /// The figure.
    pub spec: Rc<BarSpec>,
    /// Snapshot that saved files link back to.
    pub snapshot: Rc<Snapshot>,
}

type Highlighted = (Rc<BarSpec>, Option<usize>);

fn paint((spec, highlighted): &Highlighted, canvas: &HtmlCanvasElement, style: &Style) {
    // If the canvas cannot be painted, the list remains.
    let _ = Sheet::from_page_canvas(canvas).and_then(|sheet| paint_bar(spec, &sheet, style, *highlighted));
}

/// The bar and the list. Pointing at a line of the list highlights its part of the bar, and the
/// other way round.
#[component]
pub fn MemoryBar(props: &MemoryBarProps) -> Html {
    let canvas = use_node_ref();
    let lit = use_state(|| None::<usize>);
    let what: Rc<Highlighted> = Rc::new((props.spec.clone(), *lit));
    let page = use_page();
    let size = use_painted(&canvas, &what, page.painted_theme(), Some(paint));
    let shown = Drawing::Bar(props.spec.clone());
    let data_row = use_data_row("memory", &shown, None, &props.snapshot, page.theme, size);
    let hover = {
        let (lit, spec) = (lit.clone(), props.spec.clone());
        Callback::from(move |event: PointerEvent| {
            let area = bar_area(&spec, size.width, size.height);
            lit.set(area.part_at(&spec, f64::from(event.offset_x())));
        })
    };
    let point = |place: Option<usize>| {
        let lit = lit.clone();
        Callback::from(move |_: PointerEvent| lit.set(place))
    };
    html! {
        <figure class="figure wide">
            <div class="figure-head"><h2>{ &props.spec.title }</h2></div>
            <div class="stage">
                <canvas ref={canvas} id="memory" class="bar" role="img" aria-label={describe::bar(&props.spec)}
                    onpointermove={hover} onpointerleave={point(None)} />
                if page.printing && size.width > 0.0 { { on_paper(&shown, size) } }
            </div>
            <figcaption class="caption">{ &props.spec.caption }</figcaption>
            { for props.spec.pins.iter().enumerate().map(|(place, pin)| pinned(&props.spec, place, pin)) }
            <ul class="parts">
                { for props.spec.parts.iter().enumerate().map(|(place, &(part, bytes))| html! {
                    <li class={classes!("asked", (bytes <= 0.0).then_some("none"), (*lit == Some(place)).then_some("lit"))}
                        onpointerenter={point(Some(place))} onpointerleave={point(None)}>
                        <svg class="sample" viewBox="0 0 22 12" aria-hidden="true">
                            <rect class={format!("part-{}", part as usize)} width="22" height="12" />
                        </svg>
                        <span class="part-name">{ props.spec.name(part) }</span>
                        <span>{ part_size(part, bytes) }</span>
                        <ExplainButton card={engine::names::part(part).card} what={props.spec.name(part).to_owned()} />
                    </li>
                }) }
            </ul>
            { data_row }
        </figure>
    }
}

/// Width of a pinned bar's drawing in its own units, for the scale of the main bar.
const ACROSS: f64 = 1000.0;

/// Renders the memory of a pinned scenario: a thin bar on the scale of the main bar, under its
/// name.
fn pinned(spec: &BarSpec, place: usize, pin: &PinnedBar) -> Html {
    let span = bar_area(spec, 0.0, 0.0).span;
    let at = |bytes: f64| format!("{:.1}", ACROSS * bytes / span);
    let mut start = 0.0;
    let parts: Vec<Html> = pin
        .parts
        .iter()
        .map(|&(part, bytes)| {
            let x = at(start);
            start += bytes;
            html! { <rect class={format!("part-{}", part as usize)} {x} width={at(bytes)} height="8" /> }
        })
        .collect();
    html! {
        <div class="pinned-bar">
            <p><b class={format!("badge badge-{place}")}>{ pin_letter(place) }</b>{ " " }{ bar(pin) }</p>
            <svg viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
                { for parts }
                <line x1={at(pin.capacity)} x2={at(pin.capacity)} y1="0" y2="8" />
            </svg>
        </div>
    }
}

/// Returns the text over the thin bar of a pinned scenario.
fn bar(pin: &PinnedBar) -> String {
    let [needed, capacity] = [pin.needed(), pin.capacity].map(Bytes::new);
    format!("{}: needs {}", unlettered(&pin.name), format::bytes_of(needed, capacity))
}

/// Returns the memory of a part as text; 0 for none.
pub fn gib(bytes: f64) -> String {
    format::bytes(Bytes::new(bytes))
}

/// Returns the memory of a part at the peak as text. A part of every step that is not alive at the
/// peak is described as such, rather than as zero.
pub fn part_size(part: MemoryPart, bytes: f64) -> String {
    let comes_and_goes = matches!(part, MemoryPart::Activations | MemoryPart::WorkingSet | MemoryPart::Logits);
    if bytes <= 0.0 && comes_and_goes { "not alive at the peak".to_owned() } else { gib(bytes) }
}
