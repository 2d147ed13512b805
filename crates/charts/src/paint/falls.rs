//! Draws a waterfall: a row for each part, with the name at the left, and a bar that starts where
//! the bar above ends.

use super::PaintError;
use super::geometry::Spot;
use super::pen::{Align, Pen, text_width};
use crate::layout::PlotArea;
use crate::layout::falls::bar;
use crate::names;
use crate::palette::{Theme, step_part, tokens};
use crate::spec::Falls;
use engine::format::THIN_SPACE;
use engine::model::step::waterfall::StepPart;

/// Left end of the names.
const NAMES: f64 = 4.0;
/// Distance between a bar and its value.
const BESIDE: f64 = 6.0;
/// Smallest width of a bar, so that it is visible.
const NARROWEST: f64 = 1.0;

/// Draws the rows.
pub(super) fn draw(pen: &mut Pen, falls: &Falls, area: &PlotArea, theme: Theme) -> Result<(), PaintError> {
    let colours = tokens(theme);
    let rows = falls.bars.len();
    for (place, fall) in falls.bars.iter().enumerate() {
        let (top, bottom) = bar(area, place, rows);
        let middle = f64::midpoint(top, bottom);
        let is_last = fall.part == StepPart::Useful;
        let left = area.to_pixel(fall.from, 0.0).0;
        let right = area.to_pixel(fall.from + fall.share, 0.0).0.max(left + NARROWEST);
        pen.text(names::step_part(fall.part), (NAMES, middle), Align::Left, colours.text, is_last)?;
        pen.fill((left, top), (right, bottom), step_part(theme, fall.part), 1.0)?;
        // From the end of this bar to the start of the next.
        if !is_last {
            let (next, _) = bar(area, place + 1, rows);
            pen.hairline((left, bottom), (left, next), colours.axis, 1.0)?;
        }
        let share = format!("{:.1}{THIN_SPACE}%", fall.share);
        let (at, align) = place_value((left, right), text_width(&share), middle, area);
        pen.text(&share, at, align, colours.text, is_last)?;
    }
    pen.hairline((area.left, area.top), (area.left, area.bottom()), colours.axis, 1.0)
}

/// Returns the place of a bar's value: left of the bar, or right of the bar if there is no room.
fn place_value((left, right): (f64, f64), width: f64, middle: f64, area: &PlotArea) -> (Spot, Align) {
    if left - BESIDE - width > area.left {
        ((left - BESIDE, middle), Align::Right)
    } else {
        ((right + BESIDE, middle), Align::Left)
    }
}
