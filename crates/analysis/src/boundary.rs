//! Boundaries in a two-dimensional sweep: the out-of-memory frontier and the border between
//! network-bound and compute-bound runs.
//!
//! Uses marching squares on a regular grid of nodes. Positions are in grid units, column and row,
//! with fractions between nodes; the caller converts them to data units.

mod trace;

use super::sweep::Sample;
pub use trace::Tracer;

/// A point in grid units: column and row.
pub type Point = (f64, f64);

/// Returns where a linear function is zero between two nodes, as a fraction of their distance.
pub fn zero_between(from: f64, to: f64) -> f64 {
    let span = from - to;
    if span == 0.0 || !span.is_finite() { 0.5 } else { (from / span).clamp(0.0, 1.0) }
}

/// Number of halvings that locate a change to a millionth of the interval.
const HALVINGS: u32 = 20;

/// Bisects the interval 0 to 1 for the point where `holds_at` changes, given its value at 0.
/// Returns the last position on each side of the change.
pub fn change_between(holds_at_first: bool, mut holds_at: impl FnMut(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if holds_at(middle) == holds_at_first {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, high)
}

/// Traces the line on which a value is zero, by linear interpolation between nodes. `value` returns
/// NaN where the value is undefined.
pub fn zero_line(tracer: &mut Tracer, size: (usize, usize), value: impl Fn(usize, usize) -> f64) -> Vec<Vec<Point>> {
    let at = |node: (usize, usize)| value(node.0, node.1);
    tracer.trace(
        size,
        |node| {
            let value = at(node);
            if value.is_nan() { None } else { Some(value >= 0.0) }
        },
        |from, to| zero_between(at(from), at(to)),
    )
}

/// Traces the out-of-memory frontier: the line of zero free memory.
pub fn memory_frontier(tracer: &mut Tracer, columns: usize, samples: &[Sample]) -> Vec<Vec<Point>> {
    let size = (columns, rows(columns, samples));
    zero_line(tracer, size, |column, row| node(columns, samples, column, row, Sample::slack))
}

/// Traces the line where the limiter changes between network and compute, within the part that
/// fits.
pub fn network_boundary(tracer: &mut Tracer, columns: usize, samples: &[Sample]) -> Vec<Vec<Point>> {
    let size = (columns, rows(columns, samples));
    let lines = zero_line(tracer, size, |column, row| node(columns, samples, column, row, |sample| sample.pressure));
    let slack = |point| bilinear(size, point, |column, row| node(columns, samples, column, row, Sample::slack));
    lines.iter().flat_map(|line| clip(line, slack)).collect()
}

/// Returns a value of the sample at a node; NaN outside the grid.
fn node(columns: usize, samples: &[Sample], column: usize, row: usize, value: impl Fn(&Sample) -> f64) -> f64 {
    samples.get(row * columns + column).map_or(f64::NAN, value)
}

/// Returns the parts of a polyline on which `value` is not negative, cut where it is zero; `value`
/// is taken as linear along each segment.
pub fn clip(line: &[Point], value: impl Fn(Point) -> f64) -> Vec<Vec<Point>> {
    let mut pieces = Vec::new();
    let mut piece: Vec<Point> = Vec::new();
    let mut last: Option<(Point, f64)> = None;
    for &point in line {
        let here = value(point);
        if let Some((before, there)) = last
            && (there >= 0.0) != (here >= 0.0)
        {
            let share = zero_between(there, here);
            piece.push((before.0 + share * (point.0 - before.0), before.1 + share * (point.1 - before.1)));
        }
        if here >= 0.0 {
            piece.push(point);
        } else if !piece.is_empty() {
            pieces.push(core::mem::take(&mut piece));
        }
        last = Some((point, here));
    }
    pieces.push(piece);
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

/// Interpolates a value between nodes bilinearly; positions outside the grid are clamped to its
/// edge.
pub fn bilinear(size: (usize, usize), (x, y): Point, value: impl Fn(usize, usize) -> f64) -> f64 {
    let place = |at: f64, count: usize| {
        let last = count.saturating_sub(1);
        let at = at.max(0.0).min(last as f64);
        let first = (at as usize).min(last.saturating_sub(1));
        (first, (first + 1).min(last), at - first as f64)
    };
    let ((left, right, across), (bottom, top, up)) = (place(x, size.0), place(y, size.1));
    let low = value(left, bottom) * (1.0 - across) + value(right, bottom) * across;
    let high = value(left, top) * (1.0 - across) + value(right, top) * across;
    low * (1.0 - up) + high * up
}

/// Number of rows of the grid.
fn rows(columns: usize, samples: &[Sample]) -> usize {
    samples.len().checked_div(columns).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::model::odds::Curve;
    use engine::model::report::Limiter;
    use engine::units::{Bytes, Seconds};

    fn sampled(
        columns: usize,
        rows: usize,
        slack: impl Fn(f64, f64) -> f64,
        pressure: impl Fn(f64, f64) -> f64,
    ) -> Vec<Sample> {
        let node = |index: usize| ((index % columns) as f64, (index / columns) as f64);
        (0..columns * rows)
            .map(node)
            .map(|(x, y)| Sample {
                step: Seconds::ZERO,
                mfu: 0.4,
                tokens_per_s_per_gpu: 1e3,
                needed: Bytes::new(100.0 * (1.0 - slack(x, y))),
                capacity: Bytes::new(100.0),
                curve: Curve { half: 1.0, quarters: 1 },
                time_limiter: if pressure(x, y) > 0.0 { Limiter::InterNode } else { Limiter::Compute },
                pressure: pressure(x, y),
            })
            .collect()
    }

    #[test]
    fn a_straight_frontier_is_found_to_the_fraction_of_a_cell() {
        let samples = sampled(9, 7, |x, _| (3.25 - x) / 10.0, |_, _| 1.0);
        let lines = memory_frontier(&mut Tracer::default(), 9, &samples);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].len(), 7);
        assert!(lines[0].iter().all(|point| (point.0 - 3.25).abs() < 1e-9));
    }

    #[test]
    fn a_closed_region_gives_a_closed_line() {
        let samples = sampled(21, 21, |x, y| 36.0 - (x - 10.0) * (x - 10.0) - (y - 10.0) * (y - 10.0), |_, _| 1.0);
        let lines = memory_frontier(&mut Tracer::default(), 21, &samples);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        for point in &lines[0] {
            let radius = ((point.0 - 10.0).powi(2) + (point.1 - 10.0).powi(2)).sqrt();
            assert!((radius - 6.0).abs() < 0.1, "{radius}");
        }
    }

    #[test]
    fn two_regions_give_two_lines_and_none_gives_none() {
        let apart = sampled(12, 5, |x, _| (x - 5.5).abs() - 3.2, |_, _| 1.0);
        assert_eq!(memory_frontier(&mut Tracer::default(), 12, &apart).len(), 2);
        let all_fit = sampled(12, 5, |_, _| 0.5, |_, _| 1.0);
        assert!(memory_frontier(&mut Tracer::default(), 12, &all_fit).is_empty());
        assert!(memory_frontier(&mut Tracer::default(), 0, &[]).is_empty());
    }

    #[test]
    fn the_network_boundary_stops_at_the_memory_frontier() {
        let samples = sampled(11, 11, |_, y| (4.5 - y) / 10.0, |x, y| 6.4 - x - y);
        let lines = network_boundary(&mut Tracer::default(), 11, &samples);
        assert_eq!(lines.len(), 1);
        for point in &lines[0] {
            assert!((point.0 + point.1 - 6.4).abs() < 0.05, "{point:?}");
            assert!(point.1 < 4.6, "{point:?}");
        }
        let highest = lines[0].iter().map(|point| point.1).fold(0.0, f64::max);
        assert!((highest - 4.5).abs() < 0.05);
    }

    #[test]
    fn clipping_keeps_every_piece() {
        let line: Vec<Point> = (0..10).map(|x| (f64::from(x), 0.0)).collect();
        let pieces = clip(&line, |(x, _)| (x - 4.5).abs() - 2.0);
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0].last(), Some(&(2.5, 0.0)));
        assert_eq!(pieces[1].first(), Some(&(6.5, 0.0)));
    }
}
