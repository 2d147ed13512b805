//! The timeline of one step, with what zooms, moves and reads it.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::canvas::use_painted;
use super::data_table::data_table;
use super::figure::arrow;
use crate::chart::layout::lanes::{LaneArea, lane_area};
use crate::chart::paint::{self, Style};
use crate::chart::palette::{Pattern, Theme, pattern};
use crate::chart::readout::Entry;
use crate::chart::timeline::{Level, TimelineSpec, Zoom, reading};
use crate::chart::{describe, names, table, views};
use crate::decimal;
use crate::model::report::{Lane, Work};
use crate::scenario::Scenario;
use crate::ui::effects;
use crate::ui::text;
use crate::units::Seconds;

/// What to show.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The choices.
    pub scenario: Scenario,
    /// Light or dark.
    pub theme: Theme,
    /// Takes what the status line should say.
    pub say: Callback<AttrValue>,
}

/// A lane and a time on it.
type Place = (Lane, Seconds);

/// How much closer one key press looks.
const CLOSER: f64 = 0.5;

fn paint(spec: &TimelineSpec, canvas: &HtmlCanvasElement, style: &Style) {
    // What nobody looks at keeps its last picture; a canvas that cannot be painted leaves the description and the table.
    if !spec.marks.is_empty() {
        let _ = paint::paint_lanes(spec, canvas, style);
    }
}

/// The place that the pointer is at.
fn pointed(area: &LaneArea, event: &PointerEvent) -> Option<Place> {
    let lane = area.lane_at(f64::from(event.offset_y()))?;
    Some((lane, area.to_time(f64::from(event.offset_x()))))
}

/// The middle of the mark before or after a place on its lane; the end of the part that is looked at where there is none.
fn next(spec: &TimelineSpec, (lane, time): Place, forward: bool) -> Place {
    let (from, to) = spec.extent();
    let mark = if forward {
        spec.on(lane).find(|mark| mark.start > time)
    } else {
        spec.on(lane).rfind(|mark| mark.end <= time)
    };
    let middle = mark.map(|mark| (0.5 * (mark.start + mark.end)).max(from).min(to));
    (lane, middle.unwrap_or(if forward { to } else { from }))
}

/// The lane so many below another.
fn beside(spec: &TimelineSpec, lane: Lane, down: bool) -> Lane {
    let own = spec.lanes.iter().position(|one| *one == lane).unwrap_or(0);
    let other = if down { own + 1 } else { own.saturating_sub(1) };
    spec.lanes.get(other).copied().unwrap_or(lane)
}

/// A line through the time that is read out, and the bar's outline.
fn cross(spec: &TimelineSpec, area: &LaneArea, (lane, time): Place, width: f64) -> Html {
    let text = |length: f64| decimal::fixed(length, 2);
    let x = text(area.to_pixel(time));
    let outline = spec.at(lane, time).zip(area.bar(lane)).map(|(mark, (top, bottom))| {
        let (left, right) = (area.to_pixel(mark.start).max(area.left), area.to_pixel(mark.end).min(area.right()));
        html! {
            <rect x={text(left)} y={text(top)} width={text(right - left)} height={text(bottom - top)} />
        }
    });
    html! {
        <svg class="cross" aria-hidden="true" viewBox={format!("0 0 {} {}", text(width), text(area.height()))}>
            <line x1={x.clone()} x2={x} y1="0" y2={text(area.bottom())} />
            { outline.unwrap_or_default() }
        </svg>
    }
}

/// A kind of work's colour and pattern, with its name.
fn legend((work, _): &(Work, Seconds)) -> Html {
    let lines = match pattern(*work) {
        Pattern::Plain => "",
        Pattern::Hatched => "M0 6 6 0M2 12 14 0M10 12 22 0M18 12 22 8",
        Pattern::Ruled => "M0 3H22M0 9H22",
    };
    html! {
        <li>
            <svg class="sample" viewBox="0 0 22 12" aria-hidden="true">
                <rect class={format!("work-{}", *work as usize)} width="22" height="12" />
                <path class="over" d={lines} />
            </svg>
            { names::work(*work) }
        </li>
    }
}

/// A line of the readout.
fn line(class: &'static str, entry: Entry) -> Html {
    html! { <div {class}><dt>{ entry.name }</dt>{ " " }<dd>{ entry.value }</dd></div> }
}

/// Hover or arrow keys read, dragging moves, buttons and keys zoom.
#[component]
pub fn TimelineFigure(props: &Props) -> Html {
    let canvas = use_node_ref();
    let zoom = use_state_eq(|| Zoom::WHOLE);
    let at = use_state_eq(|| None::<Place>);
    // Where the pointer last was: what a button zooms in on. Where a drag has come to.
    let last = use_mut_ref(|| 0.0);
    let drag = use_mut_ref(|| None::<f64>);
    let seen = effects::use_seen(&canvas);
    let settled = effects::use_settled(&props.scenario);
    let spec = use_memo((settled, *zoom, seen), |(scenario, zoom, seen)| views::timeline(scenario, *zoom, *seen));
    let size = use_painted(&canvas, &spec, props.theme, paint);
    let area = Rc::new(lane_area(&spec, size.width));
    let look = {
        let (zoom, last) = (zoom.clone(), last.clone());
        Callback::from(move |level: Level| zoom.set(Zoom::Near(level, *last.borrow())))
    };
    let hover = {
        let (at, zoom, spec, area, last, drag) =
            (at.clone(), zoom.clone(), spec.clone(), area.clone(), last, drag.clone());
        Callback::from(move |event: PointerEvent| {
            let x = f64::from(event.offset_x());
            let from = *drag.borrow();
            if let Some(from) = from {
                if event.buttons() == 0 {
                    drag.replace(None);
                } else if from != x {
                    drag.replace(Some(x));
                    zoom.set(Zoom::Free(spec.window.moved((from - x) / area.width)));
                }
            }
            let place = pointed(&area, &event);
            if let Some((_, time)) = place {
                last.replace(time / spec.step);
            }
            at.set(place);
        })
    };
    let press = {
        let drag = drag.clone();
        Callback::from(move |event: PointerEvent| {
            drag.replace(Some(f64::from(event.offset_x())));
        })
    };
    let release = Callback::from(move |_: PointerEvent| {
        drag.replace(None);
    });
    let leave = {
        let (at, release) = (at.clone(), release.clone());
        Callback::from(move |event: PointerEvent| {
            release.emit(event);
            at.set(None);
        })
    };
    let whole = {
        let zoom = zoom.clone();
        Callback::from(move |_: MouseEvent| zoom.set(Zoom::WHOLE))
    };
    let key = {
        let (at, zoom, spec, say) = (at.clone(), zoom.clone(), spec.clone(), props.say.clone());
        Callback::from(move |event: KeyboardEvent| {
            let (from, to) = spec.extent();
            let here = at.unwrap_or((Lane::Compute, 0.5 * (from + to)));
            let share = here.1 / spec.step;
            let scaled = |factor: f64| Zoom::Free(spec.window.scaled(share, factor));
            match (event.key().as_str(), arrow(&event)) {
                ("Escape", _) => at.set(None),
                ("+" | "=", _) => zoom.set(scaled(CLOSER)),
                ("-", _) => zoom.set(scaled(1.0 / CLOSER)),
                ("0", _) => zoom.set(Zoom::WHOLE),
                (_, Some((right, up))) => {
                    event.prevent_default();
                    let there =
                        if up != 0 { (beside(&spec, here.0, up < 0), here.1) } else { next(&spec, here, right > 0) };
                    // At the end of what is shown, what follows is shown next.
                    if right != 0 && (there.1 <= from || there.1 >= to) {
                        zoom.set(Zoom::Free(spec.window.moved(if right > 0 { CLOSER } else { -CLOSER })));
                    }
                    say.emit(reading(&spec, there.0, there.1).sentence.into());
                    at.set(Some(there));
                }
                _ => {}
            }
        })
    };
    let said = at.map(|(lane, time)| reading(&spec, lane, time));
    let now = match *zoom {
        Zoom::Near(level, _) => Some(level),
        Zoom::Free(_) => None,
    };
    let lanes = AttrValue::from(format!("lanes-{}", spec.lanes.len()));
    html! {
        <figure class="figure wide timeline">
            <div class="figure-head">
                <h2>{ spec.title }</h2>
                <div class="axes" role="group" aria-label="Zoom">
                    { for Level::ALL.into_iter().zip(text::LEVELS).map(|(level, name)| html! {
                        <button type="button" class="small-button" aria-pressed={(now == Some(level)).to_string()}
                            onclick={look.reform(move |_: MouseEvent| level)}>{ name }</button>
                    }) }
                </div>
            </div>
            <figcaption class="caption">{ &spec.caption }</figcaption>
            <div class="stage">
                <canvas ref={canvas} id="timeline" class={lanes.clone()} role="img" tabindex="0"
                    aria-label={describe::timeline(&spec)} onpointermove={hover} onpointerdown={press}
                    onpointerup={release} onpointerleave={leave} ondblclick={whole} onkeydown={key} />
                { at.map(|place| cross(&spec, &area, place, size.width)).unwrap_or_default() }
            </div>
            if let Some(said) = said {
                <dl class={classes!("readout", lanes)}>
                    { for said.place.into_iter().map(|entry| line("", entry)) }
                    { for said.entries.into_iter().map(|entry| line("lane", entry)) }
                </dl>
            } else {
                <p class={classes!("readout", "hint", lanes)}>{ text::TIMELINE_HINT }{ " " }{ spec.part(*zoom) }</p>
            }
            <ul class="legend">{ for spec.sums.iter().map(legend) }</ul>
            { data_table({ let spec = spec.clone(); move || table::timeline(&spec) }) }
        </figure>
    }
}
