//! Named points: discs by their weight, hollow where they do not fit, with their names where there is room.

use super::PaintError;
use super::geometry::Rect;
use super::geometry::distance;
use super::labels::{Room, size_of};
use super::lines::label;
use super::pen::{Pen, Stroke};
use crate::layout::PlotArea;
use crate::palette::{Theme, line, tokens};
use crate::spec::{ChartSpec, Mark};
use plotters::prelude::DrawingBackend;

/// The radius of a disc without weight, and what all of the weight adds to its square: areas are compared, not widths.
const RADIUS: (f64, f64) = (3.5, 110.0);
/// The surface around a disc, so that it stands out on lines and other discs.
const EDGE: f64 = 1.5;
/// The width of a hollow disc's ring.
const RING: f64 = 2.0;
/// A name so far from its disc is joined to it.
const LEADER: f64 = 8.0;
/// More marks than these have no names in the figure.
const NAMED: usize = 16;

/// The radius of more marks than those: there may be thousands.
const FINE: f64 = 2.25;

/// The radius of a mark, in CSS pixels.
fn radius(mark: &Mark, named: bool) -> f64 {
    let least = if named { RADIUS.0 } else { FINE };
    (least * least + RADIUS.1 * mark.weight).sqrt()
}

/// Keeps marks that have names free of the names of lines.
pub(super) fn reserve(spec: &ChartSpec, area: &PlotArea, room: &mut Room) {
    for mark in spec.marks.iter().filter(|_| spec.marks.len() <= NAMED) {
        let side = 2.0 * radius(mark, true);
        room.take(Rect::around(area.to_pixel(mark.at.0, mark.at.1), side, side));
    }
}

/// Every mark, in order: later ones lie over earlier ones, so that views put the heaviest first.
pub(super) fn draw<B: DrawingBackend>(
    pen: &mut Pen<B>,
    spec: &ChartSpec,
    area: &PlotArea,
    theme: Theme,
    room: &mut Room,
) -> Result<(), PaintError> {
    let surface = tokens(theme).surface;
    let spot = |mark: &Mark| area.to_pixel(mark.at.0, mark.at.1);
    let named = spec.marks.len() <= NAMED;
    for mark in &spec.marks {
        let (spot, radius) = (spot(mark), radius(mark, named));
        if named {
            pen.disc(spot, radius + EDGE, surface)?;
        }
        pen.disc(spot, radius, line(theme, mark.role))?;
        if !mark.fits {
            pen.disc(spot, radius - RING, surface)?;
        }
    }
    for mark in spec.marks.iter().filter(|mark| named && !mark.role.is_kind()) {
        let (at, radius) = (spot(mark), radius(mark, named));
        if let Some(place) = room.near(at, radius, size_of(&[&mark.name])) {
            let to = place.nearest(at);
            if distance(at, to) > radius + LEADER {
                pen.line(&[at, to], Stroke::solid(tokens(theme).muted, 1.0))?;
            }
            label(pen, &[&mark.name], place, tokens(theme).text, theme)?;
        }
    }
    Ok(())
}
