//! Levers: for each part of a step's time the single change that shrinks it most.

use super::advice;
use super::change::{Change, Turn};
use super::options::turned;
use crate::model::report::Report;
use crate::model::step::waterfall::{StepPart, Waterfall, waterfall};
use crate::params::ParamId;
use crate::scenario::Scenario;

/// A change that shrinks a part of the step's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lever {
    /// The part.
    pub part: StepPart,
    /// The change.
    pub turn: Turn,
    /// The scenario with the change.
    pub scenario: Scenario,
    /// The report of the changed scenario.
    pub report: Report,
    /// Share of the part's time a token that goes, 0 to 1.
    pub less: f64,
    /// Relative gain in tokens per second and GPU of the whole step.
    pub gain: f64,
}

/// Choices of how a step runs, which change no number that it computes but by rounding.
const HOW: [ParamId; 10] = [
    ParamId::AttentionKernel,
    ParamId::Compile,
    ParamId::CudaGraphs,
    ParamId::OptimizerKernel,
    ParamId::SequenceParallel,
    ParamId::AsyncTp,
    ParamId::ContextExchange,
    ParamId::PipelineSchedule,
    ParamId::GradientSync,
    ParamId::Topology,
];

/// Share of a part's time that a lever takes off at least.
const LEAST: f64 = 0.05;
/// Share of the step below which a part needs no lever.
const SMALL: f64 = 0.005;
/// Gain of the whole below which a lever is as good as none: rounding.
const AT_LEAST_AS_FAST: f64 = -1e-9;

/// Returns a lever for each part that has one: settings before hardware, then what takes most off. A run that fits fits with it, and
/// the whole is at least as fast. More GPUs, more memory and shorter sequences are no levers: they are other runs.
pub fn levers(scenario: &Scenario, report: &Report, now: &Waterfall) -> Vec<Lever> {
    let mut best: Vec<Lever> = Vec::new();
    for (turn, scenario) in turns(scenario) {
        let then = scenario.report();
        let gain = then.tokens_per_s_per_gpu / report.tokens_per_s_per_gpu - 1.0;
        if gain < AT_LEAST_AS_FAST || (report.fits() && !then.fits()) {
            continue;
        }
        let split = waterfall(&scenario.setup(), &then);
        for part in StepPart::ALL {
            if part == StepPart::Useful || now.share(part) < SMALL {
                continue;
            }
            let less = 1.0 - per_token(&split, &then, part, &scenario) / per_token(now, report, part, &scenario);
            let lever = Lever { part, turn, scenario, report: then, less, gain };
            match best.iter_mut().find(|best| best.part == part) {
                _ if less < LEAST => {}
                Some(best) if is_better(&lever, best) => *best = lever,
                Some(_) => {}
                None => best.push(lever),
            }
        }
    }
    best.sort_by_key(|lever| lever.part as usize);
    best
}

/// GPU time of a part for a token, up to a factor.
fn per_token(split: &Waterfall, report: &Report, part: StepPart, scenario: &Scenario) -> f64 {
    split.get(part).get() * f64::from(scenario.gpus) / report.tokens_per_step
}

fn effort(turn: Turn) -> u8 {
    match turn {
        Turn::Change(change) => change.effort(),
        Turn::Option(..) => 0,
    }
}

fn is_better(one: &Lever, other: &Lever) -> bool {
    let (own, others) = (effort(one.turn), effort(other.turn));
    own < others || own == others && one.less > other.less
}

/// Returns every change with its scenario.
fn turns(scenario: &Scenario) -> Vec<(Turn, Scenario)> {
    let is_lever = |change: &Change| !matches!(change, Change::Gpus(_) | Change::Memory(_) | Change::SeqLen(_));
    let changes = advice::for_speed(scenario).into_iter().filter(|advised| is_lever(&advised.0));
    let mut turns: Vec<(Turn, Scenario)> = changes.map(|(change, changed)| (Turn::Change(change), changed)).collect();
    let before = advice::errors(scenario);
    turns.extend(turned(scenario, &HOW, before));
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::SCENARIOS;
    use crate::share::decode;

    #[test]
    fn every_lever_keeps_its_promise() {
        let mut found = 0;
        for entry in SCENARIOS {
            let scenario = decode(entry.link).scenario;
            let report = scenario.report();
            let now = waterfall(&scenario.setup(), &report);
            let levers = levers(&scenario, &report, &now);
            found += levers.len();
            for lever in &levers {
                let then = lever.scenario.report();
                assert_eq!(then, lever.report, "{}", entry.id);
                assert!(then.fits() || !report.fits(), "{}: {lever:?}", entry.id);
                assert!(then.tokens_per_s_per_gpu >= report.tokens_per_s_per_gpu * (1.0 - 1e-8), "{}", entry.id);
                let split = waterfall(&lever.scenario.setup(), &then);
                let of = |split: &Waterfall, report: &Report, gpus: u32| {
                    split.get(lever.part).get() * f64::from(gpus) / report.tokens_per_step
                };
                let (before, after) = (of(&now, &report, scenario.gpus), of(&split, &then, lever.scenario.gpus));
                assert!((1.0 - after / before - lever.less).abs() < 1e-9 && lever.less >= LEAST, "{}", entry.id);
            }
            assert!(levers.windows(2).all(|pair| (pair[0].part as usize) < pair[1].part as usize), "one for each part");
        }
        assert!(found > SCENARIOS.len(), "{found}");
    }

    #[test]
    fn the_bubble_of_a_pipeline_shrinks_with_more_micro_batches_or_fewer_stages() {
        let entry = SCENARIOS.iter().find(|entry| entry.id == "gpt-175b-3d").unwrap();
        let scenario = decode(entry.link).scenario;
        let report = scenario.report();
        let levers = levers(&scenario, &report, &waterfall(&scenario.setup(), &report));
        let bubble = levers.iter().find(|lever| lever.part == StepPart::Bubble).unwrap();
        assert!(bubble.less > 0.3 && bubble.gain > 0.0, "{bubble:?}");
    }
}
