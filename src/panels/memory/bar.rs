//! The memory of one GPU by part: a stacked bar, and the same as a list.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::browser;
use crate::compare::unlettered;
use crate::components::canvas::use_painted;
use crate::components::data_table::{Drawing, on_paper, use_data_row};
use crate::components::explain_button::explain_button;
use crate::snapshot::Snapshot;
use crate::state::Action;
use charts::describe;
use charts::layout::bar_area;
use charts::paint::Style;
use charts::palette::Theme;
use charts::spec::{BarSpec, PinnedBar};
use charts_canvas::{Sheet, paint_bar};
use engine::format;
use engine::model::report::MemoryPart;
use engine::scenario::pins::pin_letter;
use engine::units::Bytes;

/// What to show.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The figure.
    pub spec: Rc<BarSpec>,
    /// What saved files lead back to.
    pub snapshot: Rc<Snapshot>,
    /// Light or dark.
    pub theme: Theme,
    /// The key of the explanation that is open.
    pub why: &'static str,
    /// Takes actions.
    pub emit: Callback<Action>,
}

type Highlighted = (Rc<BarSpec>, Option<usize>);

fn paint((spec, highlighted): &Highlighted, canvas: &HtmlCanvasElement, style: &Style) {
    // A canvas that cannot be painted leaves the list.
    let _ = Sheet::of_page(canvas).and_then(|sheet| paint_bar(spec, &sheet, style, *highlighted));
}

/// Pointing at a line of the list lights its part of the bar.
#[component]
pub fn MemoryBar(props: &Props) -> Html {
    let canvas = use_node_ref();
    let lit = use_state(|| None::<usize>);
    let what: Rc<Highlighted> = Rc::new((props.spec.clone(), *lit));
    let printing = browser::use_printing();
    let theme = if printing { Theme::Light } else { props.theme };
    let size = use_painted(&canvas, &what, theme, Some(paint));
    let shown = Drawing::Bar(props.spec.clone());
    let data_row = use_data_row("memory", &shown, None, &props.snapshot, props.theme, size);
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
                if printing && size.width > 0.0 { { on_paper(&shown, size) } }
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
                        { explain_button(engine::names::part(part).card, props.spec.name(part), props.why, &props.emit) }
                    </li>
                }) }
            </ul>
            { data_row }
        </figure>
    }
}

/// Units of the drawing across the scale of the bar above.
const ACROSS: f64 = 1000.0;

/// The memory of a pinned scenario: a thin bar on the scale of the one above, under its name.
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
            <p><b class={format!("chip chip-{place}")}>{ pin_letter(place) }</b>{ " " }{ bar(pin) }</p>
            <svg viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
                { for parts }
                <line x1={at(pin.capacity)} x2={at(pin.capacity)} y1="0" y2="8" />
            </svg>
        </div>
    }
}

/// Over the thin bar of a pinned scenario.
fn bar(pin: &PinnedBar) -> String {
    let [needed, capacity] = [pin.needed(), pin.capacity].map(Bytes::new);
    format!("{}: needs {}", unlettered(&pin.name), format::bytes_of(needed, capacity))
}

/// The memory of a part; 0 for none.
pub fn gib(bytes: f64) -> String {
    format::bytes(Bytes::new(bytes))
}

/// The memory of a part at the peak; what every step has, but not then, is said to be so rather
/// than to be nothing.
pub fn part_size(part: MemoryPart, bytes: f64) -> String {
    let comes_and_goes = matches!(part, MemoryPart::Activations | MemoryPart::WorkingSet | MemoryPart::Logits);
    if bytes <= 0.0 && comes_and_goes { "not alive at the peak".to_owned() } else { gib(bytes) }
}
