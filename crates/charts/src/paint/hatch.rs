//! Diagonal lines over the part of a field that does not fit.

use super::geometry::Spot;
use crate::layout::PlotArea;
use crate::spec::Field;
use engine::analysis::boundary::{bilinear, clip};

/// The distance between lines, along the horizontal.
const GAP: f64 = 9.0;
/// The distance at which a line looks at the field: it ends where free memory is zero, interpolated in between.
const STEP: f64 = 6.0;

/// Bytes of memory missing at a place; below zero where it fits.
pub(super) fn missing(field: &Field, area: &PlotArea, (x, y): Spot) -> f64 {
    let size = (field.columns, field.rows);
    let nodes = (field.columns.saturating_sub(1) as f64, field.rows.saturating_sub(1) as f64);
    // The grid is even on the axes' scales, so pixels and nodes differ by a factor alone.
    let node = ((x - area.left) / area.width * nodes.0, (area.bottom() - y) / area.height * nodes.1);
    -bilinear(size, node, |column, row| field.cell(column, row).map_or(f64::NAN, |cell| cell.free))
}

/// The lines of the hatching, in CSS pixels.
pub(super) fn hatching(field: &Field, area: &PlotArea) -> Vec<Vec<Spot>> {
    let lines = ((area.width + area.height) / GAP) as usize;
    (1..=lines)
        .flat_map(|line| {
            let across = line as f64 * GAP;
            let start = (across - area.height).max(0.0);
            let end = across.min(area.width);
            let steps = ((end - start) / STEP).ceil().max(1.0);
            // From bottom left to top right.
            let point = |at: usize| {
                let x = start + (end - start) * at as f64 / steps;
                (area.left + x, area.top + across - x)
            };
            let points: Vec<Spot> = (0..=steps as usize).map(point).collect();
            clip(&points, |spot| missing(field, area, spot))
        })
        .map(|line| line.first().into_iter().chain(line.last()).copied().collect())
        .collect()
}
