//! Polylines in CSS pixels: clips them to a rectangle, and splits them into dashes.

use super::geometry::{Rect, Spot, distance};
use analysis::boundary::{clip, zero_between};

/// Returns the pieces of a polyline inside a rectangle.
pub(super) fn clipped(points: &[Spot], area: Rect) -> Vec<Vec<Spot>> {
    let sides: [&dyn Fn(Spot) -> f64; 4] =
        [&|point| point.0 - area.left, &|point| area.right - point.0, &|point| point.1 - area.top, &|point| {
            area.bottom - point.1
        }];
    let outside = points.iter().any(|&point| sides.iter().any(|side| side(point) < 0.0));
    let whole = vec![points.to_vec()];
    if !outside {
        return whole;
    }
    sides.iter().fold(whole, |pieces, side| pieces.iter().flat_map(|piece| clip(piece, side)).collect())
}

/// Splits a polyline into dashes of alternately drawn and skipped lengths; an empty pattern returns
/// the whole line.
pub(super) fn dashed(points: &[Spot], pattern: &[f64]) -> Vec<Vec<Spot>> {
    if pattern.is_empty() {
        return vec![points.to_vec()];
    }
    let mut lengths = pattern.iter().copied().cycle();
    let mut left = lengths.next().unwrap_or(1.0);
    let mut drawn = true;
    let mut dashes = Vec::new();
    let mut dash: Vec<Spot> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let [mut from, to] = *pair else { continue };
        let mut length = distance(from, to);
        while length > left {
            // The dash ends on this piece, at the fraction `left / length` of it.
            let share = zero_between(-left, length - left);
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            length -= left;
            if drawn {
                dash.push(from);
                dashes.push(core::mem::take(&mut dash));
            } else {
                dash = vec![from];
            }
            drawn = !drawn;
            left = lengths.next().unwrap_or(1.0).max(0.5);
        }
        left -= length;
        if drawn {
            dash.push(to);
        }
    }
    if drawn {
        dashes.push(dash);
    }
    dashes.retain(|dash| dash.len() > 1);
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn a_line_is_cut_at_the_edges() {
        let pieces = clipped(&[(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0)], AREA);
        assert_eq!(pieces, [vec![(0.0, 5.0), (5.0, 5.0), (5.0, 10.0)]]);
        assert!(clipped(&[(-5.0, 5.0), (-1.0, 5.0)], AREA).is_empty());
    }

    #[test]
    fn dashes_keep_their_length_around_corners() {
        let dashes = dashed(&[(0.0, 0.0), (3.0, 0.0), (3.0, 5.0)], &[4.0, 2.0]);
        assert_eq!(dashes, [vec![(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)], vec![(3.0, 3.0), (3.0, 5.0)]]);
    }
}
