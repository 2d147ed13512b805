//! Draws a whole figure, in this order: hatching, axes, lines, names of zones, the scenario's mark,
//! the crosshair.

use super::geometry::{EDGE, HERE, Rect, Spot};
use super::labels::{Room, size_of};
use super::pen::{Pen, Stroke};
use super::pins::{self, BADGE, Badge};
use super::{PaintError, axes, falls, hatch, lanes, lines, marks, stack};
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
    let named = lines::draw(pen, spec, area, theme, &mut room)?;
    marks::draw(pen, spec, area, theme, &mut room)?;
    if let (Some(course), Some(here)) = (&spec.course, here)
        && let Some(place) = room.near(here, 2.0 * HERE, size_of(&[&course.peak]))
    {
        lines::label(pen, &[&course.peak], place, tokens(theme).text, theme)?;
    }
    if let Some(field) = &spec.field {
        // The name of the boundary already names both sides.
        let sides_named = named.contains(&LineRole::NetworkBoundary);
        let shown = |zone: &&Zone| zone.kind == ZoneKind::DoesNotFit || !sides_named;
        let zones: Vec<&Zone> = spec.zones.iter().filter(shown).collect();
        name_zones(pen, &zones, field, theme, &mut room)?;
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

/// Draws the names of the zones, with the reason if there is room.
fn name_zones(pen: &mut Pen, zones: &[&Zone], field: &Field, theme: Theme, room: &mut Room) -> Result<(), PaintError> {
    let colours = tokens(theme);
    for zone in zones {
        let both = [zone.name.as_str(), zone.reason.as_str()];
        let name = [zone.name.as_str()];
        // A shorter name for little room: "network" for "network-bound".
        let short = [zone.name.trim_end_matches("-bound")];
        let mut place = |texts: &[&str]| room.within(field, zone.kind, size_of(texts));
        let colour = if zone.kind == ZoneKind::DoesNotFit { colours.muted } else { colours.text };
        let whole = if zone.reason.is_empty() { None } else { place(&both) };
        match whole {
            Some(rect) => lines::label(pen, &both, rect, colour, theme)?,
            None => {
                for texts in [name, short] {
                    if let Some(rect) = place(&texts) {
                        lines::label(pen, &texts, rect, colour, theme)?;
                        break;
                    }
                }
            }
        }
    }
    Ok(())
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
