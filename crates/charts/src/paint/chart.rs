//! Draws a whole figure, in this order: hatching, axes, lines, names of zones, the scenario's mark,
//! the crosshair.

use super::geometry::{EDGE, HERE, Rect, Spot};
use super::labels::{Room, size_of};
use super::pen::{Pen, Stroke};
use super::pins::{self, BADGE, Badge};
use super::{PaintError, axes, falls, hatch, lanes, lines, marks, stack, strips};
use crate::layout::PlotArea;
use crate::palette::{Rgb, Theme, line, tokens};
use crate::spec::{ChartSpec, Field, LineRole, Zone, ZoneKind};

/// Draws everything except the image of the field, which is under it.
///
/// # Errors
///
/// Fails if the backend fails.
pub(super) fn draw_chart(
    pen: &mut Pen,
    spec: &ChartSpec,
    area: &PlotArea,
    theme: Theme,
    crosshair: Option<(f64, f64)>,
) -> Result<(), PaintError> {
    let mut room = Room::new(lines::rect(area));
    if let Some(field) = &spec.field {
        hatching(pen, field, area, theme)?;
    }
    strips::shade(pen, spec, area, theme)?;
    axes::draw(pen, spec, area, theme)?;
    if let Some(lanes) = &spec.lanes {
        return lanes::draw(pen, lanes, area, theme);
    }
    if let Some(falls) = &spec.falls {
        return falls::draw(pen, falls, area, theme);
    }
    if let Some(course) = &spec.course {
        stack::draw(pen, spec, course, area, theme)?;
    }
    let here = spec.here.map(|(x, y)| area.to_pixel(x, y));
    if let Some(here) = here {
        room.take(Rect::around(here, 4.0 * HERE, 4.0 * HERE));
    }
    marks::reserve(spec, area, &mut room);
    let pins = pins::badges(spec, area, here);
    for badge in &pins {
        room.take(Rect::around(badge.letter, 2.0 * BADGE, 2.0 * BADGE));
    }
    if spec.field.is_none() {
        for line in &spec.lines {
            lines::keep_free(line, area, &mut room);
        }
        strips::name(pen, spec, area, theme, &mut room)?;
        lines::draw(pen, spec, area, theme, &mut room, &[])?;
    } else {
        zoned(pen, spec, area, theme, &mut room)?;
    }
    marks::draw(pen, spec, area, theme, &mut room)?;
    if let (Some(course), Some(here)) = (&spec.course, here)
        && let Some(place) = room.near(here, 2.0 * HERE, size_of(&[&course.peak]))
    {
        lines::label(pen, &[&course.peak], place, tokens(theme).text, theme)?;
    }
    // The outermost ring first.
    for badge in pins.iter().rev() {
        pins::place_of(pen, badge, theme)?;
    }
    if let Some(here) = here {
        // On curves the mark has the colour of the scenario's own line.
        let own = spec.lines.iter().find(|line| line.role.is_own());
        let colour = own.map_or(tokens(theme).accent, |own| line(theme, own.role));
        mark(pen, here, theme, colour)?;
    }
    for &Badge { pin, letter, .. } in &pins {
        pins::letter(pen, pin, letter, theme)?;
    }
    match crosshair {
        Some(place) => cross(pen, spec, area, theme, place),
        None => Ok(()),
    }
}

fn hatching(pen: &mut Pen, field: &Field, area: &PlotArea, theme: Theme) -> Result<(), PaintError> {
    let stroke = Stroke::solid(tokens(theme).hatch, 1.0);
    hatch::hatching(field, area).iter().try_for_each(|line| pen.line(line, stroke))
}

/// Draws the lines of a figure with zones. The zones are named first, as the zones on both sides of
/// a boundary say what it is: then it needs no name of its own.
fn zoned(pen: &mut Pen, spec: &ChartSpec, area: &PlotArea, theme: Theme, room: &mut Room) -> Result<(), PaintError> {
    for line in &spec.lines {
        lines::keep_free(line, area, room);
    }
    let mut names: Vec<(Rect, &Zone, bool)> = Vec::new();
    for zone in &spec.zones {
        let place = spec.field.as_ref().and_then(|field| place_of(zone, field, room));
        names.extend(place.map(|(place, with_reason)| (place, zone, with_reason)));
    }
    let is_named = |kind| names.iter().any(|(_, zone, _)| zone.kind == kind);
    let mut unnamed = Vec::new();
    if is_named(ZoneKind::DoesNotFit) {
        unnamed.push(LineRole::MemoryFrontier);
    }
    if is_named(ZoneKind::NetworkBound) && is_named(ZoneKind::ComputeBound) {
        unnamed.push(LineRole::NetworkBoundary);
    }
    lines::draw(pen, spec, area, theme, room, &unnamed)?;
    for (place, zone, with_reason) in names {
        let texts = [name_in(zone, &place), zone.reason.as_str()];
        let texts = if with_reason { &texts[..] } else { &texts[..1] };
        let colour = if zone.kind == ZoneKind::DoesNotFit { tokens(theme).muted } else { tokens(theme).text };
        lines::label(pen, texts, place, colour, theme)?;
    }
    Ok(())
}

/// The shorter name of a zone for little room: "network" for "network-bound".
fn short(zone: &Zone) -> &str {
    zone.name.trim_end_matches("-bound")
}

/// Returns the name of a zone that has room in its place.
fn name_in<'a>(zone: &'a Zone, place: &Rect) -> &'a str {
    // Half a pixel is less than any letter, and more than sums of coordinates are off.
    if size_of(&[&zone.name]).0 < place.right - place.left + 0.5 { &zone.name } else { short(zone) }
}

/// Finds the place of a zone's name in a field, and whether its reason has room too.
fn place_of(zone: &Zone, field: &Field, room: &mut Room) -> Option<(Rect, bool)> {
    let mut place = |texts: &[&str]| room.within(field, zone.kind, size_of(texts));
    let both = [zone.name.as_str(), zone.reason.as_str()];
    let whole = if zone.reason.is_empty() { None } else { place(&both) };
    let alone = |place: Rect| (place, false);
    whole.map(|place| (place, true)).or_else(|| place(&both[..1]).or_else(|| place(&[short(zone)])).map(alone))
}

/// Draws the scenario's mark: a ring that is visible on every colour.
fn mark(pen: &mut Pen, at: Spot, theme: Theme, colour: Rgb) -> Result<(), PaintError> {
    let colours = tokens(theme);
    pen.disc(at, HERE + EDGE, colours.surface)?;
    pen.disc(at, HERE, colour)?;
    pen.disc(at, HERE - 3.0, colours.surface)
}

/// Draws the crosshair, with a dot on every curve that it crosses.
fn cross(pen: &mut Pen, spec: &ChartSpec, area: &PlotArea, theme: Theme, (x, y): (f64, f64)) -> Result<(), PaintError> {
    let colours = tokens(theme);
    let (left, top) = area.to_pixel(x, y);
    if !(area.left..=area.right()).contains(&left) {
        return Ok(());
    }
    pen.hairline((left, area.top), (left, area.bottom()), colours.text, 0.8)?;
    if spec.field.is_some() {
        pen.hairline((area.left, top), (area.right(), top), colours.text, 0.8)?;
        pen.disc((left, top), 3.5, colours.surface)?;
        return pen.disc((left, top), 2.5, colours.text);
    }
    for curve in spec.lines.iter().filter(|curve| curve.same_as.is_none() && !curve.role.is_stacked()) {
        if let Some((height, true)) = curve.at(x) {
            let spot = area.to_pixel(x, height);
            if spot.1 >= area.top {
                pen.disc(spot, 4.5, colours.surface)?;
                pen.disc(spot, 3.5, line(theme, curve.role))?;
            }
        }
    }
    Ok(())
}
