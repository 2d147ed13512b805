//! Marching squares: traces the line between nodes inside and outside a region, joined into
//! polylines.

use super::Point;

/// A node of the grid: column and row.
type Node = (usize, usize);

/// Marks a missing crossing or neighbour.
const NONE: u32 = u32::MAX;

/// A point where the line crosses an edge of the grid, with the next crossings on either side.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    point: Point,
    neighbours: [u32; 2],
    visited: bool,
}

/// Marching squares with buffers that are reused from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Tracer {
    /// Index of the crossing on each edge. Each node owns two edges: to the right and upward.
    edges: Vec<u32>,
    crossings: Vec<Crossing>,
}

/// The sides of a square.
#[derive(Clone, Copy)]
enum Side {
    Bottom,
    Right,
    Top,
    Left,
}

impl Tracer {
    /// Traces the line between nodes that are `inside` and nodes that are not, as polylines; a
    /// closed polyline ends at its first point. Nodes for which `inside` returns `None` leave gaps.
    /// `crossing` returns the position of the crossing between two nodes, as a fraction of their
    /// distance.
    pub fn trace(
        &mut self,
        (columns, rows): (usize, usize),
        inside: impl Fn(Node) -> Option<bool>,
        mut crossing: impl FnMut(Node, Node) -> f64,
    ) -> Vec<Vec<Point>> {
        self.edges.clear();
        self.edges.resize(2 * columns * rows, NONE);
        self.crossings.clear();
        for row in 1..rows {
            for column in 1..columns {
                let corner = (column - 1, row - 1);
                let corners = [corner, (column, row - 1), (column, row), (column - 1, row)].map(&inside);
                if let [Some(a), Some(b), Some(c), Some(d)] = corners {
                    for (from, to) in pairs([a, b, c, d]) {
                        let from = self.cross(columns, corner, *from, &mut crossing);
                        let to = self.cross(columns, corner, *to, &mut crossing);
                        self.join(from, to);
                    }
                }
            }
        }
        self.polylines()
    }

    /// Returns the crossing on one side of a square, and creates it on the first call.
    fn cross(
        &mut self,
        columns: usize,
        (column, row): Node,
        side: Side,
        crossing: &mut impl FnMut(Node, Node) -> f64,
    ) -> u32 {
        let (from, upward) = match side {
            Side::Bottom => ((column, row), false),
            Side::Right => ((column + 1, row), true),
            Side::Top => ((column, row + 1), false),
            Side::Left => ((column, row), true),
        };
        let to = if upward { (from.0, from.1 + 1) } else { (from.0 + 1, from.1) };
        let edge = 2 * (from.1 * columns + from.0) + usize::from(upward);
        let Some(slot) = self.edges.get_mut(edge) else { return NONE };
        if *slot == NONE {
            *slot = self.crossings.len() as u32;
            let share = crossing(from, to);
            let (x, y) = (from.0 as f64, from.1 as f64);
            let point = if upward { (x, y + share) } else { (x + share, y) };
            self.crossings.push(Crossing { point, neighbours: [NONE; 2], visited: false });
        }
        *slot
    }

    fn join(&mut self, from: u32, to: u32) {
        for (at, next) in [(from, to), (to, from)] {
            if let Some(crossing) = self.crossings.get_mut(at as usize) {
                let [first, second] = &mut crossing.neighbours;
                *(if *first == NONE { first } else { second }) = next;
            }
        }
    }

    /// Joins the crossings into polylines: open lines from each open end, then the closed lines.
    fn polylines(&mut self) -> Vec<Vec<Point>> {
        let mut lines = Vec::new();
        for only_ends in [true, false] {
            for start in 0..self.crossings.len() as u32 {
                let is_end = self.crossings.get(start as usize).is_some_and(|crossing| crossing.neighbours[1] == NONE);
                if is_end || !only_ends {
                    let line = self.walk(start, !only_ends);
                    if line.len() > 1 {
                        lines.push(line);
                    }
                }
            }
        }
        lines
    }

    fn walk(&mut self, start: u32, closed: bool) -> Vec<Point> {
        let mut line = Vec::new();
        let mut at = start;
        while let Some(crossing) = self.crossings.get_mut(at as usize) {
            if crossing.visited {
                break;
            }
            crossing.visited = true;
            line.push(crossing.point);
            let neighbours = crossing.neighbours;
            at = neighbours.into_iter().find(|&next| self.is_open(next)).unwrap_or(NONE);
        }
        if closed && line.len() > 2 {
            line.extend(line.first().copied());
        }
        line
    }

    fn is_open(&self, at: u32) -> bool {
        self.crossings.get(at as usize).is_some_and(|crossing| !crossing.visited)
    }
}

/// Returns the pairs of sides that the line connects in a square with these corners (bottom left,
/// bottom right, top right, top left). A saddle keeps its two inside corners apart.
fn pairs(corners: [bool; 4]) -> &'static [(Side, Side)] {
    use Side::{Bottom, Left, Right, Top};
    match corners {
        [true, true, true, true] | [false, false, false, false] => &[],
        [true, false, false, false] | [false, true, true, true] => &[(Left, Bottom)],
        [false, true, false, false] | [true, false, true, true] => &[(Bottom, Right)],
        [false, false, true, false] | [true, true, false, true] => &[(Right, Top)],
        [false, false, false, true] | [true, true, true, false] => &[(Top, Left)],
        [true, true, false, false] | [false, false, true, true] => &[(Left, Right)],
        [true, false, false, true] | [false, true, true, false] => &[(Bottom, Top)],
        [true, false, true, false] => &[(Left, Bottom), (Right, Top)],
        [false, true, false, true] => &[(Bottom, Right), (Top, Left)],
    }
}
