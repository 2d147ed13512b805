//! Positions of a waterfall's bars in the plot area. Lengths are CSS pixels.

use super::PlotArea;

/// Room left of the bars for their names, above and right of them.
pub(super) const ROOM: (f64, f64, f64) = (138.0, 4.0, 14.0);
/// Share of a row that its bar takes.
const SHARE: f64 = 0.72;
/// The highest bar.
const HIGHEST: f64 = 20.0;

/// Returns top and bottom of the bar in row `place` of `rows`.
pub fn bar(area: &PlotArea, place: usize, rows: usize) -> (f64, f64) {
    let row = area.height / rows.max(1) as f64;
    let middle = area.top + row * (place as f64 + 0.5);
    let half = 0.5 * (SHARE * row).min(HIGHEST);
    (middle - half, middle + half)
}
