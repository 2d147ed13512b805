//! A chart with everything around it: heading, finding, canvas, crosshair, readout, legend, data table.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::canvas::{Size, use_painted};
use super::data_table::data_table;
use super::legend::legend;
use crate::chart::layout::{PlotArea, plot_area};
use crate::chart::paint::{self, Style};
use crate::chart::palette::Theme;
use crate::chart::spec::ChartSpec;
use crate::chart::{describe, marks, readout, table};
use crate::decimal;
use crate::ui::state::Action;

/// A click within this distance of the place that is read out is there, in CSS pixels.
const SAME_SPOT: f64 = 1.5;

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The canvas's identifier.
    pub id: &'static str,
    /// The figure.
    pub spec: Rc<ChartSpec>,
    /// Light or dark.
    pub theme: Theme,
    /// Takes actions.
    pub emit: Callback<Action>,
    /// Takes what the status line should say.
    pub say: Callback<AttrValue>,
    /// The selects in the heading.
    #[prop_or_default]
    pub children: Html,
    /// What the readout says where nobody points, if it has nothing to say of the scenario on screen.
    #[prop_or_default]
    pub hint: &'static str,
    /// The card that is open.
    #[prop_or_default]
    pub why: &'static str,
    /// Takes the place of a mark that is clicked; without it a click sets the axes.
    #[prop_or_default]
    pub take: Option<Callback<usize>>,
    /// What stands under the legend.
    #[prop_or_default]
    pub foot: Html,
}

fn paint(spec: &ChartSpec, canvas: &HtmlCanvasElement, style: &Style) {
    // What nobody looks at keeps its last picture.
    if spec.lanes.as_ref().is_some_and(|lanes| lanes.marks.is_empty()) {
        return;
    }
    // A canvas that cannot be painted leaves the summary, the caption and the table.
    let _ = paint::paint_chart(spec, canvas, style, None);
}

/// The values of the axes that are parameters, at a place.
fn place(spec: &ChartSpec, (x, y): (f64, f64)) -> Action {
    let across = spec.x.key.map(|key| (key, spec.x.settled(x)));
    let up = spec.y.key.map(|key| (key, spec.y.settled(y)));
    Action::Place(across.into_iter().chain(up).collect())
}

/// How far an arrow key moves the crosshair, right and up.
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

/// Lines through a place; without a parameter up the figure only the one through x means something.
fn cross(area: &PlotArea, size: Size, (x, y): (f64, f64), over_both: bool) -> Html {
    let (x, y) = area.to_pixel(x, y);
    let [left, right, top, bottom] = [area.left, area.right(), area.top, area.bottom()].map(decimal::plain);
    let [x, y, width, height] = [x, y, size.width, size.height].map(|length| decimal::fixed(length, 2));
    html! {
        <svg class="cross" aria-hidden="true" viewBox={format!("0 0 {width} {height}")}>
            <line x1={x.clone()} x2={x.clone()} y1={top} y2={bottom} />
            if over_both {
                <line x1={left} x2={right} y1={y.clone()} y2={y.clone()} />
                <circle cx={x} cy={y} r="5" />
            }
        </svg>
    }
}

/// Hover or arrow keys move the crosshair; click or Enter sets the scenario there.
#[component]
pub fn Figure(props: &Props) -> Html {
    let canvas = use_node_ref();
    let at = use_state(|| None::<(f64, f64)>);
    let size = use_painted(&canvas, &props.spec, props.theme, paint);
    let area = plot_area(&props.spec, size.width, size.height);
    // What is looked at may have changed since.
    let shown = at.filter(|here| (props.spec.x.min..=props.spec.x.max).contains(&here.0));
    let hover = {
        let (at, area, spec) = (at.clone(), area.clone(), props.spec.clone());
        Callback::from(move |event: PointerEvent| {
            let place = area.to_data(f64::from(event.offset_x()), f64::from(event.offset_y()));
            at.set(place.map(|place| marks::snapped(&spec, place)));
        })
    };
    let leave = {
        let at = at.clone();
        Callback::from(move |_: PointerEvent| at.set(None))
    };
    let act = {
        let (take, emit, spec) = (props.take.clone(), props.emit.clone(), props.spec.clone());
        move |here| match take.as_ref().zip(marks::nearest(&spec, here)) {
            Some((take, mark)) => take.emit(mark),
            None => emit.emit(place(&spec, here)),
        }
    };
    let pick = {
        let (at, act, area) = (at.clone(), act.clone(), area.clone());
        Callback::from(move |event: MouseEvent| {
            let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
            // A click is rounded to another pixel than the pointer was: what is read out there counts.
            let read = at.filter(|&(across, up)| {
                let (left, top) = area.to_pixel(across, up);
                (left - x).abs() <= SAME_SPOT && (top - y).abs() <= SAME_SPOT
            });
            if let Some(here) = read.or_else(|| area.to_data(x, y)) {
                act(here);
            }
        })
    };
    let key = {
        let (at, say) = (at.clone(), props.say.clone());
        let (spec, area) = (props.spec.clone(), area.clone());
        Callback::from(move |event: KeyboardEvent| {
            let middle = area.to_data(area.left + area.width / 2.0, area.top + area.height / 2.0);
            let from = shown.or(spec.here).or(middle);
            match (event.key().as_str(), arrow(&event), from) {
                ("Escape", ..) => at.set(None),
                ("Enter" | " ", _, Some(here)) => {
                    event.prevent_default();
                    act(here);
                }
                (_, Some((right, up)), Some(here)) => {
                    event.prevent_default();
                    let next = if let Some(lanes) = &spec.lanes {
                        lanes.step(here, right, up).unwrap_or(here)
                    } else {
                        marks::step(&spec, here, right, up).unwrap_or_else(|| area.step(here, right, up))
                    };
                    say.emit(readout::readout(&spec, next.0, next.1).sentence.into());
                    at.set(Some(next));
                }
                _ => {}
            }
        })
    };
    // Values of lines stand in the legend; where nobody points, they are those of the scenario on screen.
    let resting = props.spec.here.filter(|_| props.spec.field.is_none());
    let said = shown.or(resting).map(|(x, y)| readout::readout(&props.spec, x, y));
    let (place, entries) = said.map_or_else(Default::default, |said| (said.place, said.entries));
    let (listed, unlisted): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.role.is_some());
    let lanes = props.spec.lanes.as_ref().map(|lanes| format!("lanes-{}", lanes.shown.len()));
    let listing = props.spec.field.is_none() && lanes.is_none();
    let over_both = props.spec.y.key.is_some() || !props.spec.marks.is_empty();
    html! {
        <figure class={classes!("figure", lanes)}>
            <div class="figure-head">
                <h2>{ &props.spec.title }</h2>
                <div class="axes">{ props.children.clone() }</div>
            </div>
            <figcaption class="caption">{ &props.spec.caption }</figcaption>
            <div class="stage">
                <canvas ref={canvas} id={props.id} class="pick" role="img" tabindex="0"
                    aria-label={describe::chart(&props.spec)} onpointermove={hover} onpointerleave={leave}
                    onclick={pick} onkeydown={key} />
                { shown.map(|here| cross(&area, size, here, over_both)).unwrap_or_default() }
            </div>
            if place.is_empty() {
                <p class="readout deep hint">{ props.hint }</p>
            } else {
            <dl class={classes!("readout", (!listing).then_some("deep"))}>
                { for place.into_iter().chain(unlisted).map(|entry| html! {
                    <div><dt>{ entry.name }</dt>{ " " }<dd>{ entry.value }</dd></div>
                }) }
            </dl>
            }
            { legend(&props.spec, props.id, &listed, props.why, &props.emit) }
            { props.foot.clone() }
            { data_table({ let spec = props.spec.clone(); move || table::chart(&spec) }) }
        </figure>
    }
}
