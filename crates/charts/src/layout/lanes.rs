//! Positions of a timeline's lanes in the plot area. Lengths are CSS pixels.

use super::PlotArea;

/// Room left of the lanes, above and right of them.
pub(super) const ROOM: (f64, f64, f64) = (8.0, 0.0, 8.0);
/// Room for the name of a lane above it.
const NAME: f64 = 18.0;
/// Height of a lane's bars. The style sheet gives a timeline 48 per lane and 44 for the axis.
pub const BAR: f64 = 24.0;

/// Returns top and bottom of the bars of lane `place` among `lanes`.
pub fn bar(area: &PlotArea, place: usize, lanes: usize) -> (f64, f64) {
    let top = area.top + area.height / lanes.max(1) as f64 * place as f64 + NAME;
    (top, top + BAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::plot_area;
    use crate::timeline::Zoom;
    use crate::views::timeline;
    use catalog::default_scenario;

    #[test]
    fn every_mark_can_be_pointed_at() {
        let spec = timeline(&default_scenario(), Zoom::WHOLE, true);
        let lanes = spec.lanes.clone().unwrap();
        let area = plot_area(&spec, 640.0, 48.0 * lanes.shown.len() as f64 + 44.0);
        assert!(lanes.marks.len() > 50);
        for mark in &lanes.marks {
            let place = lanes.shown.iter().position(|lane| *lane == mark.lane).unwrap();
            let (top, bottom) = bar(&area, place, lanes.shown.len());
            let left = area.to_pixel(lanes.x(0.5 * (mark.start + mark.end)), 0.0).0;
            let (x, y) = area.to_data(left, f64::midpoint(top, bottom)).unwrap();
            assert_eq!(lanes.lane(y), Some(mark.lane));
            assert_eq!(lanes.at(mark.lane, lanes.time(x)), Some(mark));
        }
    }
}
