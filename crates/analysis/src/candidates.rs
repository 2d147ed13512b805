//! The list of single changes that advice cards, the waterfall and error reports choose from.

use super::change::{Change, Turn, apply, errors};
use super::other_options::other_option_candidates;
use super::settings::EXECUTION;
use engine::model::experts::Dispatcher;
use engine::model::report::Report;
use engine::model::training::{Optimizer, Recompute};
use engine::params::{self, ParamId};
use engine::scenario::{Scenario, Strategy};

/// Choices of execution that change the memory of hosts.
const ON_HOSTS: [ParamId; 2] = [ParamId::DeferredInit, ParamId::ShardedCheckpoint];

/// Shortest sequence worth proposing, in tokens.
const SHORTEST: u32 = 128;
/// Number of doublings of GPUs or memory to try.
const DOUBLINGS: u32 = 6;

/// Goal of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Make a run that fits faster.
    Speed,
    /// Make a run fit.
    Fit,
    /// Make a tight run fit in eight of ten cases.
    Margin,
}

impl Goal {
    /// Whether the goal is about memory.
    pub(super) fn is_memory(self) -> bool {
        self != Self::Speed
    }

    /// Whether a run reaches the memory goal, on its GPUs and its hosts.
    pub(super) fn is_reached(self, scenario: &Scenario, report: &Report) -> bool {
        let on_gpus = match self {
            Self::Speed | Self::Fit => report.fits(),
            Self::Margin => report.is_sure(),
        };
        on_gpus && scenario.host_memory().fits()
    }

    /// Returns the goal for a scenario: first it must fit.
    pub(super) fn of(scenario: &Scenario, report: &Report) -> Self {
        if Self::Fit.is_reached(scenario, report) { Self::Speed } else { Self::Fit }
    }
}

/// Returns the changes to try, each with its scenario, within the bounds and without a new error.
pub(super) fn candidates(scenario: &Scenario, goal: Goal) -> Vec<(Turn, Scenario)> {
    let before = errors(scenario);
    let mut found = change_candidates(scenario, goal, before);
    found.extend(other_option_candidates(scenario, &EXECUTION, before));
    if goal.is_memory() {
        found.extend(other_option_candidates(scenario, &ON_HOSTS, before));
    }
    found
}

/// Returns the candidates that are not options of a choice.
pub(super) fn change_candidates(scenario: &Scenario, goal: Goal, before: usize) -> Vec<(Turn, Scenario)> {
    let changes = changes(scenario, goal).into_iter();
    changes.filter_map(|change| Some((Turn::Change(change), allowed(scenario, before, change)?))).collect()
}

/// Returns the changes to try, whether allowed or not.
pub(super) fn changes(scenario: &Scenario, goal: Goal) -> Vec<Change> {
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
        tp => changes.extend(halvings(tp).map(Change::TensorParallel)),
    }
    changes.extend(halvings(scenario.pp).map(Change::Pipeline));
    if scenario.pp > 1 {
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

/// Lists a degree's half, quarter, and so on down to 1.
fn halvings(degree: u32) -> impl Iterator<Item = u32> {
    core::iter::successors(Some(degree / 2), |half| Some(half / 2)).take_while(|half| *half > 0)
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

/// Returns the first doubling that makes the run fit, or simply the first doubling if the goal is
/// speed.
fn doubled(scenario: &Scenario, goal: Goal, change: impl Fn(u32) -> Change) -> Option<Change> {
    let fits = |changed: &Scenario| goal.is_reached(changed, &changed.report());
    let enough = |change: &Change| !goal.is_memory() || fits(&apply(scenario, *change));
    (1..=DOUBLINGS).map(|power| change(1 << power)).find(enough)
}

/// Returns the longest power of two that is shorter than the sequence and fits.
fn longest_fitting(scenario: &Scenario, goal: Goal) -> Option<u32> {
    let mut seq_len = scenario.seq_len.checked_next_power_of_two()? / 2;
    while seq_len >= SHORTEST {
        let shorter = Scenario { seq_len, ..*scenario };
        if goal.is_reached(&shorter, &shorter.report()) {
            return Some(seq_len);
        }
        seq_len /= 2;
    }
    None
}

/// Whether the change moves a parameter out of its bounds. A link of such a scenario would open a
/// different one.
fn leaves_the_bounds(before: &Scenario, after: &Scenario) -> bool {
    let held = params::every().filter(|param| params::is_held(param, after));
    held.filter(|param| !params::is_within_bounds(param, after)).any(|param| params::is_within_bounds(param, before))
}

/// Returns the changed scenario, within the bounds and without a new error.
pub(super) fn allowed(scenario: &Scenario, errors_before: usize, change: Change) -> Option<Scenario> {
    let changed = apply(scenario, change);
    (!leaves_the_bounds(scenario, &changed) && errors(&changed) <= errors_before).then_some(changed)
}
