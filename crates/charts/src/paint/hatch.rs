//! Hatching: diagonal lines over the infeasible part of a field.

use super::geometry::{Rect, Spot};
use crate::layout::PlotArea;
use crate::spec::Field;
use analysis::boundary::{bilinear, clip};

/// Horizontal distance between lines.
const GAP: f64 = 9.0;
/// Distance between the samples of a line; the line ends where the interpolated margin is zero.
const STEP: f64 = 6.0;

/// Returns the bytes of memory missing at a point; negative where the run fits. The front is drawn
/// where they are zero, and so ends the colour.
pub(super) fn missing(field: &Field, area: &PlotArea, (x, y): Spot) -> f64 {
    let size = (field.columns, field.rows);
    let nodes = (field.columns.saturating_sub(1) as f64, field.rows.saturating_sub(1) as f64);
    // The grid is even on the axes' scales, so pixels map to nodes linearly.
    let node = ((x - area.left) / area.width * nodes.0, (area.bottom() - y) / area.height * nodes.1);
    -bilinear(size, node, |column, row| field.cell(column, row).map_or(f64::NAN, |cell| cell.margin))
}

/// Returns the lines of the hatching within a rectangle of a plot, in CSS pixels.
pub(super) fn in_rect(area: &PlotArea, rect: &Rect) -> Vec<Vec<Spot>> {
    let lines = ((area.width + area.height) / GAP) as usize;
    let within = |line: usize| {
        // From bottom left to top right: x + y is the same all along.
        let sum = area.left + area.top + line as f64 * GAP;
        let from = rect.left.max(sum - rect.bottom);
        let to = rect.right.min(sum - rect.top);
        (from < to).then(|| vec![(from, sum - from), (to, sum - to)])
    };
    (1..=lines).filter_map(within).collect()
}

/// Returns the lines of the hatching, in CSS pixels.
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
