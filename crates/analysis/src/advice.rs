//! Advice: single changes to a scenario that make it fit or make it faster, each evaluated by the
//! engine.

use super::candidates::{Goal, candidates};
use super::change::{Price, Turn};
use engine::model::odds::{SURE, Verdict};
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::expressed::Lack;

/// A change together with its effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// The change.
    pub turn: Turn,
    /// The scenario with the change.
    pub scenario: Scenario,
    /// The report of the changed scenario.
    pub report: Report,
    /// Relative gain in tokens per second and GPU: 0.1 is 10 % faster.
    pub gain: f64,
    /// Cost of the change.
    pub price: Price,
    /// The part of the change that the framework cannot run.
    pub lack: Option<Lack>,
}

/// Number of changes that [`advise`] returns at most.
pub const MOST: usize = 3;
/// Smallest gain worth showing; smaller gains are well within the model's own error.
pub const LEAST_GAIN: f64 = 0.02;
/// Gain at which a run that fits surely may become tight.
const LARGE_GAIN: f64 = 0.2;
/// Gain below which a run takes more GPU hours than the same speed on twice as many GPUs, whose
/// memory makes room too.
const LARGEST_LOSS: f64 = -0.5;
/// Relative difference that counts as rounding.
const ROUNDING: f64 = 1e-9;

/// Whether a gain in speed is worth its cost in odds of fitting: the expected speed must not fall,
/// and a run that fits surely must not become tight for a gain of less than 20 %.
pub fn is_worth_the_odds(gain: f64, before: f64, after: f64) -> bool {
    let falls = (1.0 + gain) * after < before * (1.0 - ROUNDING);
    let risks = before >= SURE && after < SURE && gain < LARGE_GAIN;
    !falls && !risks
}

/// Whether a run that fits may lose speed for better odds: at most half of its tokens per second
/// and GPU. Beyond, the change costs more GPU hours than twice the GPUs, which is the hardware that
/// [`advise`] offers for the same odds.
pub fn is_worth_the_time(gain: f64) -> bool {
    gain >= LARGEST_LOSS
}

impl Advice {
    /// Evaluates a change.
    pub(super) fn evaluate((before, report_before): (&Scenario, &Report), turn: Turn, scenario: Scenario) -> Self {
        let report = scenario.report();
        let gain = report.whole().tokens_per_s_per_gpu / report_before.whole().tokens_per_s_per_gpu - 1.0;
        let is_same_batch = report.tokens_per_step == report_before.tokens_per_step;
        let price = if is_same_batch { turn.price() } else { turn.price().max(Price::Training) };
        Self { turn, scenario, report, gain, price, lack: scenario.lack_beside(before) }
    }

    /// Returns the key by which changes are ordered before their gain.
    fn order(&self) -> (Price, bool, bool) {
        (self.price, self.lack.is_some(), !self.report.is_sure())
    }

    /// Whether the changed run fits and its gain in speed is worth its odds.
    pub(super) fn keeps_fitting(&self, before: &Report) -> bool {
        let odds = [before, &self.report].map(Report::odds);
        Goal::Fit.is_reached(&self.scenario, &self.report) && is_worth_the_odds(self.gain, odds[0], odds[1])
    }
}

/// Returns up to three changes, in the order settings, other training, hardware.
///
/// A run that does not fit gets changes that make it fit, a run that fits gets changes that make it
/// at least two percent faster. Changes after which the run fits surely come before others of
/// their price, the fastest first. Always included are the [`margin`] of a tight run, the largest
/// gain without hardware, and the hardware with the largest gain.
pub fn advise(scenario: &Scenario, report: &Report) -> Vec<Advice> {
    let goal = Goal::of(scenario, report);
    let found = ranked(scenario, report, goal);
    let software = || found.iter().filter(|one| one.price != Price::Bought);
    let by_gain = |one: &&Advice, other: &&Advice| one.gain.total_cmp(&other.gain);
    let most = software().max_by(by_gain).filter(|_| goal == Goal::Speed);
    let first = software().next();
    let hardware = found.iter().find(|one| one.price == Price::Bought);
    let margin = margin(scenario, report);
    let mut offered: Vec<Advice> = Vec::with_capacity(MOST);
    let chosen = if goal == Goal::Speed { [most, hardware, first] } else { [first, hardware, None] };
    for one in margin.iter().chain(chosen.into_iter().flatten()) {
        if offered.len() < MOST && offered.iter().all(|other| other.turn != one.turn) {
            offered.push(*one);
        }
    }
    for one in software() {
        // The rest has one change of each kind: the best strategy, the best micro-batch.
        if offered.len() < MOST && offered.iter().all(|other| !other.turn.is_like(one.turn)) {
            offered.push(*one);
        }
    }
    offered.sort_by_key(Advice::order);
    offered
}

/// Returns the cheapest change after which a tight run fits in eight of ten cases: settings before
/// other training and hardware, then the fastest. `None` if the run is not tight, or if no change
/// that is worth its time ([`is_worth_the_time`]) suffices.
pub fn margin(scenario: &Scenario, report: &Report) -> Option<Advice> {
    let tight = report.verdict() == Verdict::Tight;
    if tight { ranked(scenario, report, Goal::Margin).first().copied() } else { None }
}

/// Returns every change that achieves the goal: the cheapest first, then those that the framework
/// can run, then those that fit surely, then the largest gain.
fn ranked(scenario: &Scenario, report: &Report, goal: Goal) -> Vec<Advice> {
    let helps = |advice: &Advice| match goal {
        Goal::Speed => advice.gain >= LEAST_GAIN && advice.keeps_fitting(report),
        Goal::Fit => goal.is_reached(&advice.scenario, &advice.report),
        Goal::Margin => goal.is_reached(&advice.scenario, &advice.report) && is_worth_the_time(advice.gain),
    };
    let mut found: Vec<Advice> = candidates(scenario, goal)
        .into_iter()
        .map(|(turn, changed)| Advice::evaluate((scenario, report), turn, changed))
        .filter(helps)
        .collect();
    found.sort_by(|one, other| one.order().cmp(&other.order()).then(other.gain.total_cmp(&one.gain)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::candidates::{allowed, changes};
    use super::super::change::errors;
    use super::super::change::{Change, apply};
    use super::*;
    use engine::scenario::Strategy;
    use links::decode;

    #[test]
    fn every_advice_keeps_its_promise() {
        let mut scenario = catalog::default_scenario();
        for seq_len in [1024, 8192, 65_536, 524_288] {
            scenario.seq_len = seq_len;
            let report = scenario.report();
            for advice in advise(&scenario, &report) {
                assert!(advice.report.fits());
                assert_eq!(advice.scenario.report(), advice.report);
                let for_margin = margin(&scenario, &report) == Some(advice);
                assert!(!report.fits() || for_margin || advice.gain >= LEAST_GAIN);
            }
        }
    }

    /// Twice as many GPUs are divisible by a tensor-parallel degree of 2, which removes one error,
    /// but exceed the parameter's maximum, which adds another.
    #[test]
    fn no_advice_leaves_the_bounds_of_a_parameter() {
        let scenario = decode("v=1&gpus=131071&tp=2").scenario;
        let doubled = Change::Gpus(2 * scenario.gpus);
        assert_eq!(errors(&apply(&scenario, doubled)), errors(&scenario));
        assert_eq!(allowed(&scenario, errors(&scenario), doubled), None);
    }

    #[test]
    fn settings_of_memory_are_tried_where_it_is_short() {
        let mut scenario = catalog::default_scenario();
        scenario.network.values.gpus_per_node = 8;
        let found = changes(&scenario, Goal::Fit);
        for change in [Change::TensorParallel(8), Change::FusedLoss, Change::Offload, Change::Optimizer8bit] {
            assert!(found.contains(&change), "{change:?}");
            assert_eq!(errors(&apply(&scenario, change)), 0, "{change:?}");
        }
        scenario.tp = 8;
        assert!(changes(&scenario, Goal::Speed).contains(&Change::TensorParallel(4)));
        (scenario.pp, scenario.grad_accum_steps) = (8, 4);
        for change in [Change::Pipeline(4), Change::MicroBatches(8)] {
            assert!(changes(&scenario, Goal::Speed).contains(&change), "{change:?}");
        }
        (scenario.pp, scenario.grad_accum_steps) = (1, 1);
        let hybrid = apply(&scenario, Change::Strategy(Strategy::HybridShard));
        assert_eq!((hybrid.shard_size, errors(&hybrid)), (1, 0));
    }

    #[test]
    fn experts_across_slow_links_are_advised_into_the_node() {
        let entry = catalog::SCENARIOS.iter().find(|entry| entry.id == "moe-slow-links").unwrap();
        let scenario = links::decode(entry.link).scenario;
        let found = advise(&scenario, &scenario.report());
        let change = found.first().map(|first| first.turn);
        assert_eq!(change, Some(Turn::Change(Change::ExpertParallel(8))), "{found:?}");
        assert!(!changes(&catalog::default_scenario(), Goal::Speed).contains(&Change::FusedDispatcher));
    }

    #[test]
    fn a_run_that_does_not_fit_is_helped_first_by_settings() {
        let mut scenario = catalog::default_scenario();
        scenario.seq_len = 8192;
        let report = scenario.report();
        assert!(!report.fits());
        let advice = advise(&scenario, &report);
        assert!(advice.first().is_some_and(|first| first.price == Price::Free), "{advice:?}");
    }

    /// Eight ranks offload the 16 bytes a parameter of a 70B model: 1,045 GiB, and half of that in
    /// pinned buffers. A host with 2 TiB holds them, one with 512 GiB does not.
    #[test]
    fn no_advice_offloads_what_the_host_cannot_hold() {
        let link = "cluster=dgx-h100&model=llama-3.1-70b&gpus=8&seq=2048&mbs=1&recompute=full&strategy=full-shard";
        let advised = |host: &str| {
            let scenario = decode(&format!("{link}&hostmem={host}")).scenario;
            let report = scenario.report();
            assert!(!report.fits());
            ranked(&scenario, &report, Goal::Fit).into_iter().map(|one| one.turn).collect::<Vec<_>>()
        };
        let offloads = |turns: &[Turn]| turns.contains(&Turn::Change(Change::Offload));
        assert!(offloads(&advised("2048")) && !offloads(&advised("512")));
    }

    #[test]
    fn a_tight_run_is_told_the_cheapest_margin() {
        let mut scenario = catalog::default_scenario();
        scenario.accelerator.values.memory = 2.0 * scenario.report().memory.needed;
        assert_eq!(scenario.report().verdict(), Verdict::Fits);
        assert_eq!(margin(&scenario, &scenario.report()), None, "what fits needs none");
        // A GPU with 20 % more memory than the run needs.
        scenario.accelerator.values.memory = 1.2 * scenario.report().memory.needed;
        let report = scenario.report();
        assert!(report.fits() && report.verdict() == Verdict::Tight);
        let margin = margin(&scenario, &report).unwrap();
        assert!(margin.report.is_sure() && margin.price == Price::Free, "{margin:?}");
        assert_eq!(advise(&scenario, &report).first(), Some(&margin));
        for other in ranked(&scenario, &report, Goal::Margin) {
            let is_behind = (margin.price, margin.lack.is_some()) < (other.price, other.lack.is_some());
            assert!(is_behind || other.gain <= margin.gain, "{:?}", other.turn);
        }
    }

    /// Offloading what a step updates makes these runs 23 and 47 times slower.
    #[test]
    fn odds_are_not_bought_with_more_time_than_twice_the_gpus() {
        for link in [
            "cluster=p6-b300&model=gemma-4-26b-a4b&seq=8192&gpus=2",
            "cluster=tpu-7x-pod&model=llama-3-8b&gpus=1&mbs=2",
        ] {
            let scenario = decode(link).scenario;
            let report = scenario.report();
            assert_eq!(report.verdict(), Verdict::Tight, "{link}");
            let slow = candidates(&scenario, Goal::Margin)
                .into_iter()
                .map(|(turn, changed)| Advice::evaluate((&scenario, &report), turn, changed))
                .find(|one| Goal::Margin.is_reached(&one.scenario, &one.report) && one.gain < -0.9);
            assert!(slow.is_some(), "{link}: no change is too slow");
            let advised = advise(&scenario, &report);
            assert!(!advised.is_empty() && advised.iter().all(|one| one.gain >= LARGEST_LOSS), "{link}: {advised:?}");
        }
    }

    #[test]
    fn small_gains_are_not_worth_the_odds() {
        assert!(!is_worth_the_odds(0.02, 0.99, 0.8), "a fiftieth for every fifth run");
        assert!(!is_worth_the_odds(0.19, 0.91, 0.79) && is_worth_the_odds(0.3, 0.91, 0.79));
        assert!(!is_worth_the_odds(0.3, 0.99, 0.6) && is_worth_the_odds(1.0, 0.99, 0.6));
        assert!(is_worth_the_odds(0.0, 0.7, 0.7) && is_worth_the_odds(0.02, 0.5, 0.6));
    }
}
