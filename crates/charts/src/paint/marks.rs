//! Draws marks: discs sized by weight, hollow if they do not fit, with names where there is room.

use super::PaintError;
use super::geometry::Rect;
use super::geometry::distance;
use super::labels::{Room, size_of};
use super::lines::label;
use super::pen::{Pen, Stroke};
use crate::layout::PlotArea;
use crate::palette::{Theme, line, tokens};
use crate::spec::{ChartSpec, Mark};

/// Radius of a disc of zero weight, and the addition of full weight to its square: areas are
/// compared, not widths.
const RADIUS: (f64, f64) = (3.5, 110.0);
/// Width of the surface-coloured edge around a disc, so that the disc is visible on lines and other
/// discs.
const EDGE: f64 = 1.5;
/// Line width of a hollow disc.
const RING: f64 = 2.0;
/// Distance from which a name is connected to its disc by a line.
const LEADER: f64 = 8.0;
/// Largest number of marks that are named in the figure.
const NAMED: usize = 16;

/// Radius of marks beyond that number: there may be thousands.
const FINE: f64 = 2.25;

/// Returns the radius of a mark, in CSS pixels.
fn radius(mark: &Mark, named: bool) -> f64 {
    let least = if named { RADIUS.0 } else { FINE };
    (least * least + RADIUS.1 * mark.weight).sqrt()
}

/// Reserves the space of named marks, so that names of lines avoid it.
pub(super) fn reserve(spec: &ChartSpec, area: &PlotArea, room: &mut Room) {
    for mark in spec.marks.iter().filter(|_| spec.marks.len() <= NAMED) {
        let side = 2.0 * radius(mark, true);
        room.take(Rect::around(area.to_pixel(mark.at.0, mark.at.1), side, side));
    }
}

/// Draws every mark in order. Later marks cover earlier ones, so views put the heaviest first.
pub(super) fn draw(
    pen: &mut Pen,
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
