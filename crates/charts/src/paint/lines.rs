//! Draws curves and boundaries, with their names next to them.

use super::geometry::{Rect, Spot};
use super::labels::{Room, size_of};
use super::path::clipped;
use super::pen::{Align, Pen, Stroke};
use super::{PaintError, hatch};
use crate::layout::PlotArea;
use crate::palette::{Theme, dashes, line, tokens, width};
use crate::spec::{ChartSpec, LineRole, Polyline};

/// Dot pattern of infeasible pieces.
const DOTS: &[f64] = &[2.0, 5.0];
/// Width of the dots: of the scenario's own strategy, and of the others.
const DOT_WIDTH: (f64, f64) = (3.0, 2.0);
/// Margin on each side of a line that crosses a field, in the surface's colour.
const CASING: f64 = 1.5;
/// Opacity of the band around a curve.
const BAND_OPACITY: f64 = 0.16;
/// Half the size of the cross at the end of a feasible piece.
const CROSS: f64 = 3.5;
/// Index of the top layer of lines.
const TOP_LAYER: u8 = 4;

/// Returns a plot area as a rectangle.
pub(super) fn rect(area: &PlotArea) -> Rect {
    Rect { left: area.left, top: area.top, right: area.right(), bottom: area.bottom() }
}

/// Converts pieces of a line to CSS pixels, clipped at the axes.
fn in_pixels(area: &PlotArea, pieces: &[Vec<(f64, f64)>]) -> Vec<Vec<Spot>> {
    let place = |piece: &Vec<(f64, f64)>| -> Vec<Spot> { piece.iter().map(|&(x, y)| area.to_pixel(x, y)).collect() };
    pieces.iter().flat_map(|piece| clipped(&place(piece), rect(area))).collect()
}

/// Returns the outline of the band around a piece of a line: along the top, then back along the
/// bottom.
fn around(area: &PlotArea, ((low, high), piece): ((f64, f64), &Vec<(f64, f64)>)) -> Vec<Spot> {
    let spot = |&(x, y): &(f64, f64), factor: f64| {
        let (left, top) = area.to_pixel(x, factor * y);
        (left.max(area.left).min(area.right()), top.max(area.top).min(area.bottom()))
    };
    piece.iter().map(|point| spot(point, high)).chain(piece.iter().rev().map(|point| spot(point, low))).collect()
}

/// Returns the layer of a line: the scenario's own line is over the others, a bound is over both.
fn layer(line: &Polyline) -> u8 {
    match line.role {
        LineRole::Choice(_)
        | LineRole::Baseline
        | LineRole::Ideal
        | LineRole::Reached
        | LineRole::Set(_)
        | LineRole::Held(_)
        | LineRole::Margin => 0,
        LineRole::NetworkBoundary | LineRole::Strong | LineRole::Network | LineRole::Equal => 1,
        LineRole::Best
        | LineRole::MemoryFrontier
        | LineRole::Enough
        | LineRole::Weak
        | LineRole::Roof
        | LineRole::Reserved => 2,
        LineRole::Current(_) | LineRole::Adaptive => 3,
        LineRole::Bound | LineRole::Pin(_) => TOP_LAYER,
    }
}

/// Keeps the points of a line free of names, before the line is drawn.
pub(super) fn keep_free(line: &Polyline, area: &PlotArea, room: &mut Room) {
    for piece in in_pixels(area, &line.segments).iter().chain(&in_pixels(area, &line.infeasible)) {
        room.avoid(piece);
    }
}

/// Draws every line, and its name if there is room (the legend has them all) and the line is none
/// of `unnamed`.
pub(super) fn draw(
    pen: &mut Pen,
    spec: &ChartSpec,
    area: &PlotArea,
    theme: Theme,
    room: &mut Room,
    unnamed: &[LineRole],
) -> Result<(), PaintError> {
    let mut drawn: Vec<(&Polyline, Vec<Vec<Spot>>)> = Vec::with_capacity(spec.lines.len());
    let in_layer = |at: u8| {
        let drawn = move |line: &&Polyline| line.same_as.is_none() && !line.role.is_stacked() && layer(line) == at;
        spec.lines.iter().filter(drawn)
    };
    for line in (0..=TOP_LAYER).flat_map(in_layer) {
        for piece in line.band.iter().flat_map(|&band| line.segments.iter().map(move |piece| (band, piece))) {
            pen.area(&around(area, piece), colour(theme, line), BAND_OPACITY)?;
        }
        let pieces = in_pixels(area, &line.segments);
        let dot = if line.role.is_own() { DOT_WIDTH.0 } else { DOT_WIDTH.1 };
        for piece in in_pixels(area, &line.infeasible) {
            let stroke = Stroke { colour: colour(theme, line), opacity: 0.9, width: dot, dashes: DOTS };
            pen.line(&piece, stroke)?;
        }
        for piece in &pieces {
            if spec.field.is_some() {
                let casing = Stroke::solid(tokens(theme).surface, width(line.role) + 2.0 * CASING);
                pen.line(piece, Stroke { opacity: 0.75, ..casing })?;
            }
            let stroke = Stroke {
                colour: colour(theme, line),
                opacity: 1.0,
                width: width(line.role),
                dashes: dashes(line.role),
            };
            pen.line(piece, stroke)?;
            room.avoid(piece);
        }
        // Where a line would be if it fitted is drawn too.
        for piece in in_pixels(area, &line.infeasible) {
            room.avoid(&piece);
        }
        ends(pen, line, area, theme)?;
        drawn.push((line, pieces));
    }
    // Guides are covered by marks, and so would their names be.
    let is_named = |line: &Polyline| !line.role.is_guide() && !unnamed.contains(&line.role);
    for (line, pieces) in drawn.into_iter().rev().filter(|(line, _)| is_named(line)) {
        let Some(longest) = pieces.iter().max_by(|one, other| one.len().cmp(&other.len())) else { continue };
        // The name of the frontier only holds on the hatched side.
        let hatched = |rect: &Rect| match (&spec.field, line.role) {
            (Some(field), LineRole::MemoryFrontier) => {
                rect.corners().into_iter().all(|corner| hatch::missing(field, area, corner) > 0.0)
            }
            _ => true,
        };
        let size = size_of(&[&line.name]);
        let at_end = if spec.field.is_none() { room.place_at_end(longest, size) } else { None };
        let place = at_end.or_else(|| room.place_next_to(longest, size, hatched));
        if let Some(place) = place {
            label(pen, &[&line.name], place, colour(theme, line), theme)?;
        }
    }
    Ok(())
}

/// Draws a cross where a curve stops fitting.
fn ends(pen: &mut Pen, line: &Polyline, area: &PlotArea, theme: Theme) -> Result<(), PaintError> {
    let starts = |point: &&(f64, f64)| {
        line.infeasible.iter().any(|piece| piece.first() == Some(point) || piece.last() == Some(point))
    };
    let both = line.segments.iter().flat_map(|piece| piece.first().into_iter().chain(piece.last()));
    for &(x, y) in both.filter(starts) {
        let (x, y) = area.to_pixel(x, y);
        let stroke = Stroke::solid(colour(theme, line), 2.0);
        pen.line(&[(x - CROSS, y - CROSS), (x + CROSS, y + CROSS)], stroke)?;
        pen.line(&[(x - CROSS, y + CROSS), (x + CROSS, y - CROSS)], stroke)?;
    }
    Ok(())
}

/// Draws lines of text on a patch of the surface colour, so that they are readable on every colour.
pub(super) fn label(
    pen: &mut Pen,
    texts: &[&str],
    place: Rect,
    colour: crate::palette::Rgb,
    theme: Theme,
) -> Result<(), PaintError> {
    pen.fill((place.left, place.top), (place.right, place.bottom), tokens(theme).surface, 0.88)?;
    let (x, middle) = place.middle();
    let first = middle - super::labels::LINE * (texts.len() as f64 - 1.0) / 2.0;
    for (at, text) in texts.iter().enumerate() {
        pen.text(
            text,
            (x, first + super::labels::LINE * at as f64),
            Align::Centre,
            colour,
            at == 0 && texts.len() > 1,
        )?;
    }
    Ok(())
}

fn colour(theme: Theme, of: &Polyline) -> crate::palette::Rgb {
    line(theme, of.role)
}
