//! Axes: ticks, their labels, grid lines, names, and the colour key of a field.

use super::PaintError;
use super::pen::{Align, Pen, Stroke, text_width};
use crate::layout::{PlotArea, share};
use crate::palette::{Theme, ramp, tokens};
use crate::spec::{Axis, ChartSpec, Field};
use engine::format;
use engine::params::Unit;
use engine::params::quantity::unit_label;
use engine::params::scale;

/// Left end of the vertical axis's name.
pub(super) const LEFT: f64 = 8.0;
/// Length of a tick.
const TICK: f64 = 4.0;
/// Room between two tick labels along the horizontal axis.
const BETWEEN: f64 = 10.0;
/// Room for one tick along each axis.
const PER_TICK: (f64, f64) = (38.0, 32.0);
/// The height of the colour key.
const KEY_HEIGHT: f64 = 8.0;
/// Number of patches that make up the colour key.
const KEY_PATCHES: usize = 32;

/// Draws ticks, labels and names, and grid lines where no field covers them.
pub(super) fn draw(pen: &mut Pen, spec: &ChartSpec, area: &PlotArea, theme: Theme) -> Result<(), PaintError> {
    let colours = tokens(theme);
    let (left, right, top, bottom) = (area.left, area.right(), area.top, area.bottom());
    let mut taken = f64::NEG_INFINITY;
    for value in ticks(&spec.x, area.width, PER_TICK.0) {
        let x = left + area.width * share(&spec.x, value);
        if spec.field.is_none() {
            pen.hairline((x, top), (x, bottom), colours.grid, 1.0)?;
        }
        pen.hairline((x, bottom), (x, bottom + TICK), colours.axis, 1.0)?;
        let label = format::tick(spec.x.unit, value);
        let half = text_width(&label) / 2.0;
        if x - half > taken + BETWEEN {
            taken = x + half;
            pen.text(&label, (x, bottom + 13.0), Align::Centre, colours.muted, false)?;
        }
    }
    pen.hairline((left, bottom), (right, bottom), colours.axis, 1.0)?;
    pen.text(&name(&spec.x), (right, bottom + 32.0), Align::Right, colours.text, false)?;
    if spec.lanes.is_some() || spec.falls.is_some() {
        return Ok(());
    }
    for value in ticks(&spec.y, area.height, PER_TICK.1) {
        let y = bottom - area.height * share(&spec.y, value);
        if spec.field.is_none() {
            pen.hairline((left, y), (right, y), colours.grid, 1.0)?;
        }
        pen.hairline((left - TICK, y), (left, y), colours.axis, 1.0)?;
        let label = format::tick(spec.y.unit, value);
        pen.text(&label, (left - TICK - 4.0, y), Align::Right, colours.muted, false)?;
    }
    pen.hairline((left, top), (left, bottom), colours.axis, 1.0)?;
    let whole = name(&spec.y);
    let room = key_left(spec, area) - 2.0 * BETWEEN;
    let own = if text_width(&whole) < room { &whole } else { &spec.y.label };
    pen.text(own, (LEFT, top / 2.0 - 1.0), Align::Left, colours.text, false)?;
    match &spec.field {
        Some(field) => key(pen, spec, field, area, theme),
        None => Ok(()),
    }
}

/// Returns round values for about four to seven ticks.
fn ticks(axis: &Axis, length: f64, each: f64) -> Vec<f64> {
    let most = (length / each).clamp(3.0, 7.0) as usize;
    scale::ticks(axis.scale, axis.min, axis.max, most)
}

/// Returns an axis's name with its unit.
pub(super) fn name(axis: &Axis) -> String {
    match (axis.unit, unit_label(axis.unit)) {
        (Unit::Params, _) => format!("{} (parameters)", axis.label),
        (_, "") => axis.label.clone(),
        (_, unit) => format!("{} ({unit})", axis.label),
    }
}

/// Returns the left end of the colour key with its label; the end of the plot if there is no key.
fn key_left(spec: &ChartSpec, area: &PlotArea) -> f64 {
    let Some(field) = &spec.field else { return area.right() };
    let high = format::value(spec.value.unit, field.high);
    let label = format!("{} {}", field.label, format::tick(spec.value.unit, field.low));
    area.right() - text_width(&high) - key_width(area) - text_width(&label) - 12.0
}

/// Returns the width of the colour key.
fn key_width(area: &PlotArea) -> f64 {
    if area.width < 400.0 { 64.0 } else { 112.0 }
}

/// Draws the colour key, above the plot at the right.
fn key(pen: &mut Pen, spec: &ChartSpec, field: &Field, area: &PlotArea, theme: Theme) -> Result<(), PaintError> {
    let colours = tokens(theme);
    let width = key_width(area);
    let middle = area.top / 2.0 - 1.0;
    let high = format::value(spec.value.unit, field.high);
    let low = format::tick(spec.value.unit, field.low);
    let right = area.right() - text_width(&high) - 6.0;
    let left = right - width;
    pen.text(&high, (area.right(), middle), Align::Right, colours.muted, false)?;
    let label = format!("{} {low}", field.label);
    pen.text(&label, (left - 6.0, middle), Align::Right, colours.text, false)?;
    let patch = width / KEY_PATCHES as f64;
    let (top, bottom) = (middle - KEY_HEIGHT / 2.0, middle + KEY_HEIGHT / 2.0);
    for at in 0..KEY_PATCHES {
        let x = left + at as f64 * patch;
        let colour = ramp(theme, (at as f64 + 0.5) / KEY_PATCHES as f64);
        // Each patch extends to the right end, so that no seam shows between two patches.
        pen.fill((x, top), (right, bottom), colour, 1.0)?;
    }
    pen.outline((left, top), (right, bottom), Stroke::solid(colours.axis, 0.75))
}
