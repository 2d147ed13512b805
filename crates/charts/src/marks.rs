//! Marks of a figure: finds the nearest one, and the next one for an arrow key.

use super::layout::share;
use super::spec::{ChartSpec, Mark};

/// Returns the position of a mark on the axes, from 0 to 1.
fn spot(spec: &ChartSpec, (x, y): (f64, f64)) -> (f64, f64) {
    (share(&spec.x, x), share(&spec.y, y))
}

/// Returns the index of the mark nearest to a place in data units; `None` if there are no marks.
pub fn nearest(spec: &ChartSpec, place: (f64, f64)) -> Option<usize> {
    let from = spot(spec, place);
    let apart = |mark: &Mark| {
        let at = spot(spec, mark.at);
        let (across, up) = (at.0 - from.0, at.1 - from.1);
        across * across + up * up
    };
    let all = spec.marks.iter().map(apart).enumerate();
    all.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(at, _)| at)
}

/// Returns the place of the nearest mark, or the place itself if there are no marks.
pub fn snapped(spec: &ChartSpec, place: (f64, f64)) -> (f64, f64) {
    nearest(spec, place).and_then(|at| spec.marks.get(at)).map_or(place, |mark| mark.at)
}

/// Returns the place of the mark that an arrow key leads to: this many marks to the right, or up;
/// `None` if there are no marks.
pub fn step(spec: &ChartSpec, place: (f64, f64), right: i32, up: i32) -> Option<(f64, f64)> {
    let mut at = nearest(spec, place)?;
    let steps = if right == 0 { up } else { right };
    let along = |mark: &Mark| if right == 0 { mark.at.1 } else { mark.at.0 };
    // Marks at equal height or distance keep their order.
    let before = |one: (f64, usize), other: (f64, usize)| one.0 < other.0 || (one.0 == other.0 && one.1 < other.1);
    for _ in 0..steps.abs() {
        let from = (along(spec.marks.get(at)?), at);
        let mut next: Option<(f64, usize)> = None;
        for to in spec.marks.iter().enumerate().map(|(at, mark)| (along(mark), at)) {
            let (ahead, nearer) = if steps > 0 {
                (before(from, to), next.is_none_or(|next| before(to, next)))
            } else {
                (before(to, from), next.is_none_or(|next| before(next, to)))
            };
            if ahead && nearer {
                next = Some(to);
            }
        }
        let Some((_, further)) = next else { break };
        at = further;
    }
    spec.marks.get(at).map(|mark| mark.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::LineRole;

    fn spec(places: &[(f64, f64)]) -> ChartSpec {
        let mark = |(at, &place): (usize, &(f64, f64))| Mark::new(&format!("m{at}"), LineRole::Bound, place, 1.0);
        ChartSpec { marks: places.iter().enumerate().map(mark).collect(), ..ChartSpec::empty() }
    }

    #[test]
    fn arrow_keys_reach_every_mark_once_and_stop_at_the_ends() {
        let spec = spec(&[(0.5, 0.1), (0.1, 0.9), (0.5, 0.4), (0.9, 0.4)]);
        let mut place = snapped(&spec, (0.0, 1.0));
        let mut met = vec![place];
        for _ in 0..3 {
            place = step(&spec, place, 1, 0).unwrap();
            met.push(place);
        }
        assert_eq!(met, [(0.1, 0.9), (0.5, 0.1), (0.5, 0.4), (0.9, 0.4)]);
        assert_eq!(step(&spec, place, 1, 0), Some(place));
        assert_eq!(step(&spec, place, -6, 0), Some((0.1, 0.9)));
        assert_eq!(step(&spec, (0.5, 0.1), 0, 1), Some((0.5, 0.4)));
        assert_eq!(step(&ChartSpec::empty(), place, 1, 0), None);
    }
}
