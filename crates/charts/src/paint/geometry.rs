//! Points, rectangles and the size of the scenario's mark, in CSS pixels.

/// Radius of the scenario's mark.
pub(super) const HERE: f64 = 6.0;
/// Width of the edge around the mark, which is visible on every colour.
pub(super) const EDGE: f64 = 2.0;

/// A point in CSS pixels.
pub(super) type Spot = (f64, f64);

/// Returns the distance between two points.
pub(super) fn distance(from: Spot, to: Spot) -> f64 {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    (x * x + y * y).sqrt()
}

/// A rectangle in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    /// Creates a rectangle around a centre.
    pub(super) fn around((x, y): Spot, width: f64, height: f64) -> Self {
        Self { left: x - width / 2.0, top: y - height / 2.0, right: x + width / 2.0, bottom: y + height / 2.0 }
    }

    /// Whether the distance to another rectangle is less than `distance`.
    pub(super) fn is_near(&self, other: &Self, distance: f64) -> bool {
        self.left < other.right + distance
            && other.left < self.right + distance
            && self.top < other.bottom + distance
            && other.top < self.bottom + distance
    }

    /// Whether another rectangle contains this one.
    pub(super) fn inside(&self, other: &Self) -> bool {
        self.left >= other.left && self.right <= other.right && self.top >= other.top && self.bottom <= other.bottom
    }

    /// Whether the rectangle contains a point.
    pub(super) fn holds(&self, (x, y): Spot) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// Returns the point of the rectangle nearest to another point.
    pub(super) fn nearest(&self, (x, y): Spot) -> Spot {
        (x.max(self.left).min(self.right), y.max(self.top).min(self.bottom))
    }

    /// Returns the corners.
    pub(super) fn corners(&self) -> [Spot; 4] {
        [(self.left, self.top), (self.right, self.top), (self.left, self.bottom), (self.right, self.bottom)]
    }

    /// Returns the centre.
    pub(super) fn middle(&self) -> Spot {
        (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom))
    }
}
