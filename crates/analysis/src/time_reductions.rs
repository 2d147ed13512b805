//! The single change that reduces each part of a step's time most.

use super::advice::Advice;
use super::candidates::{Goal, candidates};
use super::change::{Change, Turn};
use engine::model::report::Report;
use engine::model::step::waterfall::{StepPart, Waterfall, waterfall};
use engine::scenario::Scenario;

/// A change that reduces a part of the step's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeReduction {
    /// The part.
    pub part: StepPart,
    /// The change.
    pub advice: Advice,
    /// Fraction of the part's time per token that the change saves, 0 to 1.
    pub less: f64,
}

/// Smallest fraction of a part's time that a listed change saves.
const LEAST: f64 = 0.05;
/// Share of the step below which no change is listed for a part.
const SMALL: f64 = 0.005;
/// Change of the whole step that counts as none: rounding.
const AT_LEAST_AS_FAST: f64 = -1e-9;

/// Returns at most one change for each part: the cheapest and, among equally cheap ones, the one
/// that saves most. Candidates are the changes that [`super::advice::advise`] chooses from. The
/// step gets no slower, and a run that fits still fits its GPUs, at acceptable odds, and its hosts.
/// More GPUs, more memory and shorter sequences change the run itself, so they are not candidates.
pub fn time_reductions(scenario: &Scenario, report: &Report, now: &Waterfall) -> Vec<TimeReduction> {
    let mut best: Vec<TimeReduction> = Vec::new();
    let fits = Goal::of(scenario, report) == Goal::Speed;
    for (turn, changed) in candidates(scenario, Goal::Speed) {
        if !is_lever(turn) {
            continue;
        }
        let advice = Advice::evaluate((scenario, report), turn, changed);
        let keeps_fitting = !fits || advice.keeps_fitting(report);
        if advice.gain < AT_LEAST_AS_FAST || !keeps_fitting {
            continue;
        }
        let split = waterfall(&advice.scenario.setup(), &advice.report);
        for part in StepPart::ALL {
            if part == StepPart::Useful || now.share(part) < SMALL {
                continue;
            }
            // Slower compute hides data loading without a gain.
            if part == StepPart::Loading && advice.gain < LEAST {
                continue;
            }
            let then = per_token(&split, &advice.report, part, &advice.scenario);
            let less = 1.0 - then / per_token(now, report, part, scenario);
            let lever = TimeReduction { part, advice, less };
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

fn is_lever(turn: Turn) -> bool {
    !matches!(turn, Turn::Change(Change::Gpus(_) | Change::Memory(_) | Change::SeqLen(_)))
}

/// Returns the GPU time of a part per token, up to a factor.
fn per_token(split: &Waterfall, report: &Report, part: StepPart, scenario: &Scenario) -> f64 {
    split.get(part).get() * f64::from(scenario.gpus) / report.tokens_per_step
}

fn is_better(one: &TimeReduction, other: &TimeReduction) -> bool {
    let order = |lever: &TimeReduction| (lever.advice.price, lever.advice.lack.is_some());
    order(one).cmp(&order(other)).then(other.less.total_cmp(&one.less)).is_lt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::SCENARIOS;
    use links::decode;

    #[test]
    fn every_lever_keeps_its_promise() {
        let mut found = 0;
        for entry in SCENARIOS {
            let scenario = decode(entry.link).scenario;
            let report = scenario.report();
            let now = waterfall(&scenario.setup(), &report);
            let levers = time_reductions(&scenario, &report, &now);
            found += levers.len();
            for lever in &levers {
                let then = lever.advice.scenario.report();
                assert_eq!(then, lever.advice.report, "{}", entry.id);
                assert!(then.fits() || !report.fits(), "{}: {lever:?}", entry.id);
                assert!(
                    then.whole().tokens_per_s_per_gpu >= report.whole().tokens_per_s_per_gpu * (1.0 - 1e-8),
                    "{}",
                    entry.id
                );
                let split = waterfall(&lever.advice.scenario.setup(), &then);
                let of = |split: &Waterfall, report: &Report, gpus: u32| {
                    split.get(lever.part).get() * f64::from(gpus) / report.tokens_per_step
                };
                let (before, after) = (of(&now, &report, scenario.gpus), of(&split, &then, lever.advice.scenario.gpus));
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
        let levers = time_reductions(&scenario, &report, &waterfall(&scenario.setup(), &report));
        let bubble = levers.iter().find(|lever| lever.part == StepPart::Bubble).unwrap();
        assert!(bubble.less > 0.3 && bubble.advice.gain > 0.0, "{bubble:?}");
    }
}
