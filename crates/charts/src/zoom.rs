//! Parts of an axis: selection by drag, and narrowing, widening and moving by key.

use super::layout::{share, value};
use super::spec::{Axis, Grain};
pub use super::timeline::VisibleRange;
use engine::rounding;

/// Smallest relative difference of a part's ends: its ticks have three digits.
const LEAST: f64 = 0.05;
/// Smallest fraction of a step.
const LEAST_OF_A_STEP: f64 = 1e-7;

/// Rounds an end of a part like a click.
fn end(axis: &Axis, place: f64) -> f64 {
    match axis.grain {
        Grain::Step(..) | Grain::Down(_) => Axis { own: None, ..axis.clone() }.settled(place),
        _ => rounding::nearest(place),
    }
}

/// Returns the part between two places of an axis, in either order; `None` if it is too narrow.
pub fn between(axis: &Axis, one: f64, other: f64) -> Option<VisibleRange> {
    let (low, high) = (end(axis, one.min(other)), end(axis, one.max(other)));
    let least = if matches!(axis.grain, Grain::Step(..)) { LEAST_OF_A_STEP } else { LEAST * high.abs() };
    (high - low >= least && low.is_finite() && high.is_finite()).then_some((low, high))
}

/// Widens the visible range by `factor` around a fixed place; the result may exceed the axis.
pub fn around(axis: &Axis, place: f64, factor: f64) -> Option<VisibleRange> {
    let from = share(axis, place) * (1.0 - factor);
    between(axis, value(axis, from), value(axis, from + factor))
}

/// Moves the visible range by a fraction of its length; the result may exceed the axis.
pub fn moved(axis: &Axis, by: f64) -> Option<VisibleRange> {
    between(axis, value(axis, by), value(axis, 1.0 + by))
}

/// Clips a part to the whole axis; `None` if nothing is left, or if it is the whole axis.
pub fn bounded((low, high): VisibleRange, (min, max): VisibleRange) -> Option<VisibleRange> {
    let (low, high) = (low.max(min), high.min(max));
    (low < high && (low, high) != (min, max)).then_some((low, high))
}

/// Moves a part that exceeds the axis back onto it, with its length.
pub fn pushed_in((low, high): VisibleRange, (min, max): VisibleRange) -> VisibleRange {
    let back = if low < min { min - low } else { (max - high).min(0.0) };
    (low + back, high + back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Zoom;
    use crate::views::{Metric, Scratch, mfu_curve, timeline};
    use catalog::default_scenario;
    use engine::params::ParamId;

    fn axis(id: ParamId) -> Axis {
        mfu_curve(&default_scenario(), id, Metric::Mfu, false, &mut Scratch::default()).x
    }

    #[test]
    fn a_part_has_round_ends_in_either_order() {
        let seq = axis(ParamId::SequenceLength);
        assert_eq!(between(&seq, 8_200.4, 1_100.0), Some((1024.0, 8192.0)));
        assert_eq!(between(&axis(ParamId::LinkBandwidth), 123.4, 56.78), Some((56.8, 123.0)));
        assert_eq!(between(&seq, 8192.0, 8193.0), None);
        assert_eq!(between(&seq, f64::NAN, f64::NAN), None);
    }

    #[test]
    fn narrowing_keeps_the_place_and_widening_is_its_inverse() {
        let mut link = axis(ParamId::LinkBandwidth);
        let (low, high) = around(&link, 200.0, 0.5).unwrap();
        assert!(link.min < low && low < 200.0 && 200.0 < high && high < link.max);
        let before = share(&link, 200.0);
        (link.min, link.max) = (low, high);
        assert!((share(&link, 200.0) - before).abs() < 0.01);
        assert_eq!(bounded(around(&link, 200.0, 2.0).unwrap(), (10.0, 1600.0)), None);
        assert_eq!(bounded((1.0, 20.0), (10.0, 1600.0)), Some((10.0, 20.0)));
        assert_eq!(bounded((1.0, 2.0), (10.0, 1600.0)), None);
        assert_eq!(bounded((f64::NAN, 2.0), (10.0, 1600.0)), None);
    }

    #[test]
    fn a_part_of_a_timeline_is_a_share_of_the_step() {
        let spec = timeline(&default_scenario(), Zoom::WHOLE, false);
        let (low, high) = around(&spec.x, 0.25 * spec.x.max, 0.5).unwrap();
        assert!((low - 0.125).abs() < 1e-9 && (high - 0.625).abs() < 1e-9, "{low} {high}");
        let (low, high) = moved(&spec.x, 0.5).unwrap();
        assert!((low - 0.5).abs() < 1e-9 && (high - 1.5).abs() < 1e-9);
        assert_eq!(pushed_in((0.5, 1.5), (0.0, 1.0)), (0.0, 1.0));
        assert_eq!(pushed_in((-0.25, 0.25), (0.0, 1.0)), (0.0, 0.5));
    }
}
