//! Gestures of a pointer on a figure: it points, drags the ring of the run, or drags to zoom. A
//! finger cannot hover, so its first tap reads and a second one at the same place sets the run.

use super::narrow::{Spot, is_drag};

/// Distance in CSS pixels within which a second tap of a finger means the place of the first.
const SAME_PLACE: f64 = 24.0;

/// The state of a gesture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pointer {
    /// The place of the press, while the pointer is down.
    pressed: Option<Spot>,
    /// Whether the last press has become a drag. The click that ends a drag is ignored.
    dragged: bool,
    /// Whether the press was on the ring of the run.
    holds_ring: bool,
    /// Whether the last press was a finger's.
    is_touch: bool,
    /// The place that the last tap of a finger read.
    read: Option<Spot>,
}

/// The effect of a click or a tap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Click {
    /// The crosshair goes there.
    Reads,
    /// The run goes to the place that was read.
    Sets(Spot),
}

/// The effect of a move or of the end of a gesture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gesture {
    /// The pointer only points.
    Points,
    /// The run is dragged along, or let go.
    Run,
    /// An area is selected, from one corner to the other.
    Area(Spot, Spot),
}

impl Pointer {
    /// Begins a gesture; only a pressed pointer can drag.
    pub(super) fn press(&mut self, spot: Spot, can_drag: bool, holds_ring: bool, is_touch: bool) {
        let pressed = can_drag.then_some(spot).or(self.pressed);
        *self = Self { pressed, dragged: false, holds_ring, is_touch, ..*self };
    }

    /// Whether the last press was a finger's.
    pub(super) fn is_touch(&self) -> bool {
        self.is_touch
    }

    /// Says what a click means. A mouse has read by hovering, so its click sets. A finger sets on
    /// the ring, or near the place that its last tap read; that place counts, as it was read.
    pub(super) fn click(&mut self, spot: Spot, on_ring: bool) -> Click {
        let is_near = |read: &Spot| (read.0 - spot.0).hypot(read.1 - spot.1) <= SAME_PLACE;
        let read = self.read.take().filter(is_near);
        if !self.is_touch || on_ring {
            return Click::Sets(spot);
        }
        if let Some(read) = read {
            return Click::Sets(read);
        }
        self.read = Some(spot);
        Click::Reads
    }

    /// Forgets the place that a tap read: the crosshair is gone, or the figure is another one.
    pub(super) fn forget(&mut self) {
        self.read = None;
    }

    /// Goes on with a gesture: a press becomes a drag once it has moved far enough.
    pub(super) fn move_to(&mut self, spot: Spot) -> Gesture {
        let Some(from) = self.pressed else { return Gesture::Points };
        self.dragged |= is_drag((from, spot));
        match self {
            Self { dragged: false, .. } => Gesture::Points,
            Self { holds_ring: true, .. } => Gesture::Run,
            _ => Gesture::Area(from, spot),
        }
    }

    /// Ends a gesture; one that was cancelled selects nothing.
    pub(super) fn end(&mut self, spot: Spot, is_cancelled: bool) -> Gesture {
        let (from, holds_ring) = (self.pressed.take(), core::mem::take(&mut self.holds_ring));
        match from {
            _ if !self.dragged => Gesture::Points,
            _ if holds_ring => Gesture::Run,
            Some(from) if !is_cancelled => Gesture::Area(from, spot),
            _ => Gesture::Points,
        }
    }

    /// Whether the last press became a drag.
    pub(super) fn has_dragged(&self) -> bool {
        self.dragged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: Spot = (10.0, 10.0);
    const NEAR: Spot = (12.0, 11.0);
    const FAR: Spot = (40.0, 60.0);

    fn pressed(can_drag: bool, holds_ring: bool) -> Pointer {
        let mut pointer = Pointer::default();
        pointer.press(FROM, can_drag, holds_ring, false);
        pointer
    }

    #[test]
    fn a_press_that_hardly_moves_is_a_click() {
        let mut pointer = pressed(true, true);
        assert_eq!((pointer.move_to(NEAR), pointer.end(NEAR, false)), (Gesture::Points, Gesture::Points));
        assert!(!pointer.has_dragged());
        assert_eq!(pressed(false, false).move_to(FAR), Gesture::Points);
    }

    #[test]
    fn a_drag_selects_an_area_unless_it_is_cancelled() {
        for is_cancelled in [false, true] {
            let mut pointer = pressed(true, false);
            assert_eq!(pointer.move_to(FAR), Gesture::Area(FROM, FAR));
            // A drag stays one, also near its beginning.
            assert_eq!(pointer.move_to(NEAR), Gesture::Area(FROM, NEAR));
            let end = if is_cancelled { Gesture::Points } else { Gesture::Area(FROM, FAR) };
            assert_eq!(pointer.end(FAR, is_cancelled), end);
            assert!(pointer.has_dragged());
            assert_eq!(pointer.move_to(FROM), Gesture::Points);
        }
    }

    #[test]
    fn a_drag_of_the_ring_moves_the_run_until_it_is_let_go() {
        let mut pointer = pressed(true, true);
        assert_eq!((pointer.move_to(FAR), pointer.end(FAR, true)), (Gesture::Run, Gesture::Run));
        // The pointer may leave the figure after it was let go.
        assert_eq!(pointer.end(FAR, true), Gesture::Points);
        pointer.press(FROM, true, false, false);
        assert!(!pointer.has_dragged());
    }

    fn tapped(pointer: &mut Pointer, spot: Spot, on_ring: bool) -> Click {
        pointer.press(spot, true, on_ring, true);
        pointer.end(spot, false);
        pointer.click(spot, on_ring)
    }

    #[test]
    fn a_finger_reads_first_and_sets_with_a_second_tap_at_the_same_place() {
        let mut pointer = Pointer::default();
        assert_eq!(tapped(&mut pointer, FROM, false), Click::Reads);
        assert_eq!(tapped(&mut pointer, NEAR, false), Click::Sets(FROM));
        // After that the next tap reads again.
        assert_eq!(tapped(&mut pointer, NEAR, false), Click::Reads);
        assert_eq!(tapped(&mut pointer, FAR, false), Click::Reads);
        assert_eq!(tapped(&mut pointer, FAR, false), Click::Sets(FAR));
    }

    #[test]
    fn a_tap_after_the_crosshair_is_gone_reads() {
        let mut pointer = Pointer::default();
        assert_eq!(tapped(&mut pointer, FROM, false), Click::Reads);
        pointer.forget();
        assert_eq!(tapped(&mut pointer, FROM, false), Click::Reads);
    }

    #[test]
    fn a_tap_on_the_ring_and_a_click_of_a_mouse_set() {
        let mut pointer = Pointer::default();
        assert_eq!(tapped(&mut pointer, FROM, true), Click::Sets(FROM));
        pointer.press(FAR, true, false, false);
        assert_eq!(pointer.click(FAR, false), Click::Sets(FAR));
        // A finger's reading does not outlive a click of the mouse.
        assert_eq!(tapped(&mut pointer, FROM, false), Click::Reads);
        pointer.press(FAR, true, false, false);
        assert_eq!((pointer.click(FAR, false), tapped(&mut pointer, FROM, false)), (Click::Sets(FAR), Click::Reads));
    }
}
