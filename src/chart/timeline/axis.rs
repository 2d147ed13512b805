//! Times on the axis of a timeline: the unit that fits the part looked at, and as many decimals as tell its ticks apart.

use crate::chart::scale;
use crate::decimal::fixed;
use crate::params::Scale;
use crate::params::quantity::group_thousands;
use crate::units::Seconds;

/// Milliseconds, and microseconds, in a second.
const UNITS: [(f64, &str); 3] = [(1.0, "s"), (1e3, "ms"), (1e6, "µs")];
/// Windows of so many of a unit are told in it.
const LEAST: f64 = 0.5;
/// Decimals beyond which a second of nanoseconds has none.
const MOST_DECIMALS: usize = 9;

/// Digits of a time that is read out beyond those of the ticks.
const FINER: usize = 2;

/// The horizontal axis of a timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeAxis {
    /// The unit's name.
    pub unit: &'static str,
    /// Units in a second.
    per_second: f64,
    /// Decimals of its ticks.
    decimals: usize,
    /// Times with a tick, in the unit.
    ticks: Vec<f64>,
}

impl TimeAxis {
    /// The axis from one time to another, with at most about so many ticks.
    pub fn new((from, to): (Seconds, Seconds), most: usize) -> Self {
        let length = (to - from).get();
        let fits = |unit: &(f64, &str)| length * unit.0 >= LEAST;
        let (per_second, unit) = UNITS.into_iter().find(fits).unwrap_or((1e6, "µs"));
        let ticks = scale::ticks(Scale::Linear, from.get() * per_second, to.get() * per_second, most);
        let mut step = length * per_second;
        for pair in ticks.windows(2) {
            if let [one, next] = pair {
                step = step.min(next - one);
            }
        }
        let mut decimals = 0;
        // A step of 0.5 is 0.4999... in binary.
        while step < 1.0 - 1e-9 && decimals < MOST_DECIMALS {
            step *= 10.0;
            decimals += 1;
        }
        Self { unit, per_second, decimals, ticks }
    }

    /// Ticks with their labels.
    pub fn ticks(&self) -> impl Iterator<Item = (Seconds, String)> + '_ {
        self.ticks.iter().map(|&tick| (Seconds::new(tick / self.per_second), number(tick, self.decimals)))
    }

    /// A time, two digits finer than the ticks.
    pub fn say(&self, time: Seconds) -> String {
        let number = number(time.get() * self.per_second, self.decimals + FINER);
        format!("{number}{}{}", crate::chart::format::THIN_SPACE, self.unit)
    }
}

fn number(value: f64, decimals: usize) -> String {
    group_thousands(&fixed(value, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: f64, to: f64) -> (Vec<String>, &'static str) {
        let axis = TimeAxis::new((Seconds::new(from), Seconds::new(to)), 6);
        (axis.ticks().map(|tick| tick.1).collect(), axis.unit)
    }

    #[test]
    fn ticks_are_told_apart_at_every_depth() {
        assert_eq!(labels(0.0, 2.5), (["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"].map(str::to_string).into(), "s"));
        for depth in 0..9 {
            let length = 0.1_f64.powi(depth);
            let (labels, unit) = labels(1.234, 1.234 + length);
            assert!(labels.len() > 2, "{labels:?} {unit}");
            assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?} {unit}");
        }
    }

    #[test]
    fn a_time_is_said_finer_than_the_ticks() {
        let axis = TimeAxis::new((Seconds::ZERO, Seconds::new(2.5)), 6);
        assert_eq!(axis.say(Seconds::new(1.26)), "1.260\u{2009}s");
    }
}
