//! Effects of pointer and keyboard on a figure.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use super::narrow::{Narrow, Spot};
use super::pointer::{Click, Gesture, Pointer};
use crate::browser;
use crate::context::PageContext;
use crate::state::Action;
use charts::layout::PlotArea;
use charts::marks;
use charts::readout::{self, Readout};
use charts::spec::{AxisKey, ChartSpec};
use engine::scenario::Scenario;

/// Distance in CSS pixels within which a click counts as a click on the place of the readout.
const SAME_SPOT: f64 = 1.5;
/// Distance in CSS pixels from the ring of the run within which a press drags the run.
const REACH: f64 = 14.0;

/// A figure on screen, and what is pointed at.
pub(super) struct Input {
    /// The figure.
    pub(super) spec: Rc<ChartSpec>,
    /// The scenario that the figure is of: a place of a map is evaluated on it.
    pub(super) scenario: Scenario,
    /// Its plot area.
    pub(super) area: PlotArea,
    /// View and axes for zooming; `None` if the axes cannot be zoomed.
    pub(super) narrow: Option<Narrow>,
    /// Called with the index of a mark that is clicked; without it a click sets the axes.
    pub(super) take: Option<Callback<usize>>,
    /// Callbacks of the page.
    pub(super) page: PageContext,
    /// The place of the crosshair.
    pub(super) at: UseStateHandle<Option<(f64, f64)>>,
    /// The corners of the area that is being selected.
    pub(super) drag: UseStateHandle<Option<(Spot, Spot)>>,
    /// The gesture.
    pub(super) pointer: Rc<RefCell<Pointer>>,
}

impl Input {
    /// Returns the place of the crosshair, unless the axes have changed since.
    pub(super) fn shown(&self) -> Option<(f64, f64)> {
        self.at.filter(|here| (self.spec.x.min..=self.spec.x.max).contains(&here.0))
    }

    /// Follows a pointer event.
    pub(super) fn point(&self, event: &PointerEvent) {
        let spot = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let mut pointer = self.pointer.borrow_mut();
        match event.type_().as_str() {
            "pointerdown" => {
                let can_zoom = self.narrow.is_some();
                let can_drag = can_zoom && event.is_primary() && event.button() == 0;
                let is_touch = event.pointer_type() == "touch";
                pointer.press(spot, can_drag, can_zoom && self.is_on_ring(spot), is_touch);
                if can_drag {
                    browser::hold(event);
                }
            }
            "pointermove" => {
                let place = self.area.to_data(spot.0, spot.1);
                self.at.set(place.map(|place| marks::snapped(&self.spec, place)));
                match pointer.move_to(spot) {
                    Gesture::Points => {}
                    Gesture::Run => {
                        if let Some(place) = place {
                            self.emit(Action::Drag(self.values(place)));
                        }
                    }
                    Gesture::Area(from, to) => self.drag.set(Some((from, to))),
                }
            }
            kind => {
                match pointer.end(spot, kind != "pointerup") {
                    Gesture::Points => {}
                    Gesture::Run => self.emit(Action::EndGesture),
                    Gesture::Area(from, to) => {
                        let look = self.narrow.and_then(|narrow| narrow.select(&self.spec, &self.area, (from, to)));
                        if let Some(look) = look {
                            self.emit(look);
                        }
                    }
                }
                self.drag.set(None);
                // A finger that is lifted leaves the place that it read; a pen points no longer.
                let is_tap = pointer.is_touch() && !pointer.has_dragged() && kind != "pointercancel";
                if !is_tap && (kind != "pointerup" || event.pointer_type() != "mouse") {
                    pointer.forget();
                    self.at.set(None);
                }
            }
        }
    }

    /// Sets the scenario where the figure is clicked. The first tap of a finger only reads.
    pub(super) fn click(&self, event: &MouseEvent) {
        let mut pointer = self.pointer.borrow_mut();
        // The second click of a double-click has a meaning of its own.
        let is_double = self.narrow.is_some() && event.detail() > 1 && !pointer.is_touch();
        if pointer.has_dragged() || is_double {
            return;
        }
        let spot = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let on_ring = self.narrow.is_some() && self.is_on_ring(spot);
        // The readout of a reading is gone once the axes have changed.
        if self.shown().is_none() {
            pointer.forget();
        }
        let (x, y) = match pointer.click(spot, on_ring) {
            Click::Sets(spot) => spot,
            Click::Reads => return self.read(spot),
        };
        // A click may be rounded to another pixel than the last pointer move: the place of the
        // readout counts.
        let read = self.at.filter(|&(across, up)| {
            let (left, top) = self.area.to_pixel(across, up);
            (left - x).abs() <= SAME_SPOT && (top - y).abs() <= SAME_SPOT
        });
        if let Some(here) = read.or_else(|| self.area.to_data(x, y)) {
            self.act(here);
        }
        if pointer.is_touch() {
            self.at.set(None);
        }
    }

    /// Moves the crosshair to a place that a finger tapped.
    fn read(&self, (x, y): Spot) {
        let place = self.area.to_data(x, y).map(|place| marks::snapped(&self.spec, place));
        if let Some(place) = place {
            self.page.say.emit(self.readout(place).sentence.into());
        }
        self.at.set(place);
    }

    /// Reads the figure at a place.
    pub(super) fn readout(&self, place: (f64, f64)) -> Readout {
        readout::readout_of(&self.spec, &self.scenario, place)
    }

    /// Shows the whole axes, and takes back the clicks before. Two taps of a finger set the run:
    /// they are no double-click.
    pub(super) fn reset(&self, event: &MouseEvent) {
        if event.type_() == "dblclick" && self.pointer.borrow().is_touch() {
            return;
        }
        if let Some(narrow) = self.narrow {
            self.emit(Action::UndoChosenPlace);
            self.emit(narrow.reset());
        }
    }

    /// Moves the crosshair, sets the scenario or zooms by a key.
    pub(super) fn key(&self, event: &KeyboardEvent) {
        let Self { spec, area, narrow, at, .. } = self;
        let middle = area.to_data(area.left + area.width / 2.0, area.top + area.height / 2.0);
        let from = self.shown().or(spec.here).or(middle);
        match (event.key().as_str(), arrow(event), from) {
            ("Escape", ..) if at.is_none() => narrow.iter().for_each(|narrow| self.emit(narrow.reset())),
            ("Escape", ..) => at.set(None),
            ("Enter" | " ", _, Some(here)) => {
                event.prevent_default();
                self.act(here);
            }
            (_, Some(by), Some(here)) => {
                event.prevent_default();
                self.step(here, by);
            }
            (key, None, Some(here)) if !(event.ctrl_key() || event.meta_key() || event.alt_key()) => {
                if let Some(look) = narrow.and_then(|narrow| narrow.key(spec, key, here)) {
                    event.prevent_default();
                    self.emit(look);
                }
            }
            _ => {}
        }
    }

    /// Moves the crosshair by steps right and up; beyond the last span the timeline itself moves.
    fn step(&self, here: (f64, f64), (right, up): (i32, i32)) {
        let Self { spec, area, .. } = self;
        let next = match (&spec.lanes, &spec.falls) {
            (Some(lanes), _) => lanes.step(here, right, up),
            (None, Some(falls)) => falls.step(here, right, up),
            (None, None) => marks::step(spec, here, right, up).or_else(|| Some(area.step(here, right, up))),
        };
        if let Some(next) = next {
            self.page.say.emit(self.readout(next).sentence.into());
            self.at.set(Some(next));
        } else if let Some(look) = self.narrow.and_then(|narrow| narrow.pan(spec, right)) {
            self.emit(look);
        }
    }

    /// Takes the nearest mark, or sets the axes to a place.
    fn act(&self, here: (f64, f64)) {
        match self.take.as_ref().zip(marks::nearest(&self.spec, here)) {
            Some((take, mark)) => take.emit(mark),
            None => self.emit(Action::ChoosePlace(self.values(here))),
        }
    }

    fn emit(&self, action: Action) {
        self.page.emit.emit(action);
    }

    /// Returns the values, at a place, of the axes that are parameters.
    fn values(&self, (x, y): (f64, f64)) -> Vec<(AxisKey, f64)> {
        let across = self.spec.x.key.map(|key| (key, self.spec.x.settled(x)));
        let up = self.spec.y.key.map(|key| (key, self.spec.y.settled(y)));
        across.into_iter().chain(up).collect()
    }

    /// Whether a pointer is on the ring of the run, which only a map has.
    fn is_on_ring(&self, (x, y): Spot) -> bool {
        let here = self.spec.here.filter(|_| self.spec.y.key.is_some());
        let ring = here.map(|(across, up)| self.area.to_pixel(across, up));
        ring.is_some_and(|(left, top)| (left - x).hypot(top - y) <= REACH)
    }
}

/// Returns the steps by which an arrow key moves the crosshair, right and up.
fn arrow(event: &KeyboardEvent) -> Option<(i32, i32)> {
    let stride = if event.shift_key() { 6 } else { 1 };
    match event.key().as_str() {
        "ArrowLeft" => Some((-stride, 0)),
        "ArrowRight" => Some((stride, 0)),
        "ArrowUp" => Some((0, stride)),
        "ArrowDown" => Some((0, -stride)),
        _ => None,
    }
}
