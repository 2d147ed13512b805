//! Zooming: drags over a figure, and its keys, change the visible parts of its axes.

use crate::state::Action;
use crate::view::View;
use charts::layout::PlotArea;
use charts::spec::ChartSpec;
use charts::timeline::Zoom;
use charts::zoom::{self, VisibleRange};

/// Movement in CSS pixels up to which a press is a click.
const STILL: f64 = 6.0;
/// Height in CSS pixels below which a drag selects along the horizontal axis only.
const FLAT: f64 = 16.0;
/// Factor of one zoom step: a key press shows half, or twice as much.
const CLOSER: f64 = 0.5;

/// A place on the canvas, in CSS pixels.
pub(super) type Spot = (f64, f64);

/// The axes of a figure that can be zoomed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NarrowedAxes {
    /// Both axes of the map.
    Map,
    /// Both axes of the map of the best.
    Best,
    /// The horizontal axis of the curves.
    Curve,
    /// The time of the timeline.
    Timeline,
}

impl NarrowedAxes {
    /// Returns the view with these visible parts of the axes across and up; without parts, of the
    /// whole figure.
    fn with_parts(self, view: View, [across, up]: [Option<VisibleRange>; 2]) -> View {
        match self {
            Self::Map => View { map_part: [across, up], ..view },
            Self::Best => View { best_part: [across, up], ..view },
            Self::Curve => View { curve_part: across, ..view },
            Self::Timeline => {
                let zoom = across.map_or(Zoom::WHOLE, |part| Zoom { part: Some(part), ..view.zoom });
                View { zoom, ..view }
            }
        }
    }
}

/// The view, and the axes that are zoomed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Narrow {
    /// The present view.
    pub(super) view: View,
    /// The axes.
    pub(super) axes: NarrowedAxes,
}

impl Narrow {
    /// Returns the action that shows the whole figure.
    pub(super) fn reset(&self) -> Action {
        self.to([None; 2])
    }

    /// Whether only a part of the figure is shown.
    pub(super) fn is_narrow(&self) -> bool {
        self.axes.with_parts(self.view, [None; 2]) != self.view
    }

    fn to(&self, parts: [Option<VisibleRange>; 2]) -> Action {
        Action::ChangeView(self.axes.with_parts(self.view, parts))
    }

    /// Returns the action of a drag from one spot to another, if the drag selects anything.
    pub(super) fn select(&self, spec: &ChartSpec, area: &PlotArea, drag: (Spot, Spot)) -> Option<Action> {
        let ((left, top), (right, bottom)) = selected(area, spec.y.key.is_some(), drag);
        let (one, other) = (area.to_data(left, top)?, area.to_data(right, bottom)?);
        let across = zoom::between(&spec.x, one.0, other.0);
        let is_flat = spec.y.key.is_none() || is_flat(drag);
        let up = if is_flat { None } else { zoom::between(&spec.y, one.1, other.1) };
        // If the selected part of an axis is too small, the axis stays.
        let parts = [across.or(shown(spec, 0)), up.or(shown(spec, 1))];
        (across.is_some() || up.is_some()).then(|| self.to(parts))
    }

    /// Returns the action of a key, which zooms around a place.
    pub(super) fn key(&self, spec: &ChartSpec, key: &str, (x, y): (f64, f64)) -> Option<Action> {
        let factor = match key {
            "+" | "=" => CLOSER,
            "-" if self.is_narrow() => 1.0 / CLOSER,
            "0" => return Some(self.reset()),
            _ => return None,
        };
        let up = spec.y.key.and_then(|_| zoom::around(&spec.y, y, factor));
        let across = zoom::around(&spec.x, x, factor);
        (across.is_some() || up.is_some()).then(|| self.to([across.or(shown(spec, 0)), up.or(shown(spec, 1))]))
    }

    /// Returns the action that moves along a timeline by half of the visible part.
    pub(super) fn pan(&self, spec: &ChartSpec, right: i32) -> Option<Action> {
        let moved = zoom::moved(&spec.x, f64::from(right.signum()) * CLOSER)?;
        self.is_narrow().then(|| self.to([Some(zoom::pushed_in(moved, (0.0, 1.0))), None]))
    }
}

/// Returns the visible part of an axis, for an axis that stays.
fn shown(spec: &ChartSpec, axis: usize) -> Option<VisibleRange> {
    let axis = if axis == 0 { &spec.x } else { &spec.y };
    axis.key.and_then(|_| zoom::between(axis, axis.min, axis.max))
}

/// Whether a press has become a drag.
pub(super) fn is_drag((from, to): (Spot, Spot)) -> bool {
    (from.0 - to.0).abs() > STILL || (from.1 - to.1).abs() > STILL
}

/// Whether a drag selects along the horizontal axis only.
fn is_flat((from, to): (Spot, Spot)) -> bool {
    (from.1 - to.1).abs() < FLAT
}

/// Returns the corners of the selection of a drag: the whole height if the drag is flat, or if the
/// figure has no parameter up.
pub(super) fn selected(area: &PlotArea, over_both: bool, (from, to): (Spot, Spot)) -> (Spot, Spot) {
    let (left, right) = (from.0.min(to.0), from.0.max(to.0));
    let (top, bottom) = (from.1.min(to.1), from.1.max(to.1));
    let whole = !over_both || is_flat((from, to));
    let (top, bottom) = if whole { (area.top, area.bottom()) } else { (top, bottom) };
    let inside = |(x, y): Spot| (x.max(area.left).min(area.right()), y.max(area.top).min(area.bottom()));
    (inside((left, top)), inside((right, bottom)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use charts::layout::plot_area;
    use charts::views::{Scratch, feasible_region};
    use engine::params::ParamId;

    fn map() -> (ChartSpec, PlotArea, Narrow) {
        let spec = feasible_region(
            &default_scenario(),
            ParamId::SequenceLength,
            ParamId::ModelSize,
            false,
            &mut Scratch::with_grid(4, 4),
        );
        let area = plot_area(&spec, 640.0, 420.0);
        (spec, area, Narrow { view: View::default(), axes: NarrowedAxes::Map })
    }

    fn parts(action: Option<Action>) -> [Option<VisibleRange>; 2] {
        match action {
            Some(Action::ChangeView(view)) => view.map_part,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_drag_in_any_direction_selects_a_rectangle() {
        let (spec, area, narrow) = map();
        let (one, other) = (area.to_pixel(1100.0, 50e9), area.to_pixel(8200.0, 5e9));
        let wanted = [Some((1024.0, 8192.0)), Some((5e9, 50e9))];
        assert_eq!(parts(narrow.select(&spec, &area, (one, other))), wanted);
        assert_eq!(parts(narrow.select(&spec, &area, (other, one))), wanted);
        let outside = (area.to_pixel(1100.0, 50e9), (10_000.0, 10_000.0));
        assert_eq!(parts(narrow.select(&spec, &area, outside))[0], Some((1024.0, 131_072.0)));
    }

    #[test]
    fn a_flat_drag_selects_along_the_figure_alone() {
        let (spec, area, narrow) = map();
        let (left, top) = area.to_pixel(1100.0, 50e9);
        let drag = ((left, top), (left + 100.0, top + 4.0));
        let selected = parts(narrow.select(&spec, &area, drag));
        assert!(selected[0].is_some());
        assert_eq!(selected[1], Some((1.3e9, 310e9)));
        assert!(is_drag(drag) && !is_drag(((left, top), (left + 3.0, top - 3.0))));
        assert_eq!(narrow.select(&spec, &area, ((left, top), (left + 0.5, top))), None);
    }

    #[test]
    fn keys_look_closer_and_back() {
        let (spec, _, narrow) = map();
        let closer = parts(narrow.key(&spec, "+", (8192.0, 13e9)));
        assert!(closer.iter().all(Option::is_some));
        assert_eq!(narrow.key(&spec, "-", (8192.0, 13e9)), None);
        let narrow = Narrow { view: View { map_part: closer, ..narrow.view }, ..narrow };
        assert!(narrow.is_narrow() && narrow.key(&spec, "-", (8192.0, 13e9)).is_some());
        assert_eq!(narrow.key(&spec, "0", (8192.0, 13e9)), Some(Action::ChangeView(View::default())));
        assert_eq!(narrow.key(&spec, "a", (8192.0, 13e9)), None);
    }
}
