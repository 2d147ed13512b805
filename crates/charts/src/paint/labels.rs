//! Placement of labels: finds rectangles that overlap nothing placed before.

use super::geometry::{Rect, Spot, distance};
use super::pen::{TEXT, text_width};
use crate::spec::{Field, ZoneKind};

/// Room around the text of a label.
const MARGIN: f64 = 4.0;
/// Smallest distance between two labels.
const APART: f64 = 4.0;
/// Distances from its disc at which a label may be placed.
const AWAY: [f64; 6] = [APART, 16.0, 32.0, 48.0, 64.0, 84.0];
/// Distance of the label of a curve from the end of the curve.
const END: f64 = 6.0;
/// Largest distance between points of a line that are kept free: less than the height of a label.
const DENSE: f64 = 6.0;
/// The distance between lines of text.
pub(super) const LINE: f64 = 16.0;

/// Returns the size of lines of text.
pub(super) fn size_of(lines: &[&str]) -> (f64, f64) {
    let width = lines.iter().map(|line| text_width(line)).fold(0.0, f64::max);
    (width + 2.0 * MARGIN, TEXT + LINE * (lines.len() as f64 - 1.0) + MARGIN)
}

/// The occupied space of a plot.
#[derive(Clone, Debug)]
pub(super) struct Room {
    area: Rect,
    taken: Vec<Rect>,
    /// Points of lines that labels should not cover.
    avoided: Vec<Spot>,
}

impl Room {
    /// Creates an empty rectangle.
    pub(super) fn new(area: Rect) -> Self {
        Self { area, taken: Vec::new(), avoided: Vec::new() }
    }

    /// Keeps a rectangle free of labels.
    pub(super) fn take(&mut self, rect: Rect) {
        self.taken.push(rect);
    }

    /// Keeps the points of a line free of labels.
    pub(super) fn avoid(&mut self, points: &[Spot]) {
        for pair in points.windows(2) {
            let &[(x, y), to] = pair else { continue };
            let steps = (distance((x, y), to) / DENSE).ceil().max(1.0);
            let between = |step: usize| step as f64 / steps;
            let spot = |share: f64| (x + share * (to.0 - x), y + share * (to.1 - y));
            self.avoided.extend((0..steps as usize).map(between).map(spot));
        }
        self.avoided.extend(points.last());
    }

    fn is_free(&self, rect: &Rect) -> bool {
        rect.inside(&self.area) && !self.taken.iter().any(|taken| rect.is_near(taken, APART))
    }

    fn covers_line(&self, rect: &Rect) -> bool {
        self.avoided.iter().any(|&point| rect.holds(point))
    }

    /// Whether a rectangle is free and covers no line.
    pub(super) fn is_clear(&self, rect: &Rect) -> bool {
        self.is_free(rect) && !self.covers_line(rect)
    }

    /// Places the label of a curve near its right end, above or below, or else near its left end:
    /// there it stays while the curve moves.
    pub(super) fn place_at_end(&mut self, points: &[Spot], (width, height): (f64, f64)) -> Option<Rect> {
        let (first, last) = (points.first()?.0, points.last()?.0);
        let ends = [last - width - END, first + END, f64::midpoint(first, last) - 0.5 * width];
        let beside = |left: f64| {
            let over = |point: &&Spot| (left..=left + width).contains(&point.0);
            let heights = || points.iter().filter(over).map(|point| point.1);
            let (top, bottom) = (heights().fold(f64::INFINITY, f64::min), heights().fold(0.0, f64::max));
            let rows = [0.0, 0.5, 1.0, 2.0].map(|row| row * LINE);
            let above = rows.map(|row| top - height - APART - row);
            let below = rows.map(|row| bottom + APART + row);
            above.into_iter().zip(below).flat_map(|(above, below)| [above, below]).map(move |top| Rect {
                left,
                top,
                right: left + width,
                bottom: top + height,
            })
        };
        let place = ends.into_iter().flat_map(beside).find(|rect| self.is_clear(rect))?;
        self.take(place);
        Some(place)
    }

    /// Places a label next to a line, above or below: at the first candidate along the line that is
    /// free, suitable and covers no line.
    pub(super) fn place_next_to(
        &mut self,
        points: &[Spot],
        (width, height): (f64, f64),
        suits: impl Fn(&Rect) -> bool,
    ) -> Option<Rect> {
        let along = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1];
        let sides = [(0.5, -0.6), (-0.5, -0.6), (0.5, 0.6), (-0.5, 0.6), (0.0, -0.9), (0.0, 0.9)];
        let last = points.len().saturating_sub(1) as f64;
        let mut places = along.into_iter().flat_map(|share| {
            let point = points.get((share * last) as usize).copied();
            sides.into_iter().filter_map(move |(right, down)| {
                let (x, y) = point?;
                Some(Rect::around((x + right * (width + 8.0), y + down * (height + 6.0)), width, height))
            })
        });
        let free = places.find(|rect| self.is_free(rect) && !self.covers_line(rect) && suits(rect));
        if let Some(rect) = free {
            self.take(rect);
        }
        free
    }

    /// Places a label next to a disc: at the nearest free place that covers no line, else at the
    /// nearest free place.
    pub(super) fn near(&mut self, (x, y): Spot, radius: f64, (width, height): (f64, f64)) -> Option<Rect> {
        let sides =
            [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.7, 0.8), (-0.7, 0.8), (0.7, -0.8), (-0.7, -0.8)];
        let around = || {
            AWAY.into_iter().flat_map(move |away| {
                let (right, down) = (0.5 * width + radius + APART, 0.5 * height + radius + away);
                sides.into_iter().map(move |side| {
                    let across = if away > APART { 0.8 * side.0 } else { side.0 };
                    Rect::around((x + across * right, y + side.1 * down), width, height)
                })
            })
        };
        let clear = around().find(|rect| self.is_free(rect) && !self.covers_line(rect));
        let free = clear.or_else(|| around().find(|rect| self.is_free(rect)));
        if let Some(rect) = free {
            self.take(rect);
        }
        free
    }

    /// Places a label inside a zone of a field, as near to the zone's centre as possible.
    pub(super) fn within(&mut self, field: &Field, kind: ZoneKind, (width, height): (f64, f64)) -> Option<Rect> {
        let (columns, rows) = (field.columns.max(2) - 1, field.rows.max(2) - 1);
        let spot = |column: usize, row: usize| {
            let across = column as f64 / columns as f64 * (self.area.right - self.area.left);
            let up = row as f64 / rows as f64 * (self.area.bottom - self.area.top);
            (self.area.left + across, self.area.bottom - up)
        };
        let is_kind = |column: usize, row: usize| {
            field.cell(column, row).is_some_and(|cell| ZoneKind::from_limiter(cell.limiter) == kind)
        };
        // Every third node is enough to place a label, at a ninth of the work.
        let nodes = || {
            (0..field.rows).step_by(3).flat_map(|row| (0..field.columns).step_by(3).map(move |column| (column, row)))
        };
        let members: Vec<Spot> =
            nodes().filter(|node| is_kind(node.0, node.1)).map(|node| spot(node.0, node.1)).collect();
        let others: Vec<Spot> =
            nodes().filter(|node| !is_kind(node.0, node.1)).map(|node| spot(node.0, node.1)).collect();
        let count = members.len().max(1) as f64;
        let sum = members.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        let middle = (sum.0 / count, sum.1 / count);
        // The centre itself moves smoothly with the zone, from frame to frame.
        let fits = |room: &Self, rect: &Rect| {
            room.is_free(rect) && !room.covers_line(rect) && !others.iter().any(|&other| rect.holds(other))
        };
        let centred = Rect::around(middle, width, height);
        if !members.is_empty() && fits(self, &centred) {
            self.take(centred);
            return Some(centred);
        }
        let mut places: Vec<(f64, Spot)> = members.iter().map(|&place| (distance(place, middle), place)).collect();
        // One of the nearest places is usually free, so repeated selection is cheaper than sorting.
        while let Some((nearest, &(_, place))) =
            places.iter().enumerate().min_by(|(_, one), (_, other)| one.0.total_cmp(&other.0))
        {
            places.remove(nearest);
            let rect = Rect::around(place, width, height);
            if fits(self, &rect) {
                self.take(rect);
                return Some(rect);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap() {
        let mut room = Room::new(Rect { left: 0.0, top: 0.0, right: 200.0, bottom: 100.0 });
        let line: Vec<Spot> = (0..=20).map(|at| (f64::from(at) * 10.0, 50.0)).collect();
        room.avoid(&line);
        let size = (60.0, 14.0);
        let placed: Vec<Rect> = (0..3).filter_map(|_| room.place_next_to(&line, size, |_| true)).collect();
        assert_eq!(placed.len(), 3);
        for (at, one) in placed.iter().enumerate() {
            assert!(placed[..at].iter().all(|other| !one.is_near(other, APART)));
            assert!(!room.covers_line(one));
        }
        assert_eq!(room.place_next_to(&line, (300.0, 14.0), |_| true), None);
    }
}
