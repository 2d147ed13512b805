//! Maps without teeth. A scaled model has whole layers and heads, and GPUs come in whole groups, so
//! memory and time jump by a few percent between neighbouring places, and a front along the jumps
//! is a saw. Places between two values that a run can have are therefore interpolated, and along
//! model sizes the map follows the trend, through the exact values at the model's own size.

use super::axes::AxisOf;
use crate::layout::share;
use crate::spec::Grain;
use analysis::refine::Node;
use analysis::sweep::Sample;
use engine::params::ParamId;

/// Half the window of the trend, as a share of the axis: between two widths of a scaled model, its
/// layers jump back once, within about a sixth of the axis.
const WINDOW: f64 = 0.1;
/// How far the exact values at the model's own size reach, in windows.
const REACH: f64 = 1.5;

/// The direction in which the nodes of an axis follow each other.
#[derive(Clone, Copy)]
pub(super) enum Along {
    /// The horizontal axis.
    X,
    /// The vertical axis.
    Y,
}

/// Returns the positions of an axis at which a map is evaluated: its nodes, or the values that a
/// run can have if these are fewer.
pub(super) fn evaluated(axis: &AxisOf, nodes: &[f64]) -> Vec<f64> {
    let coarse = match axis.axis.grain {
        Grain::Whole | Grain::Divisors(_) | Grain::Groups(..) => true,
        Grain::Down(_) => axis.param.id == ParamId::Experts,
        Grain::Step(..) | Grain::Digits | Grain::Doublings(_) => false,
    };
    if !coarse {
        return nodes.to_vec();
    }
    let mut values: Vec<f64> = nodes.iter().map(|&node| axis.axis.settled(node)).collect();
    values.dedup();
    if values.len() < 2 { nodes.to_vec() } else { values }
}

/// Returns, for each node, the place of the evaluated value below it and the share of the way to
/// the next.
fn between(axis: &AxisOf, nodes: &[f64], values: &[f64]) -> Vec<(usize, f64)> {
    let last = values.len().saturating_sub(2);
    let place = |&node: &f64| {
        let below = values.partition_point(|&value| value <= node).saturating_sub(1).min(last);
        let [from, to] = [below, below + 1].map(|at| values.get(at).map_or(0.0, |&value| share(&axis.axis, value)));
        let along = (share(&axis.axis, node) - from) / (to - from);
        (below, if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 })
    };
    nodes.iter().map(place).collect()
}

/// Interpolates the samples at evaluated values to the nodes of the map.
pub(super) fn spread(
    samples: &mut Vec<Sample>,
    (x, xs, across): (&AxisOf, &[f64], &[f64]),
    (y, ys, up): (&AxisOf, &[f64], &[f64]),
) {
    if across == xs && up == ys {
        return;
    }
    let (columns, rows) = (between(x, xs, across), between(y, ys, up));
    let known = core::mem::take(samples);
    let at = |column: usize, row: usize| known.get(row * across.len() + column).copied();
    samples.reserve(columns.len() * rows.len());
    for &(row, upward) in &rows {
        for &(column, right) in &columns {
            let on = |row: usize| Some(mix(at(column, row)?, at(column + 1, row).or(at(column, row))?, right));
            let (Some(low), high) = (on(row), on(row + 1)) else { return };
            samples.push(mix(low, high.unwrap_or(low), upward));
        }
    }
}

/// Interpolates, with the limiter of the nearer sample.
fn mix(from: Sample, to: Sample, share: f64) -> Sample {
    if share <= 0.5 { from.blend(&to, share) } else { to.blend(&from, 1.0 - share) }
}

/// The logarithm of the memory that a sample takes up, over the capacity: zero at the front.
fn load(sample: &Sample) -> f64 {
    (sample.least_capacity() / sample.capacity).ln()
}

/// The values of a sample that a map shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shown {
    load: f64,
    mfu: f64,
    pressure: f64,
}

impl Shown {
    fn of(sample: &Sample) -> Self {
        Self { load: load(sample), mfu: sample.mfu, pressure: sample.pressure }
    }

    fn onto(self, sample: &mut Sample) {
        sample.needed = sample.curve.most_needed(sample.capacity) * self.load.exp();
        (sample.mfu, sample.pressure) = (self.mfu.max(0.0), self.pressure);
    }

    fn is_finite(&self) -> bool {
        self.load.is_finite() && self.mfu.is_finite() && self.pressure.is_finite()
    }

    /// Adds a multiple of another.
    fn plus(self, weight: f64, other: Self) -> Self {
        Self {
            load: self.load + weight * other.load,
            mfu: self.mfu + weight * other.mfu,
            pressure: self.pressure + weight * other.pressure,
        }
    }
}

/// Makes the samples follow the trend along an axis of model sizes. `own` is the position of the
/// model's own size on the axis, 0 to 1, with its exact samples across the other axis.
pub(super) fn follow_trend(samples: &mut [Sample], columns: usize, along: Along, own: Option<(f64, &[Sample])>) {
    let rows = samples.len().checked_div(columns).unwrap_or(0);
    let (count, lines, step, stride) = match along {
        Along::X => (columns, rows, 1, columns),
        Along::Y => (rows, columns, columns, 1),
    };
    let weights = trend(count);
    let mut values: Vec<Shown> = Vec::with_capacity(count);
    for line in 0..lines {
        let place = |node: usize| line * stride + node * step;
        values.clear();
        values.extend((0..count).filter_map(|node| samples.get(place(node)).map(Shown::of)));
        if values.len() < count || !values.iter().all(Shown::is_finite) {
            continue;
        }
        let smooth = |node: usize| -> Shown {
            let (first, weights) = weights.get(node).map_or((0, &[][..]), |(first, weights)| (*first, weights));
            let window = values.iter().skip(first).zip(weights);
            window.fold(Shown::default(), |sum, (value, weight)| sum.plus(*weight, *value))
        };
        let mut smoothed: Vec<Shown> = (0..count).map(smooth).collect();
        if let Some((at, exact)) = own.and_then(|(at, exact)| Some((at, Shown::of(exact.get(line)?)))) {
            meet(&mut smoothed, at * count.saturating_sub(1) as f64, exact);
        }
        for (node, value) in smoothed.into_iter().enumerate() {
            if let Some(sample) = samples.get_mut(place(node)) {
                value.onto(sample);
            }
        }
    }
}

/// Makes the heights of a line at even places follow their trend.
pub(super) fn flatten(heights: &mut [f64]) {
    let smoothed: Vec<f64> = trend(heights.len())
        .iter()
        .map(|(first, weights)| heights.iter().skip(*first).zip(weights).map(|(height, weight)| height * weight).sum())
        .collect();
    heights.copy_from_slice(&smoothed);
}

/// Lets smoothed values meet the exact ones at a place, and fade to the trend beside it.
fn meet(values: &mut [Shown], at: f64, exact: Shown) {
    let (below, share) = (at as usize, at.fract());
    let Some(from) = values.get(below).copied() else { return };
    let to = values.get(below + 1).copied().unwrap_or(from);
    let off = exact.plus(share - 1.0, from).plus(-share, to);
    if !off.is_finite() {
        return;
    }
    let reach = REACH * WINDOW * values.len() as f64;
    for (node, value) in values.iter_mut().enumerate() {
        // Both neighbours of the place move by the whole difference, so that it is met exactly.
        let beside = (node as f64 - at).abs().max(1.0) - 1.0;
        *value = value.plus(tricube(beside / reach), off);
    }
}

/// Returns, for each of `count` nodes, the first node of its window and the weights whose sum of
/// products is the value of the straight line fitted to the window.
fn trend(count: usize) -> Vec<(usize, Vec<f64>)> {
    let half = (WINDOW * count as f64).max(1.0);
    let fit = |node: usize| {
        let first = (node as f64 - half).ceil().max(0.0) as usize;
        let last = (node + half as usize).min(count.saturating_sub(1));
        let near: Vec<(f64, f64)> = (first..=last)
            .map(|other| other as f64 - node as f64)
            .map(|away| (away, tricube(away.abs() / (half + 1.0))))
            .collect();
        let sum = |power: i32| near.iter().map(|(away, weight)| weight * away.powi(power)).sum::<f64>();
        let (zeroth, first_moment, second) = (sum(0), sum(1), sum(2));
        let determinant = zeroth * second - first_moment * first_moment;
        let weight = |&(away, weight): &(f64, f64)| {
            if determinant > 0.0 { weight * (second - first_moment * away) / determinant } else { weight / zeroth }
        };
        (first, near.iter().map(weight).collect())
    };
    (0..count).map(fit).collect()
}

/// A bell over -1 to 1: one in the middle, zero outside.
fn tricube(away: f64) -> f64 {
    let rest = (1.0 - away.abs().min(1.0).powi(3)).max(0.0);
    rest.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trend_of_a_line_is_the_line_and_a_saw_is_flattened() {
        for count in [2, 5, 22, 44] {
            for (node, (first, weights)) in trend(count).into_iter().enumerate() {
                let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
                    weights.iter().enumerate().map(|(at, weight)| weight * value((first + at) as f64)).sum()
                };
                assert!((sum(&|at| 3.0 - 2.0 * at) - (3.0 - 2.0 * node as f64)).abs() < 1e-9, "{count} {node}");
            }
        }
        let saw = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        let (first, weights) = trend(44).swap_remove(20);
        let left: f64 = weights.iter().enumerate().map(|(at, weight)| weight * saw(first + at)).sum();
        assert!(left.abs() < 0.1, "{left}");
    }

    #[test]
    fn smoothed_values_meet_the_exact_ones() {
        let level = Shown { load: 1.0, mfu: 2.0, pressure: 3.0 };
        let exact = Shown { load: 2.0, mfu: 2.0, pressure: 0.0 };
        let mut values = vec![level; 40];
        meet(&mut values, 12.25, exact);
        let there = values[12].plus(-0.25, values[12]).plus(0.25, values[13]);
        let off = there.plus(-1.0, exact);
        assert!([off.load, off.mfu, off.pressure].into_iter().all(|off| off.abs() < 1e-12), "{there:?}");
        assert_eq!((values[0], values[39]), (level, level));
    }
}
