//! Positions of a chart's axes in its rectangle: the only mapping between pixels and data, shared
//! by painting, hover, click and the keyboard crosshair. Lengths are CSS pixels.

pub mod falls;
pub mod lanes;

use super::spec::{Axis, BarSpec, ChartSpec};
use engine::params::scale;

/// Room for the tick labels of the vertical axis.
const LEFT: f64 = 54.0;
/// Room for the axis's name and the colour key.
const TOP: f64 = 30.0;
/// Room for half of the last tick label.
const RIGHT: f64 = 18.0;
/// Room for tick labels and the axis's name.
const BOTTOM: f64 = 44.0;
/// The smallest side of a plot.
const SMALLEST: f64 = 16.0;
/// Steps of the keyboard crosshair across an axis.
const STEPS: f64 = 48.0;

/// The rectangle inside the axes, with the axes it maps to.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotArea {
    /// Distance from the left of the canvas.
    pub left: f64,
    /// Distance from the top of the canvas.
    pub top: f64,
    /// Width of the area.
    pub width: f64,
    /// Height of the area.
    pub height: f64,
    x: Axis,
    y: Axis,
}

/// Returns the plot area of a chart in a rectangle of this size.
pub fn plot_area(spec: &ChartSpec, css_width: f64, css_height: f64) -> PlotArea {
    // Lanes have their names above them, and no ticks.
    let (left, top, right) = match (&spec.lanes, &spec.falls) {
        (Some(_), _) => lanes::ROOM,
        (None, Some(_)) => falls::ROOM,
        (None, None) => (LEFT, TOP, RIGHT),
    };
    PlotArea {
        left,
        top,
        width: (css_width - left - right).max(SMALLEST),
        height: (css_height - top - BOTTOM).max(SMALLEST),
        x: spec.x.clone(),
        y: spec.y.clone(),
    }
}

impl PlotArea {
    /// Returns the right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Returns the bottom edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Converts data to pixels, also outside the axes.
    pub fn to_pixel(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + self.width * share(&self.x, x), self.bottom() - self.height * share(&self.y, y))
    }

    /// Converts pixels to data; `None` outside the axes.
    pub fn to_data(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let across = (x - self.left) / self.width;
        let up = (self.bottom() - y) / self.height;
        let inside = |at: f64| (0.0..=1.0).contains(&at);
        (inside(across) && inside(up)).then(|| (value(&self.x, across), value(&self.y, up)))
    }

    /// Moves the crosshair by whole keyboard steps, kept inside the axes.
    pub fn step(&self, (x, y): (f64, f64), right: i32, up: i32) -> (f64, f64) {
        let moved = |axis: &Axis, at: f64, steps: i32| {
            value(axis, (share(axis, at) + f64::from(steps) / STEPS).clamp(0.0, 1.0))
        };
        (moved(&self.x, x, right), moved(&self.y, y, up))
    }
}

/// Returns the position of a value on an axis, from 0 to 1 on the axis.
pub fn share(axis: &Axis, value: f64) -> f64 {
    scale::fraction_at(axis.scale, axis.min, axis.max, value)
}

/// Returns the value at a position from 0 to 1 on an axis.
pub fn value(axis: &Axis, share: f64) -> f64 {
    scale::value_at(axis.scale, axis.min, axis.max, share)
}

/// The rectangle of a memory bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarArea {
    /// Distance from the left of the canvas.
    pub left: f64,
    /// Distance from the top of the canvas.
    pub top: f64,
    /// Width of the whole scale.
    pub width: f64,
    /// Height of the bar.
    pub height: f64,
    /// Bytes that the width represents.
    pub span: f64,
}

/// Room above a bar, for the capacity's label.
const BAR_TOP: f64 = 26.0;
/// Room below a bar, for its ticks.
const BAR_BOTTOM: f64 = 24.0;
/// Room at the sides of a bar.
const BAR_SIDE: f64 = 8.0;
/// The scale extends beyond the capacity or the peak by this factor.
const BAR_BEYOND: f64 = 1.06;

/// Returns the area of a bar in a rectangle of this size.
pub fn bar_area(spec: &BarSpec, css_width: f64, css_height: f64) -> BarArea {
    let total: f64 = spec.parts.iter().map(|part| part.1).sum();
    let pinned = spec.pins.iter().fold(0.0_f64, |most, pin| most.max(pin.total()).max(pin.capacity));
    BarArea {
        left: BAR_SIDE,
        top: BAR_TOP,
        width: (css_width - 2.0 * BAR_SIDE).max(SMALLEST),
        height: (css_height - BAR_TOP - BAR_BOTTOM).max(SMALLEST),
        span: total.max(spec.capacity).max(pinned).max(spec.range[1]) * BAR_BEYOND,
    }
}

impl BarArea {
    /// Converts bytes to a horizontal position.
    pub fn to_pixel(&self, bytes: f64) -> f64 {
        self.left + self.width * bytes / self.span
    }

    /// Returns the index of the part at a pixel.
    pub fn part_at(&self, spec: &BarSpec, x: f64) -> Option<usize> {
        let bytes = (x - self.left) / self.width * self.span;
        let mut end = 0.0;
        spec.parts.iter().position(|part| {
            let start = end;
            end += part.1;
            (start..end).contains(&bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::{Scratch, feasible_region, memory_bar};
    use catalog::default_scenario;
    use engine::params::ParamId;

    #[test]
    fn pixels_and_data_are_each_other_s_inverse() {
        let spec = feasible_region(
            &default_scenario(),
            ParamId::SequenceLength,
            ParamId::ModelSize,
            false,
            &mut Scratch::with_grid(4, 4),
        );
        for (width, height) in [(640.0, 420.0), (343.0, 300.0)] {
            let area = plot_area(&spec, width, height);
            let (x, y) = area.to_pixel(8192.0, 13e9);
            let (seq, size) = area.to_data(x, y).unwrap();
            assert!((seq / 8192.0 - 1.0).abs() < 1e-9 && (size / 13e9 - 1.0).abs() < 1e-9);
            assert_eq!(area.to_data(0.0, 0.0), None);
            assert!(area.right() <= width && area.bottom() <= height);
        }
    }

    #[test]
    fn the_crosshair_stays_inside() {
        let spec = feasible_region(
            &default_scenario(),
            ParamId::SequenceLength,
            ParamId::ModelSize,
            false,
            &mut Scratch::with_grid(4, 4),
        );
        let area = plot_area(&spec, 640.0, 420.0);
        let corner = area.step((spec.x.min, spec.y.max), -3, 3);
        assert_eq!(corner, (spec.x.min, spec.y.max));
        let moved = area.step((8192.0, 13e9), 1, 0);
        assert!(moved.0 > 8192.0 && (moved.1 / 13e9 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn every_part_of_a_bar_can_be_pointed_at() {
        let spec = memory_bar(&default_scenario().report());
        let area = bar_area(&spec, 640.0, 100.0);
        let mut start = 0.0;
        for (at, (_, bytes)) in spec.parts.iter().enumerate().filter(|(_, part)| part.1 > 0.0) {
            assert_eq!(area.part_at(&spec, area.to_pixel(start + bytes / 2.0)), Some(at));
            start += bytes;
        }
        assert_eq!(area.part_at(&spec, 0.0), None);
    }
}
