//! Where the lanes of a timeline stand in its rectangle. Lengths are CSS pixels.

use crate::chart::timeline::TimelineSpec;
use crate::model::report::Lane;
use crate::units::Seconds;

/// Room at the sides.
const SIDE: f64 = 8.0;
/// Room for the name of a lane above it.
const NAME: f64 = 18.0;
/// The height of a lane's bars.
const BAR: f64 = 24.0;
/// From one lane to the next; the style sheet's heights of a timeline are so many of it and [`AXIS`].
const LANE: f64 = 48.0;
/// Room for ticks and the axis's name.
const AXIS: f64 = 40.0;
/// The smallest width of a plot.
const SMALLEST: f64 = 16.0;

/// The rectangle of a timeline, and what its sides stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneArea {
    /// From the left of the canvas.
    pub left: f64,
    /// Its width.
    pub width: f64,
    /// The lanes from the top.
    lanes: Vec<Lane>,
    from: Seconds,
    length: Seconds,
}

/// The area of a timeline in a rectangle of this width.
pub fn lane_area(spec: &TimelineSpec, css_width: f64) -> LaneArea {
    let (from, to) = spec.extent();
    LaneArea {
        left: SIDE,
        width: (css_width - 2.0 * SIDE).max(SMALLEST),
        lanes: spec.lanes.clone(),
        from,
        length: to - from,
    }
}

impl LaneArea {
    /// The right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Below the last lane.
    pub fn bottom(&self) -> f64 {
        LANE * self.lanes.len() as f64
    }

    /// The height of the whole figure.
    pub fn height(&self) -> f64 {
        self.bottom() + AXIS
    }

    /// Where a time stands; outside of the part that is looked at too.
    pub fn to_pixel(&self, time: Seconds) -> f64 {
        self.left + self.width * ((time - self.from) / self.length)
    }

    /// The time at a pixel, kept inside.
    pub fn to_time(&self, x: f64) -> Seconds {
        self.from + ((x - self.left) / self.width).clamp(0.0, 1.0) * self.length
    }

    /// Top and bottom of a lane's bars; `None` for a lane that is not shown.
    pub fn bar(&self, lane: Lane) -> Option<(f64, f64)> {
        let place = self.lanes.iter().position(|own| *own == lane)?;
        let top = LANE * place as f64 + NAME;
        Some((top, top + BAR))
    }

    /// The lane at a pixel, with its name above it.
    pub fn lane_at(&self, y: f64) -> Option<Lane> {
        // A cast takes what is negative to 0.
        self.lanes.get((y / LANE) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::default_scenario;
    use crate::chart::timeline::Zoom;
    use crate::chart::views::timeline;

    #[test]
    fn every_mark_can_be_pointed_at() {
        let spec = timeline(&default_scenario(), Zoom::WHOLE, true);
        let area = lane_area(&spec, 640.0);
        assert!(spec.marks.len() > 50);
        for mark in &spec.marks {
            let (top, bottom) = area.bar(mark.lane).unwrap();
            assert_eq!(area.lane_at(f64::midpoint(top, bottom)), Some(mark.lane));
            let middle = area.to_time(area.to_pixel(0.5 * (mark.start + mark.end)));
            assert_eq!(spec.at(mark.lane, middle), Some(mark));
        }
        assert_eq!(area.lane_at(area.height()), None);
    }

    #[test]
    fn the_style_sheet_gives_every_number_of_lanes_its_height() {
        let page = include_str!("../../../static/page.css");
        assert!(page.contains(&format!("height: calc({LANE}px * var(--lanes) + {AXIS}px)")));
        for lanes in 1..=Lane::ALL.len() {
            assert!(page.contains(&format!(".lanes-{lanes} {{ --lanes: {lanes}; }}")), "{lanes} lanes");
        }
    }
}
