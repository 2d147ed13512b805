//! Sensitivity: the change of the result when each number grows by a tenth or doubles, with the
//! others fixed.

use super::neighbour_layouts::sequences;
use super::sweep::{self, Sample};
use engine::params::{CONSTANTS, Number, PARAMS, Param, ParamId, ParamKind};
use engine::scenario::Scenario;

/// The effect of one change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The result with the change, as the caller measures it.
    pub value: f64,
    /// Whether the changed scenario fits.
    pub fits: bool,
    /// Tokens of a step with the change, as a multiple of those before.
    pub batch: f64,
}

/// A number of the scenario and its effect on the result.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// The parameter.
    pub param: &'static Param,
    /// The present value.
    pub now: f64,
    /// Effect of a value a tenth larger; `None` if that value is not allowed.
    pub tenth: Option<Effect>,
    /// Effect of twice the value; `None` if that value is not allowed.
    pub doubled: Option<Effect>,
}

/// Relative distance by which a stored value may differ from the requested one: whole numbers are
/// rounded.
const NEAR: f64 = 0.02;
/// Tenths in a doubling, `ln 2 / ln 1.1`: scales the effect of a tenth so that it compares with a
/// doubling.
const TENTHS: f64 = 7.27;
/// Changes smaller than this fraction of the result are ignored.
const LEAST: f64 = 0.0005;

/// Numbers that users do not set: the fractions of their peaks that kernels and links reach, fitted
/// to published runs or borrowed from other silicon, and the balance of tokens over experts.
const UNSURE: [ParamId; 16] = [
    ParamId::MatmulEfficiency,
    ParamId::Matmul8BitEfficiency,
    ParamId::Matmul4BitEfficiency,
    ParamId::AttentionEfficiency,
    ParamId::TunedAttentionEfficiency,
    ParamId::MemoryEfficiency,
    ParamId::HalfSaturationTokens,
    ParamId::LaunchTime,
    ParamId::IntraNodeLatency,
    ParamId::IntraNodeEfficiency,
    ParamId::InterNodeLatency,
    ParamId::InterNodeEfficiency,
    ParamId::AllReducePasses,
    ParamId::NodeDecay,
    ParamId::UsableMemory,
    ParamId::Imbalance,
];

/// The numbers to rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knobs {
    /// Numbers that a user can set: model, run and hardware.
    Levers,
    /// Numbers that the prediction is uncertain about.
    Unsure,
}

impl Knobs {
    /// Whether a parameter belongs to the group.
    pub fn has(self, param: &Param) -> bool {
        UNSURE.contains(&param.id) == (self == Self::Unsure)
    }
}

/// Returns the numbers that change a result most, at most `count`, the strongest first. A number
/// whose change makes the run fit comes before all others. `measure` returns the result of a
/// scenario, given its sample.
pub fn strongest(
    scenario: &Scenario,
    (knobs_of, count): (Knobs, usize),
    measure: &dyn Fn(&Scenario, &Sample) -> f64,
) -> Vec<Knob> {
    let sample = sweep::sample(scenario);
    let (now, fits) = (measure(scenario, &sample), sample.fits());
    let mut knobs: Vec<(f64, Knob)> = Vec::new();
    for param in PARAMS.iter().chain(CONSTANTS) {
        let ParamKind::Number(number) = &param.kind else { continue };
        if !param.is_knob(scenario) || !knobs_of.has(param) {
            continue;
        }
        let effect = |factor: f64| {
            let moved = times(scenario, number, factor)?;
            let sample = sweep::sample(&moved);
            let tokens = |of: &Scenario| sequences(of) * f64::from(of.seq_len.max(1));
            let batch = tokens(&moved) / tokens(scenario);
            Some(Effect { value: measure(&moved, &sample), fits: sample.fits(), batch })
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

/// Returns the scenario with one number multiplied by `factor`; `None` if the result is not
/// allowed.
fn times(scenario: &Scenario, number: &Number, factor: f64) -> Option<Scenario> {
    let now = (number.get)(scenario);
    let wanted = factor * now;
    // Zero times a factor is zero.
    if now <= 0.0 || wanted > number.max * (1.0 + NEAR) {
        return None;
    }
    let mut moved = *scenario;
    sweep::assign(&mut moved, number, wanted.max(number.min).min(number.max));
    let reached = (number.get)(&moved);
    let near = (reached / wanted - 1.0).abs() <= NEAR;
    (near && (is_whole(&moved) || !is_whole(scenario))).then_some(moved)
}

/// Whether every degree of parallelism is used as requested.
fn is_whole(scenario: &Scenario) -> bool {
    let degrees = scenario.degrees();
    let of_experts =
        !scenario.model.architecture().has_experts() || (degrees.ep, degrees.etp) == (scenario.ep, scenario.etp);
    (degrees.tp, degrees.cp, degrees.pp) == (scenario.tp, scenario.cp, scenario.pp) && of_experts
}

/// Returns the relative change of the result for one doubling.
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
    use catalog::default_scenario;
    use engine::units::{Bytes, BytesPerSecond};

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
        let slow = strongest(&scenario, (Knobs::Levers, 10), &mfu);
        // The network determines the step time: twice the peak gives an equal time and half the
        // MFU; twice the link bandwidth raises the MFU.
        let peak = find(&slow, ParamId::Peak16Bit).unwrap().doubled.unwrap();
        assert!((peak.value / now.update.mfu - 0.5).abs() < 0.02, "{}", peak.value / now.update.mfu);
        let link = find(&slow, ParamId::LinkBandwidth).unwrap().doubled.unwrap();
        assert!(link.value / now.update.mfu > 1.7, "{}", link.value / now.update.mfu);
        scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(1600.0);
        let fast = strongest(&scenario, (Knobs::Levers, 10), &mfu);
        let unsure = strongest(&scenario, (Knobs::Unsure, 10), &mfu);
        assert!(find(&fast, ParamId::MatmulEfficiency).is_none() && find(&unsure, ParamId::LinkBandwidth).is_none());
        let matmul = find(&unsure, ParamId::MatmulEfficiency).unwrap();
        assert!(matmul.tenth.unwrap().value > 1.04 * scenario.report().update.mfu);
        assert!(
            find(&fast, ParamId::LinkBandwidth)
                .is_none_or(|link| link.doubled.unwrap().value < 1.05 * scenario.report().update.mfu)
        );
    }

    #[test]
    fn each_is_the_engine_s_own_answer_and_the_strongest_is_first() {
        let scenario = default_scenario();
        let knobs = strongest(&scenario, (Knobs::Levers, 12), &mfu);
        assert!(knobs.len() >= 6);
        let now = scenario.report().update.mfu;
        let strengths: Vec<f64> = knobs.iter().map(|knob| strength(knob, now, true)).collect();
        assert!(strengths.windows(2).all(|pair| pair[0] >= pair[1]), "{strengths:?}");
        for knob in &knobs {
            let ParamKind::Number(number) = &knob.param.kind else { panic!() };
            assert_eq!(knob.now, (number.get)(&scenario));
            for (factor, effect) in [(1.1, knob.tenth), (2.0, knob.doubled)] {
                let Some(effect) = effect else { continue };
                let mut moved = scenario;
                sweep::assign(&mut moved, number, factor * knob.now);
                assert_eq!(
                    effect,
                    Effect {
                        value: moved.report().update.mfu,
                        fits: moved.report().fits(),
                        batch: moved.report().tokens_per_step / scenario.report().tokens_per_step,
                    },
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
        let knobs = strongest(&scenario, (Knobs::Levers, 10), &mfu);
        assert!(knobs.first().is_some_and(|knob| knob.doubled.is_some_and(|effect| effect.fits)));
        assert!(find(&knobs, ParamId::GpuMemory).is_some());
    }
}
