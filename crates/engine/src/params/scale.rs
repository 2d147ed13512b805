//! Maps positions to values: sliders, axes, ticks, grids. The only file of the crate that takes
//! logarithms, so that the model does not depend on a platform's mathematics library.
//!
//! Slider values are rounded to at most three significant digits (the roundest number within half a
//! step), so that the last bit of a logarithm never reaches the scenario.

use core::f64::consts::LN_2;

use crate::digits;
use crate::params::{Number, Scale};

/// Ratio of neighbouring positions of a logarithmic slider: at least 1 %, or three digits could not
/// distinguish them.
const LOG_STEP: f64 = 1.02;

/// Approximate number of positions of a linear slider.
const LINEAR_STEPS: f64 = 100.0;

/// Range in steps within which a slider searches for a rounder value: below one half, so that no
/// two positions share a value.
const REACH: f64 = 0.49;

/// Stored bits of the mantissa.
const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// Significant digits of a slider's values.
const SLIDER_DIGITS: usize = 3;

/// Returns the last position of a parameter's slider; the first is 0.
pub fn slider_steps(number: &Number) -> u32 {
    let (min, max) = (number.min, number.max);
    match number.scale {
        Scale::Linear => ((max - min) / linear_step(number)).ceil() as u32,
        // An even number, so that the middle of the range (100 between 1 and 10,000) has a
        // position.
        Scale::Log => ((max / min).ln() / LOG_STEP.ln() / 2.0).round().max(1.0) as u32 * 2,
        Scale::PowersOfTwo => doublings(min).take_while(|&value| value <= max).count().saturating_sub(1) as u32,
    }
}

/// Returns the value at a position of a parameter's slider: within the bounds, increasing with the
/// position.
pub fn slider_value(number: &Number, index: u32) -> f64 {
    let steps = slider_steps(number);
    if index == 0 {
        return number.min;
    }
    match number.scale {
        Scale::PowersOfTwo => doublings(number.min).nth(index.min(steps) as usize).unwrap_or(number.max),
        Scale::Linear | Scale::Log if index >= steps => number.max,
        Scale::Linear => {
            let step = linear_step(number);
            let at = |position: f64| number.min + position * step;
            let position = f64::from(index);
            roundest(at(position - REACH), at(position + REACH), at(position))
        }
        Scale::Log => {
            let at = |position: f64| value_at(Scale::Log, number.min, number.max, position / f64::from(steps));
            let position = f64::from(index);
            let value = roundest(at(position - REACH), at(position + REACH), at(position));
            if number.integer { value.round() } else { value }
        }
    }
}

/// Returns the position of a parameter's slider nearest to a value.
pub fn slider_index(number: &Number, value: f64) -> u32 {
    let steps = slider_steps(number);
    let position = match number.scale {
        Scale::Linear => (value - number.min) / linear_step(number),
        Scale::Log => fraction_at(Scale::Log, number.min, number.max, value) * f64::from(steps),
        Scale::PowersOfTwo => (value / number.min).ln() / LN_2,
    };
    // A cast maps NaN to 0 and saturates at the ends.
    (position.round() as u32).min(steps)
}

/// Returns the value one step above or below a whole number, for an arrow key: a step is 1, and
/// from 256 on a multiple of 64, which suits kernels. Within the bounds.
///
/// ```
/// # use engine::params::{ParamId, scale::nudged};
/// let hidden = ParamId::HiddenSize.number().unwrap();
/// assert_eq!([nudged(&hidden, 32.0, true), nudged(&hidden, 4096.0, false)], [33.0, 4032.0]);
/// ```
pub fn nudged(number: &Number, value: f64, up: bool) -> f64 {
    let step = if value + if up { 0.0 } else { -1.0 } < WIDE { 1.0 } else { WIDTH };
    let next = if up { (value / step).floor() + 1.0 } else { (value / step).ceil() - 1.0 };
    (step * next).clamp(number.min, number.max)
}

/// The value from which arrow keys step by [`WIDTH`].
const WIDE: f64 = 256.0;
/// The step of arrow keys from [`WIDE`] on.
const WIDTH: f64 = 64.0;

/// Returns the position of a value on an axis: 0 at `min`, 1 at `max`, beyond them outside.
pub fn fraction_at(scale: Scale, min: f64, max: f64, value: f64) -> f64 {
    match scale {
        Scale::Linear => (value - min) / (max - min),
        Scale::Log | Scale::PowersOfTwo => (value / min).ln() / (max / min).ln(),
    }
}

/// Returns the value at a position on an axis from 0 to 1; exactly `min` at 0 and `max` at 1.
pub fn value_at(scale: Scale, min: f64, max: f64, fraction: f64) -> f64 {
    if fraction == 0.0 {
        return min;
    }
    if fraction == 1.0 {
        return max;
    }
    match scale {
        Scale::Linear => min + fraction * (max - min),
        Scale::Log | Scale::PowersOfTwo => min * ((max / min).ln() * fraction).exp(),
    }
}

/// Returns point `i` of `n` points spread evenly along an axis, including both ends.
pub fn sample(scale: Scale, min: f64, max: f64, i: usize, n: usize) -> f64 {
    if n < 2 {
        return min;
    }
    value_at(scale, min, max, i as f64 / (n - 1) as f64)
}

/// Returns the ticks of an axis: at most about `most` round values within its ends, ascending.
/// Powers of ten on logarithmic axes, 1-2-5 if the span is too short for them, powers of two on
/// axes of doublings. Empty for an axis of zero length.
pub fn ticks(scale: Scale, min: f64, max: f64, most: usize) -> Vec<f64> {
    if !(min.is_finite() && max.is_finite() && min < max) || most == 0 {
        return Vec::new();
    }
    if min > 0.0 {
        let candidates = match scale {
            Scale::Linear => Vec::new(),
            Scale::Log => log_ticks(min, max, most),
            Scale::PowersOfTwo => thinned(&powers_of_two(min, max), most),
        };
        if candidates.len() >= 2 {
            return candidates;
        }
    }
    linear_ticks(min, max, most)
}

/// Returns the densest set that fits: 1-2-5 in every decade, every decade, every second decade, ...
fn log_ticks(min: f64, max: f64, most: usize) -> Vec<f64> {
    let within = |value: &f64| (min..=max).contains(value);
    let decades = digits::exponent(min)..=digits::exponent(max);
    let one_two_five: Vec<f64> = decades
        .clone()
        .flat_map(|exponent| [1, 2, 5].map(|digit| digits::scientific(digit, exponent)))
        .filter(within)
        .collect();
    if one_two_five.len() <= most {
        return one_two_five;
    }
    let tens: Vec<f64> = decades.map(|exponent| digits::scientific(1, exponent)).filter(within).collect();
    if tens.len() >= 2 { thinned(&tens, most) } else { thinned(&one_two_five, most) }
}

/// Returns multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(min: f64, max: f64, most: usize) -> Vec<f64> {
    let (digit, exponent) = round_step((max - min) / most as f64);
    let step = digits::scientific(digit, exponent);
    let first = (min / step).ceil();
    let last = (max / step).floor();
    // Parsed from text rather than multiplied, so that 3 x 0.1 is 0.3.
    let multiples = (first as i64..=last as i64).take(most + 1);
    multiples
        .map(|multiple| digits::scientific(multiple.saturating_mul(digit), exponent))
        .filter(|tick| (min..=max).contains(tick))
        .collect()
}

/// Returns every power of two from `min` to `max`.
fn powers_of_two(min: f64, max: f64) -> Vec<f64> {
    // A power of two has no mantissa bits.
    let first = min.to_bits().checked_next_multiple_of(1 << MANTISSA_BITS).map_or(f64::NAN, f64::from_bits);
    doublings(first).take_while(|&value| value <= max).collect()
}

/// Returns every k-th value, with the smallest k that leaves at most `most`.
fn thinned(values: &[f64], most: usize) -> Vec<f64> {
    values.iter().copied().step_by(values.len().div_ceil(most).max(1)).collect()
}

/// Iterates over a value and its doublings; ends before an overflow, and immediately if the value
/// does not grow.
fn doublings(first: f64) -> impl Iterator<Item = f64> {
    core::iter::successors(Some(first), |&value| Some(value * 2.0))
        .take_while(|value| value.is_finite() && *value > 0.0)
}

/// Returns the step of a linear slider: at least 1 for whole numbers.
fn linear_step(number: &Number) -> f64 {
    let (digit, exponent) = round_step((number.max - number.min) / LINEAR_STEPS / 2.0);
    let step = digits::scientific(digit, exponent);
    if number.integer && step < 1.0 { 1.0 } else { step }
}

/// Returns the smallest of 1, 2 or 5 times a power of ten that is not below a span.
fn round_step(span: f64) -> (i64, i32) {
    let exponent = digits::exponent(span);
    [(1, exponent), (2, exponent), (5, exponent)]
        .into_iter()
        .find(|&(digit, exponent)| digits::scientific(digit, exponent) >= span)
        .unwrap_or((1, exponent + 1))
}

/// Returns the number with the fewest significant digits, at most three, between two bounds; among
/// equals the one nearest to `middle`.
fn roundest(low: f64, high: f64, middle: f64) -> f64 {
    let round = |digits: usize| digits::rounded(middle, digits);
    (1..SLIDER_DIGITS).map(round).find(|&value| low < value && value < high).unwrap_or_else(|| round(SLIDER_DIGITS))
}

#[cfg(test)]
mod tests;
