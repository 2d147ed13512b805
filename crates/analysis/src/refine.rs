//! Adaptive sweeps: nodes are evaluated where the picture changes, and interpolated elsewhere.

use super::sweep::{ParamRange, Sample, assign, sample_at};
use engine::scenario::Scenario;

/// Distance between nodes that are always evaluated, in nodes.
const STRIDE: usize = 9;
/// Largest error of an interpolated MFU: below one of the 256 shades of a map that ends at 70 %.
const NEAR: f64 = 0.002;
/// Largest error of an interpolated value that lines are drawn from: well below the fraction of a
/// grid cell that one pixel covers.
const NEAR_LINES: f64 = 0.003;
/// Magnitude above which only the sign of a value matters: neighbouring nodes differ by at most a
/// seventh, so no line passes between such a node and its neighbours.
const FAR: f64 = 0.4;

/// The value at a node of an adaptive sweep.
pub trait Node: Copy {
    /// Whether no line of the picture passes between two nodes.
    fn is_beside(&self, other: &Self) -> bool;
    /// Whether an interpolated value is close enough to the node, which lies halfway between
    /// `ends`.
    fn is_near(&self, guess: &Self, ends: [&Self; 2]) -> bool;
    /// Interpolates linearly towards another node.
    #[must_use]
    fn blend(&self, other: &Self, share: f64) -> Self;
}

impl Node for Sample {
    fn is_beside(&self, other: &Self) -> bool {
        self.limiter() == other.limiter() && self.time_limiter == other.time_limiter
    }

    fn is_near(&self, guess: &Self, [from, to]: [&Self; 2]) -> bool {
        let near = |of: fn(&Self) -> f64| {
            let least = of(from).abs().min(of(to).abs());
            let room = if least > FAR { least / 2.0 } else { NEAR_LINES * of(self).abs().max(1.0) };
            (of(self) - of(guess)).abs() <= room
        };
        // Nodes that do not fit have no colour.
        let colour = !self.fits() || (self.mfu - guess.mfu).abs() <= NEAR;
        colour && near(Self::slack) && near(|sample| sample.pressure)
    }

    fn blend(&self, other: &Self, share: f64) -> Self {
        let mix = |from: f64, to: f64| from + share * (to - from);
        Self {
            mfu: mix(self.mfu, other.mfu),
            tokens_per_s_per_gpu: mix(self.tokens_per_s_per_gpu, other.tokens_per_s_per_gpu),
            step: self.step + (other.step - self.step) * share,
            needed: self.needed + (other.needed - self.needed) * share,
            capacity: self.capacity + (other.capacity - self.capacity) * share,
            curve: self.curve,
            time_limiter: self.time_limiter,
            pressure: mix(self.pressure, other.pressure),
        }
    }
}

/// A plain number of which only the sign matters.
impl Node for f64 {
    fn is_beside(&self, other: &Self) -> bool {
        (*self >= 0.0) == (*other >= 0.0)
    }

    fn is_near(&self, guess: &Self, _: [&Self; 2]) -> bool {
        self.is_beside(guess)
    }

    fn blend(&self, other: &Self, share: f64) -> Self {
        self + share * (other - self)
    }
}

/// Approximates the samples of [`super::sweep::grid`]; samples next to a line of the picture are
/// exact.
pub fn grid(scenario: &Scenario, x: ParamRange, y: ParamRange, out: &mut Vec<Sample>) {
    out.clear();
    for &y_value in y.values {
        let mut row = *scenario;
        assign(&mut row, y.number, y_value);
        let value = |column: usize| x.values.get(column).copied().unwrap_or(x.number.min);
        line(x.values.len(), out, &mut |column| sample_at(&row, x.number, value(column)));
    }
}

/// Appends `count` nodes to `out`; `at` evaluates one node.
pub fn line<T: Node>(count: usize, out: &mut Vec<T>, at: &mut dyn FnMut(usize) -> T) {
    let Some(last) = count.checked_sub(1) else { return };
    let mut from = (0, at(0));
    out.push(from.1);
    while from.0 < last {
        let place = (from.0 + STRIDE).min(last);
        let to = (place, at(place));
        between(from, to, out, at);
        out.push(to.1);
        from = to;
    }
}

/// Fills in the nodes between two evaluated ones. The middle node is evaluated; it shows whether
/// the others may be interpolated.
fn between<T: Node>(from: (usize, T), to: (usize, T), out: &mut Vec<T>, at: &mut dyn FnMut(usize) -> T) {
    let place = usize::midpoint(from.0, to.0);
    if place == from.0 {
        return;
    }
    let middle = (place, at(place));
    let guess = from.1.blend(&to.1, (place - from.0) as f64 / (to.0 - from.0) as f64);
    let straight = from.1.is_beside(&to.1) && from.1.is_beside(&middle.1) && middle.1.is_near(&guess, [&from.1, &to.1]);
    for (start, end) in [(from, middle), (middle, to)] {
        if straight {
            let nodes = end.0 - start.0;
            out.extend((1..nodes).map(|node| start.1.blend(&end.1, node as f64 / nodes as f64)));
        } else {
            between(start, end, out, at);
        }
        if end.0 == place {
            out.push(middle.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refined(count: usize, value: impl Fn(f64) -> f64) -> (Vec<f64>, usize) {
        let (mut out, mut evaluated) = (Vec::new(), 0);
        line(count, &mut out, &mut |place| {
            evaluated += 1;
            value(place as f64)
        });
        (out, evaluated)
    }

    #[test]
    fn a_map_has_the_same_lines_and_nearly_the_same_colours() {
        use super::super::boundary::{Tracer, memory_frontier, network_boundary};
        use engine::params::ParamId;
        let scenario = catalog::default_scenario();
        let number = |id: ParamId| id.number().unwrap();
        let rising =
            |low: f64, factor: f64, count: i32| (0..count).map(|at| low * factor.powi(at)).collect::<Vec<f64>>();
        let (seqs, sizes, links) = (rising(512.0, 1.092, 64), rising(1.3e9, 1.1358, 44), rising(10.0, 1.125, 44));
        let x = ParamRange { number: number(ParamId::SequenceLength), values: &seqs };
        for y in [
            ParamRange { number: number(ParamId::ModelSize), values: &sizes },
            ParamRange { number: number(ParamId::LinkBandwidth), values: &links },
        ] {
            let (mut all, mut some) = (Vec::new(), Vec::new());
            super::super::sweep::grid(&scenario, x, y, &mut all);
            grid(&scenario, x, y, &mut some);
            assert_eq!(all.len(), some.len());
            let same_colour = |all: &Sample, some: &Sample| !all.fits() || (all.mfu - some.mfu).abs() < 2.0 * NEAR;
            assert!(all.iter().zip(&some).all(|(all, some)| same_colour(all, some)));
            assert!(all.iter().zip(&some).all(|(all, some)| all.limiter() == some.limiter()));
            let tracer = &mut Tracer::default();
            for trace in [memory_frontier, network_boundary] {
                let (all, some) = (trace(tracer, 64, &all), trace(tracer, 64, &some));
                let apart = |one: &(f64, f64), other: &(f64, f64)| (one.0 - other.0).abs().max((one.1 - other.1).abs());
                let pairs = || all.iter().flatten().zip(some.iter().flatten());
                assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), some.iter().map(Vec::len).collect::<Vec<_>>());
                // A tenth of a node is half a pixel.
                assert!(pairs().all(|(one, other)| apart(one, other) < 0.1));
            }
        }
    }

    #[test]
    fn the_nodes_beside_a_change_of_sign_are_exact() {
        for count in [1, 2, 9, 10, 41, 64, 97] {
            let zero = 0.37 * count as f64;
            let cubic = |x: f64| (x - zero) * (x - zero) * (x - zero);
            let (values, _) = refined(count, cubic);
            assert_eq!(values.len(), count);
            for (place, pair) in values.windows(2).enumerate().filter(|(_, pair)| !pair[0].is_beside(&pair[1])) {
                assert_eq!((pair[0], pair[1]), (cubic(place as f64), cubic(place as f64 + 1.0)));
            }
        }
        assert_eq!(refined(0, |x| x), (Vec::new(), 0));
    }

    #[test]
    fn a_straight_line_is_evaluated_at_few_nodes_and_exact() {
        let (values, evaluated) = refined(64, |x| x - 1000.0);
        assert!(values.iter().enumerate().all(|(place, value)| (value - (place as f64 - 1000.0)).abs() < 1e-9));
        assert_eq!(evaluated, 15);
    }
}
