//! Advice: single changes to a scenario that make it fit or make it faster, each evaluated by the
//! engine.

use super::change::{Change, apply};
use crate::catalog::accuracy;
use crate::model::experts::Dispatcher;
use crate::model::memory::odds::Verdict;
use crate::model::report::Report;
use crate::model::training::{Optimizer, Recompute};
use crate::params;
use crate::scenario::issue::Severity;
use crate::scenario::{Scenario, Strategy};

/// A change together with its effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// The change.
    pub change: Change,
    /// The scenario with the change.
    pub scenario: Scenario,
    /// The report of the changed scenario.
    pub report: Report,
    /// Relative gain in tokens per second and GPU: 0.1 is 10 % faster.
    pub gain: f64,
}

/// Number of changes that [`advise`] returns at most.
pub const MOST: usize = 3;
/// Smallest gain worth showing; smaller gains are well within the model's own error.
const LEAST_GAIN: f64 = 0.02;
/// Shortest sequence worth proposing, in tokens.
const SHORTEST: u32 = 128;
/// Number of doublings of GPUs or memory that are tried.
const DOUBLINGS: u32 = 6;

/// What a change is to achieve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// A run that fits is to get faster.
    Speed,
    /// A run that does not fit is to fit.
    Fit,
    /// A run that is tight is to fit in nine of ten cases.
    Margin,
}

impl Goal {
    /// Whether memory is what is sought.
    fn is_memory(self) -> bool {
        self != Self::Speed
    }

    /// Whether a run has the memory that is sought.
    fn fits(self, report: &Report) -> bool {
        match self {
            Self::Speed | Self::Fit => report.fits(),
            Self::Margin => is_sure(report),
        }
    }
}

/// Whether a run fits with the odds that are called so.
pub fn is_sure(report: &Report) -> bool {
    accuracy::verdict(report) == Verdict::Fits
}

/// Returns up to three changes, best first.
///
/// A run that does not fit gets changes that make it fit: settings before other tasks and hardware,
/// then the fastest first. A run that fits gets changes that make it at least two percent faster,
/// the largest gain first. If it is tight, the first of all is the [`margin`].
pub fn advise(scenario: &Scenario, report: &Report) -> Vec<Advice> {
    let mut found = ranked(scenario, report, if report.fits() { Goal::Speed } else { Goal::Fit });
    if let Some(margin) = margin(scenario, report) {
        found.retain(|advice| advice.change != margin.change);
        found.insert(0, margin);
    }
    // At most one change of each kind: the best strategy, the best recomputation mode.
    let mut kinds = Vec::with_capacity(MOST);
    found.retain(|advice| {
        let kind = core::mem::discriminant(&advice.change);
        let first = !kinds.contains(&kind) && kinds.len() < MOST;
        if first {
            kinds.push(kind);
        }
        first
    });
    found
}

/// Returns the cheapest change after which a tight run fits in nine of ten cases: settings before other tasks and hardware, then the
/// fastest. `None` if the run is not tight, or if there is none.
pub fn margin(scenario: &Scenario, report: &Report) -> Option<Advice> {
    let tight = accuracy::verdict(report) == Verdict::Tight;
    if tight { ranked(scenario, report, Goal::Margin).first().copied() } else { None }
}

/// Returns the changes that are tried for speed, each with its scenario, within the bounds and without a new error.
pub(super) fn for_speed(scenario: &Scenario) -> Vec<(Change, Scenario)> {
    let before = errors(scenario);
    let changes = changes(scenario, Goal::Speed).into_iter();
    changes.filter_map(|change| Some((change, allowed(scenario, before, change)?))).collect()
}

/// Returns the changes that are tried for memory, each with its scenario, within the bounds and without a new error.
pub(super) fn for_memory(scenario: &Scenario) -> Vec<(Change, Scenario)> {
    let before = errors(scenario);
    let changes = changes(scenario, Goal::Fit).into_iter();
    changes.filter_map(|change| Some((change, allowed(scenario, before, change)?))).collect()
}

/// Returns every change that achieves the goal, the best first.
fn ranked(scenario: &Scenario, report: &Report, goal: Goal) -> Vec<Advice> {
    let errors_before = errors(scenario);
    let is_not_after = |a: &Advice, b: &Advice| {
        let least_effort_first = a.change.effort().cmp(&b.change.effort());
        let by_gain = b.gain.total_cmp(&a.gain);
        if goal.is_memory() { least_effort_first.then(by_gain) } else { by_gain }.is_le()
    };
    let mut found: Vec<Advice> = Vec::new();
    for change in changes(scenario, goal) {
        let advice = evaluate(scenario, report, errors_before, change);
        let helps = |advice: &Advice| goal.fits(&advice.report) && (goal.is_memory() || advice.gain >= LEAST_GAIN);
        if let Some(advice) = advice.filter(helps) {
            found.insert(found.partition_point(|before| is_not_after(before, &advice)), advice);
        }
    }
    found
}

fn changes(scenario: &Scenario, goal: Goal) -> Vec<Change> {
    let mut changes = Vec::with_capacity(20);
    for strategy in [
        Strategy::FullShard,
        Strategy::HybridShard,
        Strategy::ShardGradOp,
        Strategy::ReshardTo,
        Strategy::Zero1,
        Strategy::Zero2,
        Strategy::Ddp,
    ] {
        if strategy != scenario.strategy {
            changes.push(Change::Strategy(strategy));
        }
    }
    for mode in [Recompute::None, Recompute::Selective, Recompute::Full] {
        if mode != scenario.recompute {
            changes.push(Change::Recompute(mode));
        }
    }
    changes.push(Change::MicroBatch(scenario.micro_batch_size.saturating_mul(2)));
    if scenario.micro_batch_size > 1 {
        changes.push(Change::MicroBatch(scenario.micro_batch_size / 2));
    }
    if goal.is_memory() {
        for strategy in [Strategy::FullShard, Strategy::HybridShard] {
            for mode in [Recompute::Selective, Recompute::Full] {
                if strategy != scenario.strategy && mode != scenario.recompute {
                    changes.push(Change::Both(strategy, mode));
                }
            }
        }
    }
    let node = scenario.network.values.widest_inside(scenario.gpus, 1);
    match scenario.tp {
        1 if node > 1 => changes.push(Change::TensorParallel(node)),
        tp @ 2.. => changes.push(Change::TensorParallel(tp / 2)),
        _ => {}
    }
    if scenario.pp > 1 {
        changes.push(Change::Pipeline(scenario.pp / 2));
        changes.push(Change::MicroBatches(scenario.grad_accum_steps.saturating_mul(2)));
    }
    if scenario.model.architecture().has_experts() {
        experts(scenario, &mut changes);
    }
    if scenario.kernels.loss.is_unfused() {
        changes.push(Change::FusedLoss);
    }
    if goal.is_memory() && !scenario.offload.optimizer {
        changes.push(Change::Offload);
    }
    if goal.is_memory() && scenario.optimizer == Optimizer::AdamW {
        changes.push(Change::Optimizer8bit);
    }
    let (gpus, memory) = (scenario.gpus, scenario.accelerator.values.memory.gib());
    changes.extend(doubled(scenario, goal, |times| Change::Gpus(gpus.saturating_mul(times))));
    changes.extend(doubled(scenario, goal, |times| Change::Memory(memory * f64::from(times))));
    changes.push(Change::Link(2.0 * scenario.network.values.inter_node.gbit_per_s()));
    if goal.is_memory() {
        changes.extend(longest_fitting(scenario, goal).map(Change::SeqLen));
        if scenario.strategy.uses_shard_size() {
            let size = scenario.shard_size;
            changes.extend(doubled(scenario, goal, |times| Change::ShardSize(size.saturating_mul(times))));
        }
    }
    changes
}

/// Adds the candidate changes to the layout of the experts.
fn experts(scenario: &Scenario, changes: &mut Vec<Change>) {
    let mesh = scenario.degrees();
    if !scenario.expert_choice.degrees {
        let node = scenario.network.values.widest_inside(scenario.gpus, mesh.etp);
        for ep in [node, mesh.ep.saturating_mul(2), mesh.ep / 2] {
            if ep > 0 && ep != mesh.ep {
                changes.push(Change::ExpertParallel(ep));
            }
        }
    }
    if mesh.ep > 1 && scenario.experts.dispatcher == Dispatcher::AllToAll {
        changes.push(Change::FusedDispatcher);
    }
}

/// Returns the first doubling that makes the run fit, or simply the first doubling if speed is sought.
fn doubled(scenario: &Scenario, goal: Goal, change: impl Fn(u32) -> Change) -> Option<Change> {
    let enough = |change: &Change| !goal.is_memory() || goal.fits(&apply(scenario, *change).report());
    (1..=DOUBLINGS).map(|power| change(1 << power)).find(enough)
}

/// Returns the longest power of two that is shorter than the sequence and fits.
fn longest_fitting(scenario: &Scenario, goal: Goal) -> Option<u32> {
    let mut seq_len = scenario.seq_len.checked_next_power_of_two()? / 2;
    while seq_len >= SHORTEST {
        let shorter = Scenario { seq_len, ..*scenario };
        if goal.fits(&shorter.report()) {
            return Some(seq_len);
        }
        seq_len /= 2;
    }
    None
}

/// Counts the errors of a scenario. A change may not add one; warnings and earlier errors may stay.
pub(super) fn errors(scenario: &Scenario) -> usize {
    params::issues(scenario).iter().filter(|issue| issue.severity == Severity::Error).count()
}

/// Whether the change moves a parameter out of its bounds. A link of such a scenario would open a
/// different one.
fn leaves_the_bounds(before: &Scenario, after: &Scenario) -> bool {
    let held = params::every().filter(|param| params::is_held(param, after));
    held.filter(|param| !params::is_within_bounds(param, after)).any(|param| params::is_within_bounds(param, before))
}

/// Returns the changed scenario, within the bounds and without a new error.
fn allowed(scenario: &Scenario, errors_before: usize, change: Change) -> Option<Scenario> {
    let changed = apply(scenario, change);
    (!leaves_the_bounds(scenario, &changed) && errors(&changed) <= errors_before).then_some(changed)
}

fn evaluate(scenario: &Scenario, before: &Report, errors_before: usize, change: Change) -> Option<Advice> {
    let scenario = allowed(scenario, errors_before, change)?;
    let report = scenario.report();
    let gain = report.tokens_per_s_per_gpu / before.tokens_per_s_per_gpu - 1.0;
    Some(Advice { change, scenario, report, gain })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;
    use crate::share::decode;

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
        let scenario = decode("v=1&rev=7&gpus=131071&tp=2").scenario;
        let doubled = Change::Gpus(2 * scenario.gpus);
        assert_eq!(errors(&apply(&scenario, doubled)), errors(&scenario));
        assert_eq!(evaluate(&scenario, &scenario.report(), errors(&scenario), doubled), None);
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
        let scenario = crate::share::decode(entry.link).scenario;
        let found = advise(&scenario, &scenario.report());
        let change = found.first().map(|first| first.change);
        assert_eq!(change, Some(Change::ExpertParallel(8)), "{found:?}");
        assert!(!changes(&catalog::default_scenario(), Goal::Speed).contains(&Change::FusedDispatcher));
    }

    #[test]
    fn a_run_that_does_not_fit_is_helped_first_by_settings() {
        let mut scenario = catalog::default_scenario();
        scenario.seq_len = 8192;
        let report = scenario.report();
        assert!(!report.fits());
        let advice = advise(&scenario, &report);
        assert!(advice.first().is_some_and(|first| first.change.effort() == 0), "{advice:?}");
    }

    #[test]
    fn a_tight_run_is_told_the_cheapest_margin() {
        let mut scenario = catalog::default_scenario();
        assert_eq!(accuracy::verdict(&scenario.report()), Verdict::Fits);
        assert_eq!(margin(&scenario, &scenario.report()), None, "what fits needs none");
        // A GPU that holds what the run needs and a twentieth more.
        scenario.accelerator.values.memory = 1.05 * scenario.report().memory.needed;
        let report = scenario.report();
        assert!(report.fits() && accuracy::verdict(&report) == Verdict::Tight);
        let margin = margin(&scenario, &report).unwrap();
        assert!(is_sure(&margin.report) && margin.change.effort() == 0, "{margin:?}");
        assert_eq!(advise(&scenario, &report).first(), Some(&margin));
        for change in changes(&scenario, Goal::Margin) {
            let other = evaluate(&scenario, &report, errors(&scenario), change).filter(|other| is_sure(&other.report));
            assert!(other.is_none_or(|other| other.change.effort() > 0 || other.gain <= margin.gain), "{change:?}");
        }
    }
}
