//! Which number moves the result most: each raised by a tenth and doubled, the rest as it is.

use super::sweep::{self, Sample};
use crate::params::{CONSTANTS, Kind, Number, PARAMS, Param};
use crate::scenario::Scenario;

/// What one change does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The result with the change, as the caller measures it.
    pub value: f64,
    /// Whether it fits.
    pub fits: bool,
}

/// One number of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// The parameter.
    pub param: &'static Param,
    /// Its value.
    pub now: f64,
    /// With a tenth more; `None` where there is no such value.
    pub tenth: Option<Effect>,
    /// Doubled; `None` where there is no such value.
    pub doubled: Option<Effect>,
}

/// How far a value that was set may lie from what was asked: whole numbers are rounded.
const NEAR: f64 = 0.02;
/// Tenths in a doubling, `ln 2 / ln 1.1`: by these, what cannot be doubled stands beside what can.
const TENTHS: f64 = 7.27;
/// Changes smaller than this share of the result are none.
const LEAST: f64 = 0.0005;

/// The numbers that move a result most, at most `count` of them, the strongest first; one that makes fit what does not is before all
/// others. `measure` gives the result of a scenario of which the sample is known.
pub fn strongest(scenario: &Scenario, count: usize, measure: &dyn Fn(&Scenario, &Sample) -> f64) -> Vec<Knob> {
    let sample = sweep::sample(scenario);
    let (now, fits) = (measure(scenario, &sample), sample.fits());
    let mut knobs: Vec<(f64, Knob)> = Vec::new();
    for param in PARAMS.iter().chain(CONSTANTS) {
        let Kind::Number(number) = &param.kind else { continue };
        if !param.is_knob(scenario) {
            continue;
        }
        let effect = |factor: f64| {
            let moved = times(scenario, number, factor)?;
            let sample = sweep::sample(&moved);
            Some(Effect { value: measure(&moved, &sample), fits: sample.fits() })
        };
        let knob = Knob { param, now: (number.get)(scenario), tenth: effect(1.1), doubled: effect(2.0) };
        let strength = strength(&knob, now, fits);
        if strength > LEAST {
            knobs.push((strength, knob));
        }
    }
    let mut strongest = Vec::with_capacity(count);
    while strongest.len() < count
        && let Some((first, _)) = knobs.iter().enumerate().max_by(|(_, one), (_, other)| one.0.total_cmp(&other.0))
    {
        strongest.push(knobs.swap_remove(first).1);
    }
    strongest
}

/// The scenario with one number so many times as large; `None` where it cannot be.
fn times(scenario: &Scenario, number: &Number, factor: f64) -> Option<Scenario> {
    let now = (number.get)(scenario);
    let wanted = factor * now;
    // Nothing doubled is nothing.
    if now <= 0.0 || wanted > number.max * (1.0 + NEAR) {
        return None;
    }
    let mut moved = *scenario;
    sweep::assign(&mut moved, number, wanted.max(number.min).min(number.max));
    let reached = (number.get)(&moved);
    let near = (reached / wanted - 1.0).abs() <= NEAR;
    (near && (is_whole(&moved) || !is_whole(scenario))).then_some(moved)
}

/// Whether every degree of parallelism is computed with as it was asked for.
fn is_whole(scenario: &Scenario) -> bool {
    let degrees = scenario.degrees();
    let of_experts =
        !scenario.model.architecture().has_experts() || (degrees.ep, degrees.etp) == (scenario.ep, scenario.etp);
    (degrees.tp, degrees.cp, degrees.pp) == (scenario.tp, scenario.cp, scenario.pp) && of_experts
}

/// How much a doubling moves the result, as a share of it.
fn strength(knob: &Knob, now: f64, fits: bool) -> f64 {
    let of = |effect: Option<Effect>| {
        effect.map_or(0.0, |effect| {
            let fitting = f64::from(u8::from(effect.fits && !fits)) / LEAST;
            let change = (effect.value / now - 1.0).abs();
            fitting + if change.is_finite() { change } else { 0.0 }
        })
    };
    if knob.doubled.is_some() { of(knob.doubled).max(of(knob.tenth)) } else { TENTHS * of(knob.tenth) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::default_scenario;
    use crate::params::ParamId;
    use crate::units::{Bytes, BytesPerSecond};

    fn mfu(_: &Scenario, sample: &Sample) -> f64 {
        sample.mfu
    }

    fn find(knobs: &[Knob], id: ParamId) -> Option<&Knob> {
        knobs.iter().find(|knob| knob.param.id == id)
    }

    #[test]
    fn what_limits_moves_most() {
        let mut scenario = default_scenario();
        scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(25.0);
        let now = scenario.report();
        let slow = strongest(&scenario, 10, &mfu);
        // The network sets the time: twice the peak is as fast, and so half as well used; twice the link is not.
        let peak = find(&slow, ParamId::Peak16Bit).unwrap().doubled.unwrap();
        assert!((peak.value / now.mfu - 0.5).abs() < 0.02, "{}", peak.value / now.mfu);
        let link = find(&slow, ParamId::LinkBandwidth).unwrap().doubled.unwrap();
        assert!(link.value / now.mfu > 1.7, "{}", link.value / now.mfu);
        scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(1600.0);
        let fast = strongest(&scenario, 10, &mfu);
        let matmul = find(&fast, ParamId::MatmulEfficiency).unwrap();
        assert!(matmul.tenth.unwrap().value > 1.04 * scenario.report().mfu);
        assert!(
            find(&fast, ParamId::LinkBandwidth)
                .is_none_or(|link| link.doubled.unwrap().value < 1.05 * scenario.report().mfu)
        );
    }

    #[test]
    fn each_is_the_engine_s_own_answer_and_the_strongest_is_first() {
        let scenario = default_scenario();
        let knobs = strongest(&scenario, 12, &mfu);
        assert!(knobs.len() >= 8);
        let now = scenario.report().mfu;
        let strengths: Vec<f64> = knobs.iter().map(|knob| strength(knob, now, true)).collect();
        assert!(strengths.windows(2).all(|pair| pair[0] >= pair[1]), "{strengths:?}");
        for knob in &knobs {
            let Kind::Number(number) = &knob.param.kind else { panic!() };
            assert_eq!(knob.now, (number.get)(&scenario));
            for (factor, effect) in [(1.1, knob.tenth), (2.0, knob.doubled)] {
                let Some(effect) = effect else { continue };
                let mut moved = scenario;
                sweep::assign(&mut moved, number, factor * knob.now);
                assert_eq!(
                    effect,
                    Effect { value: moved.report().mfu, fits: moved.report().fits() },
                    "{}",
                    knob.param.key
                );
            }
        }
    }

    #[test]
    fn where_it_does_not_fit_what_makes_it_fit_is_first() {
        let mut scenario = default_scenario();
        scenario.accelerator.values.memory = Bytes::from_gib(20.0);
        assert!(!scenario.report().fits());
        let knobs = strongest(&scenario, 10, &mfu);
        assert!(knobs.first().is_some_and(|knob| knob.doubled.is_some_and(|effect| effect.fits)));
        assert!(find(&knobs, ParamId::GpuMemory).is_some());
    }
}
