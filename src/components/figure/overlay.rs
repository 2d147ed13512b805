//! Overlays of a chart under the pointer: the crosshair with its readout, or the rectangle of a
//! drag.

use yew::prelude::*;

use super::narrow::{Spot, selected};
use crate::browser::{self, Size};
use charts::layout::PlotArea;
use charts::readout::Entry;

/// Draws lines through a place; without a parameter up the figure only the vertical line has a
/// meaning.
pub(super) fn cross(area: &PlotArea, size: Size, (x, y): (f64, f64), over_both: bool) -> Html {
    let (x, y) = area.to_pixel(x, y);
    let [left, right, top, bottom] =
        [area.left, area.right(), area.top, area.bottom()].map(|value: f64| value.to_string());
    let [x, y, width, height] = [x, y, size.width, size.height].map(|length| format!("{length:.2}"));
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

/// Values of a readout, and its position.
#[derive(PartialEq, Properties)]
pub(super) struct TipProps {
    /// Position of the crosshair, in CSS pixels.
    pub(super) at: (f64, f64),
    /// Size of the chart.
    pub(super) size: Size,
    /// Names and values.
    pub(super) rows: Vec<Entry>,
}

/// The readout next to the crosshair, on the side with more room. Screen readers read the line
/// under the chart instead.
#[component]
pub(super) fn Tip(props: &TipProps) -> Html {
    let tip = use_node_ref();
    browser::use_beside(&tip, props.at, props.size);
    html! {
        <dl ref={tip} class="tip" aria-hidden="true">
            { for props.rows.iter().map(|row| html! { <div><dt>{ row.name.clone() }</dt>{ " " }<dd>{ row.value.clone() }</dd></div> }) }
        </dl>
    }
}

/// Draws the rectangle that a drag has selected so far.
pub(super) fn rectangle(area: &PlotArea, size: Size, over_both: bool, drag: (Spot, Spot)) -> Html {
    let ((left, top), (right, bottom)) = selected(area, over_both, drag);
    let [width, height] = [size.width, size.height].map(|length| format!("{length:.2}"));
    let [x, y, wide, high] = [left, top, right - left, bottom - top].map(|length| format!("{length:.2}"));
    html! {
        <svg class="cross" aria-hidden="true" viewBox={format!("0 0 {width} {height}")}>
            <rect {x} {y} width={wide} height={high} />
        </svg>
    }
}
