//! Draws the stacked bar: parts side by side, the capacity as a line across, and hatching over the
//! excess.

use super::PaintError;
use super::pen::{Align, Pen, Stroke, text_width};
use crate::layout::BarArea;
use crate::palette::{Rgb, Theme, part, readable, tokens};
use crate::spec::BarSpec;
use engine::format;
use engine::model::report::MemoryPart;
use engine::params::scale;
use engine::params::{Scale, Unit};
use engine::units::Bytes;

/// Distance between the hatching lines over the excess.
const GAP: f64 = 7.0;
/// Distance of the range's whiskers from the bar, and their height.
const WHISKER: f64 = 5.0;
/// Room at each side of a part's name.
const BESIDE: f64 = 4.0;
/// The height of the plate under a name.
const PLATE: f64 = 18.0;

/// Draws the bar; the `highlighted` part has an outline.
///
/// # Errors
///
/// Fails if the backend fails.
pub(super) fn draw_bar(
    pen: &mut Pen,
    spec: &BarSpec,
    area: &BarArea,
    theme: Theme,
    highlighted: Option<usize>,
) -> Result<(), PaintError> {
    let colours = tokens(theme);
    let (top, bottom) = (area.top, area.top + area.height);
    let mut start = 0.0;
    for (at, &(of, bytes)) in spec.parts.iter().enumerate() {
        let (left, right) = (area.to_pixel(start), area.to_pixel(start + bytes));
        start += bytes;
        let fill = part(theme, of);
        pen.fill((left, top), (right, bottom), fill, 1.0)?;
        if of == MemoryPart::Cache {
            hatch(pen, (left, right), (top, bottom), colours.surface)?;
        }
        pen.hairline((right, top), (right, bottom), colours.surface, 1.0)?;
        if highlighted == Some(at) {
            pen.outline((left, top), (right, bottom), Stroke::solid(colours.text, 2.0))?;
        }
    }
    let (limit, end) = (area.to_pixel(spec.capacity), area.to_pixel(start));
    hatch(pen, (limit, end), (top, bottom), colours.surface)?;
    whiskers(pen, spec, area, theme)?;
    part_names(pen, spec, area, theme)?;
    axis(pen, area, theme)?;
    pen.line(&[(limit, top - 8.0), (limit, bottom + 4.0)], Stroke::solid(colours.text, 2.0))?;
    let capacity = capacity(Bytes::new(spec.capacity), Bytes::new(spec.nominal));
    let half = text_width(&capacity) / 2.0;
    let middle = limit.max(area.left + half).min((area.left + area.width - half).max(area.left + half));
    pen.text(&capacity, (middle, top - 16.0), Align::Centre, colours.text, false)
}

/// Draws slanted lines over a part of the bar.
fn hatch(pen: &mut Pen, (left, right): (f64, f64), (top, bottom): (f64, f64), colour: Rgb) -> Result<(), PaintError> {
    let mut x = left + GAP;
    while x < right {
        pen.line(&[(x - GAP, bottom), (x, top)], Stroke::solid(colour, 1.5))?;
        x += GAP;
    }
    Ok(())
}

/// Draws the range of needed memory above the bar: 80 % of measurements lie within.
fn whiskers(pen: &mut Pen, spec: &BarSpec, area: &BarArea, theme: Theme) -> Result<(), PaintError> {
    let stroke = Stroke::solid(tokens(theme).muted, 1.0);
    let [low, high] = spec.range.map(|bytes| area.to_pixel(bytes));
    let y = area.top - WHISKER;
    for x in [low, high] {
        pen.line(&[(x, y - WHISKER / 2.0), (x, y + WHISKER / 2.0)], stroke)?;
    }
    pen.line(&[(low, y), (high, y)], stroke)
}

/// Returns the label of the line across: `79.1 GiB of 80 GiB usable`.
fn capacity(usable: Bytes, nominal: Bytes) -> String {
    if usable == nominal {
        return format!("{} capacity", format::bytes(nominal));
    }
    format!("{} of {} usable", format::bytes(usable), format::value(Unit::Gib, nominal.gib()))
}

/// Draws the names of the parts that have room: on the solid bar, or on a plate over the hatching.
fn part_names(pen: &mut Pen, spec: &BarSpec, area: &BarArea, theme: Theme) -> Result<(), PaintError> {
    let colours = tokens(theme);
    let middle = area.top + area.height / 2.0;
    let limit = area.to_pixel(spec.capacity);
    let mut start = 0.0;
    for &(of, bytes) in &spec.parts {
        let (left, right) = (area.to_pixel(start), area.to_pixel(start + bytes));
        start += bytes;
        let name = spec.name(of);
        let room = text_width(name) + 2.0 * BESIDE;
        let solid = right.min(limit);
        if solid - left > room {
            pen.text(name, (f64::midpoint(left, solid), middle), Align::Centre, readable(part(theme, of)), false)?;
        } else if right - left.max(limit) > room {
            let centre = f64::midpoint(left.max(limit), right);
            let (half, tall) = (room / 2.0, PLATE / 2.0);
            pen.fill((centre - half, middle - tall), (centre + half, middle + tall), colours.surface, 1.0)?;
            pen.text(name, (centre, middle), Align::Centre, colours.text, false)?;
        }
    }
    Ok(())
}

/// Draws ticks in GiB under the bar.
fn axis(pen: &mut Pen, area: &BarArea, theme: Theme) -> Result<(), PaintError> {
    let colours = tokens(theme);
    let bottom = area.top + area.height;
    let most = (area.width / 64.0).clamp(3.0, 7.0) as usize;
    for gib in scale::ticks(Scale::Linear, 0.0, Bytes::new(area.span).gib(), most) {
        let x = area.to_pixel(Bytes::from_gib(gib).get());
        pen.hairline((x, bottom), (x, bottom + 4.0), colours.axis, 1.0)?;
        let label = if gib == 0.0 { "0".to_string() } else { format::value(Unit::Gib, gib) };
        // Keep the last label inside the canvas.
        let middle = x.min(area.left + area.width - text_width(&label) / 2.0);
        let (x, align) = if gib == 0.0 { (x, Align::Left) } else { (middle, Align::Centre) };
        pen.text(&label, (x, bottom + 13.0), align, colours.muted, false)?;
    }
    Ok(())
}
