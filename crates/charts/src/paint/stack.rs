//! Draws memory over a step: stacked layers, and the names of the parts of the step above them.

use super::geometry::{Rect, Spot};
use super::pen::{Align, Pen, text_width};
use super::{PaintError, axes};
use crate::layout::PlotArea;
use crate::palette::{Theme, line, tokens};
use crate::spec::{ChartSpec, Course, Span};

/// Distance from the plot up to the names of the parts.
const ABOVE: f64 = 9.0;
/// Smallest distance between two names.
const APART: f64 = 6.0;
/// Height of a line of text.
const LINE: f64 = 12.0;

/// Draws the layers, the boundaries between the parts of the step, and the parts' names where there
/// is room.
pub(super) fn draw(
    pen: &mut Pen,
    spec: &ChartSpec,
    course: &Course,
    area: &PlotArea,
    theme: Theme,
) -> Result<(), PaintError> {
    let mut below: Vec<(f64, f64)> = course.moments.iter().map(|moment| (moment.x, 0.0)).collect();
    for layer in spec.lines.iter().filter(|line| line.role.is_stacked()) {
        let Some(heights) = layer.segments.first() else { continue };
        let above: Vec<(f64, f64)> =
            below.iter().zip(heights).map(|(&(x, bottom), &(_, height))| (x, bottom + height)).collect();
        if heights.iter().any(|&(_, height)| height > 0.0) {
            let outline = above.iter().chain(below.iter().rev());
            let corners: Vec<Spot> = outline.map(|&(x, y)| area.to_pixel(x, y)).collect();
            pen.area(&corners, line(theme, layer.role), 1.0)?;
        }
        below = above;
    }
    for span in &course.spans {
        let x = area.to_pixel(span.start, 0.0).0;
        pen.hairline((x, area.top), (x, area.bottom()), tokens(theme).axis, 1.0)?;
    }
    for (name, at) in names(&course.spans, area, axis_name(spec, area)) {
        pen.text(name, at, Align::Centre, tokens(theme).muted, false)?;
    }
    Ok(())
}

/// Returns the room of the vertical axis's name.
fn axis_name(spec: &ChartSpec, area: &PlotArea) -> Rect {
    let right = area.left.min(axes::LEFT) + text_width(&axes::name(&spec.y));
    Rect { left: 0.0, top: 0.0, right, bottom: 0.5 * (area.top + LINE) }
}

/// Returns the names of the parts with their places, the longest parts first; a name without room
/// is left out.
fn names(spans: &[Span], area: &PlotArea, axis: Rect) -> Vec<(&'static str, Spot)> {
    let mut by_length: Vec<&Span> = spans.iter().collect();
    by_length.sort_by(|one, other| (other.end - other.start).total_cmp(&(one.end - one.start)));
    let y = area.top - ABOVE;
    let mut taken = vec![axis];
    let mut placed = Vec::new();
    for span in by_length {
        let middle = area.to_pixel(f64::midpoint(span.start, span.end), 0.0).0;
        let half = text_width(span.name) / 2.0;
        let x = middle.max(area.left + half).min(area.right() - half);
        let rect = Rect::around((x, y), 2.0 * half, LINE);
        if !taken.iter().any(|other| other.is_near(&rect, APART)) {
            taken.push(rect);
            placed.push((span.name, (x, y)));
        }
    }
    placed
}
