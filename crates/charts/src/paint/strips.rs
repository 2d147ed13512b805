//! Zones of curves: shaded strips of the horizontal axis, with their names.

use super::geometry::Rect;
use super::labels::{LINE, Room, size_of};
use super::pen::{Pen, Stroke};
use super::{PaintError, hatch, lines};
use crate::layout::PlotArea;
use crate::palette::{Rgb, Theme, limiter, tokens};
use crate::spec::{ChartSpec, Zone, ZoneKind};
use engine::model::report::Limiter;

/// Opacity of the shade of a strip.
const SHADE: f64 = 0.08;
/// Opacity of the line at the end of a strip.
const EDGE: f64 = 0.55;
/// Width of a strip below which it has no name.
const NARROW: f64 = 16.0;
/// Distance of a name from the upper or the lower end of the plot.
const MARGIN: f64 = 5.0;

/// Returns the strip of a zone.
fn strip(zone: &Zone, area: &PlotArea) -> Option<Rect> {
    let (from, to) = zone.span?;
    let across = |value: f64| area.to_pixel(value, 0.0).0.max(area.left).min(area.right());
    let (left, right) = (across(from), across(to));
    (left < right).then_some(Rect { left, top: area.top, right, bottom: area.bottom() })
}

fn colour(zone: &Zone, theme: Theme) -> Rgb {
    limiter(
        theme,
        match zone.kind {
            ZoneKind::DoesNotFit | ZoneKind::MemoryBound => Limiter::Memory,
            ZoneKind::NetworkBound => Limiter::InterNode,
            ZoneKind::ComputeBound => Limiter::Compute,
        },
    )
}

/// Shades the strips, under everything else.
pub(super) fn shade(pen: &mut Pen, spec: &ChartSpec, area: &PlotArea, theme: Theme) -> Result<(), PaintError> {
    for zone in &spec.zones {
        let Some(rect) = strip(zone, area) else { continue };
        let corners = ((rect.left, rect.top), (rect.right, rect.bottom));
        if zone.kind == ZoneKind::DoesNotFit {
            pen.fill(corners.0, corners.1, tokens(theme).unfit, 1.0)?;
            let stroke = Stroke::solid(tokens(theme).hatch, 1.0);
            hatch::in_rect(area, &rect).iter().try_for_each(|line| pen.line(line, stroke))?;
        } else {
            pen.fill(corners.0, corners.1, colour(zone, theme), SHADE)?;
        }
        for x in [rect.left, rect.right].into_iter().filter(|&x| area.left < x && x < area.right()) {
            pen.hairline((x, rect.top), (x, rect.bottom), colour(zone, theme), EDGE)?;
        }
    }
    Ok(())
}

/// Draws the names of the strips: at the upper end, or else at the lower end, in the middle of the
/// strip as far as there is room.
pub(super) fn name(
    pen: &mut Pen,
    spec: &ChartSpec,
    area: &PlotArea,
    theme: Theme,
    room: &mut Room,
) -> Result<(), PaintError> {
    for zone in &spec.zones {
        let Some(rect) = strip(zone, area).filter(|rect| rect.right - rect.left >= NARROW) else { continue };
        let both = [zone.name.as_str(), zone.reason.as_str()];
        let texts = if zone.reason.is_empty() { &both[..1] } else { &both[..] };
        let (width, height) = size_of(texts);
        let left = (rect.middle().0 - 0.5 * width).max(area.left + MARGIN).min(area.right() - width - MARGIN);
        let at = |top: f64| Rect { left, top, right: left + width, bottom: top + height };
        let top = area.top + MARGIN;
        let tops = [top, top + LINE, top + 2.0 * LINE, area.bottom() - MARGIN - height];
        if let Some(place) = tops.into_iter().map(at).find(|place| room.is_clear(place)) {
            room.take(place);
            let colour = if zone.kind == ZoneKind::DoesNotFit { tokens(theme).muted } else { tokens(theme).text };
            lines::label(pen, texts, place, colour, theme)?;
        }
    }
    Ok(())
}
