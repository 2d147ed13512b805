//! Gestures of a pointer on a figure: it points, drags the ring of the run, or drags to zoom.

use super::narrow::{Spot, is_drag};

/// The state of a gesture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pointer {
    /// The place of the press, while the pointer is down.
    pressed: Option<Spot>,
    /// Whether the last press has become a drag. The click that ends a drag is ignored.
    dragged: bool,
    /// Whether the press was on the ring of the run.
    holds_ring: bool,
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
    pub(super) fn press(&mut self, spot: Spot, can_drag: bool, holds_ring: bool) {
        *self = Self { pressed: can_drag.then_some(spot).or(self.pressed), dragged: false, holds_ring };
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
        pointer.press(FROM, can_drag, holds_ring);
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
        pointer.press(FROM, true, false);
        assert!(!pointer.has_dragged());
    }
}
