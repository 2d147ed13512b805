//! What would make a run fit, over several of its keys at once: recomputation, micro-batches, loss,
//! offloading, sharding. One key alone may not do, and two small changes are often faster than a
//! large one.

use engine::catalog::accuracy::fit_odds;
use engine::model::choices::Choices;
use engine::model::report::Report;
use engine::model::software::{Loss, NormKernel};
use engine::model::training::Recompute;
use engine::scenario::{Scenario, Strategy};

use super::{Candidate, Changes, Source, apply_and_evaluate};
use crate::run::Change;

/// A group of settings that changes as one.
struct Axis {
    /// What may be tried of it.
    tried: fn(&Scenario) -> Vec<Scenario>,
    /// Takes its settings over from another scenario.
    take: fn(&mut Scenario, &Scenario),
}

const AXES: [Axis; 4] = [
    Axis {
        tried: |now| {
            let modes = [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full];
            modes.map(|recompute| Scenario { choices: Choices { recompute, ..now.choices }, ..*now }).to_vec()
        },
        take: |to, from| {
            (to.recompute, to.keep_fraction) = (from.recompute, from.keep_fraction);
            to.recompute_modules = from.recompute_modules;
        },
    },
    Axis {
        tried: |now| {
            if !now.kernels.loss.is_unfused() {
                return Vec::new();
            }
            let losses = [Loss::FusedLinear, Loss::Chunked, Loss::Fused].map(|loss| {
                let mut other = *now;
                other.kernels.loss = loss;
                // The kernels that bring this loss bring their norms.
                if loss == Loss::FusedLinear {
                    other.kernels.norms = NormKernel::Fused;
                }
                other
            });
            losses.to_vec()
        },
        take: |to, from| (to.kernels.loss, to.kernels.norms) = (from.kernels.loss, from.kernels.norms),
    },
    Axis {
        tried: |now| {
            let parts = [[true, false, false], [true, true, false], [false, true, false], [false, false, true]];
            let offloaded = parts.map(|[optimizer, parameters, activations]| {
                let mut other = *now;
                other.offload.optimizer |= optimizer;
                other.offload.parameters |= parameters && now.strategy.shards_weights();
                other.offload.activations |= activations;
                other
            });
            offloaded.to_vec()
        },
        take: |to, from| to.offload = from.offload,
    },
    Axis {
        tried: |now| {
            let degrees = now.degrees();
            if degrees.dp.saturating_mul(degrees.cp) == 1 {
                return Vec::new();
            }
            let stages = [Strategy::Ddp, Strategy::Zero1, Strategy::Zero2, Strategy::ShardGradOp, Strategy::FullShard];
            stages.map(|strategy| Scenario { strategy, ..*now }).to_vec()
        },
        take: |to, from| (to.strategy, to.shard_size) = (from.strategy, from.shard_size),
    },
];

/// Combinations that are written at most: those behind are slower, or change more.
const MOST_WRITTEN: usize = 48;
/// What two speeds may differ by and be called the same: then the fewer keys win.
const SAME: f64 = 0.02;

/// What a key has to gain that the files do not have yet: a release may not know it, and a person
/// has to look it up.
const OF_ADDED: f64 = 0.05;

/// A combination that fits.
struct Fitting {
    scenario: Scenario,
    /// What it is worth ([`worth`]).
    worth: f64,
    /// Groups of settings that differ.
    changed: usize,
}

/// What a fix is worth: the speed, as often as it fits, less what each added key has to gain.
pub(super) fn worth(report: &Report, added: usize) -> f64 {
    report.tokens_per_s_per_gpu * fit_odds(report) / (1.0 + OF_ADDED * added as f64)
}

/// Keys that a fix adds.
pub(super) fn added(fix: &[Change]) -> usize {
    fix.iter().filter(|change| change.from.is_none()).count()
}

/// How far a speed is below the best, in steps that are too small to matter.
pub(super) fn steps_below(best: f64, one: f64) -> u32 {
    if one > 0.0 && best > one { ((best / one).ln() / SAME) as u32 } else { 0 }
}

/// Returns what makes a run fit that does not, with the training as it is: the one that is worth
/// most, of those alike the one that changes the fewest keys; and beside it the one that changes
/// the fewest settings of all.
pub(super) fn joint(source: &Source, before: &Report) -> Vec<Candidate> {
    let mut fitting = fitting(source, before);
    let best = fitting.iter().map(|one| one.worth).fold(0.0, f64::max);
    let faster = |one: &Fitting, other: &Fitting| other.worth.total_cmp(&one.worth);
    let steps = |one: &Fitting| steps_below(best, one.worth);
    fitting.sort_by(|one, other| {
        (steps(one), one.changed).cmp(&(steps(other), other.changed)).then_with(|| faster(one, other))
    });
    let is_fix = |candidate: &Candidate| candidate.report.fits() && candidate.changes == Changes::Nothing;
    let write = |one: &Fitting| apply_and_evaluate(source, &one.scenario, before).filter(is_fix);
    let mut found: Option<(u32, Candidate)> = None;
    for one in fitting.iter().take(MOST_WRITTEN) {
        if found.as_ref().is_some_and(|(steps_of_found, _)| *steps_of_found < steps(one)) {
            break;
        }
        let Some(candidate) = write(one) else { continue };
        if found.as_ref().is_none_or(|(_, best)| candidate.fix.len() < best.fix.len()) {
            found = Some((steps(one), candidate));
        }
    }
    fitting.sort_by(|one, other| one.changed.cmp(&other.changed).then_with(|| faster(one, other)));
    let fewest = fitting.iter().take(MOST_WRITTEN).find_map(write);
    found.map(|(_, candidate)| candidate).into_iter().chain(fewest).collect()
}

/// Every combination that fits of what the files have words for.
fn fitting(source: &Source, before: &Report) -> Vec<Fitting> {
    let now = &source.run.scenario;
    // What a file makes of a setting counts, not what was asked of it.
    let said = |wanted: &Scenario| {
        let candidate = apply_and_evaluate(source, wanted, before)?;
        let is_run = candidate.scenario.lack_beside(now).is_none();
        (candidate.changes == Changes::Nothing && is_run).then(|| (candidate.scenario, added(&candidate.fix)))
    };
    let mut combined = vec![(*now, 0, 0)];
    for Axis { tried, take } in &AXES {
        let mut options: Vec<(Scenario, usize)> = Vec::new();
        for (said, keys) in tried(now).iter().filter(|tried| *tried != now).filter_map(said) {
            let mut option = *now;
            take(&mut option, &said);
            if option != *now && options.iter().all(|(other, _)| *other != option) {
                options.push((option, keys));
            }
        }
        let others = combined.iter().flat_map(|(scenario, changed, added)| {
            options.iter().map(move |(option, keys)| {
                let mut other = *scenario;
                take(&mut other, option);
                (other, changed + 1, added + keys)
            })
        });
        let others: Vec<(Scenario, usize, usize)> = others.collect();
        combined.extend(others);
    }
    let (sizes, keys_of_sizes) = micro_batches(now, said);
    let mut found = Vec::new();
    for (scenario, changed, added) in combined {
        for (micro_batch_size, grad_accum_steps) in &sizes {
            let (micro_batch_size, grad_accum_steps) = (*micro_batch_size, *grad_accum_steps);
            let scenario = Scenario { micro_batch_size, grad_accum_steps, ..scenario };
            let report = scenario.report();
            // A larger micro-batch holds more.
            if !report.fits() {
                break;
            }
            // What leaves the GPUs has to fit the hosts.
            if scenario.offload != now.offload && !scenario.host_memory().fits() {
                break;
            }
            let is_other = micro_batch_size != now.micro_batch_size;
            let added = if is_other { added + keys_of_sizes } else { added };
            found.push(Fitting { scenario, worth: worth(&report, added), changed: changed + usize::from(is_other) });
        }
    }
    found
}

/// Sizes of a micro-batch, the smallest first, with how many make the same step; and the keys that
/// are added for others.
fn micro_batches(now: &Scenario, said: impl Fn(&Scenario) -> Option<(Scenario, usize)>) -> (Vec<(u32, u32)>, usize) {
    let own = (now.micro_batch_size, now.grad_accum_steps);
    let Some(all) = now.micro_batch_size.checked_mul(now.grad_accum_steps).filter(|all| *all > 1) else {
        return (vec![own], 0);
    };
    // Whether the files have words for it tells one that differs.
    let (micro_batch_size, grad_accum_steps) = if now.micro_batch_size > 1 { (1, all) } else { (all, 1) };
    let other = Scenario { micro_batch_size, grad_accum_steps, ..*now };
    let keys = said(&other).filter(|(said, _)| said.micro_batch_size == micro_batch_size).map(|(_, keys)| keys);
    let Some(keys) = keys else { return (vec![own], 0) };
    let sizes =
        (1..=all.min(MOST_SEQUENCES)).filter(|micro| all.is_multiple_of(*micro)).map(|micro| (micro, all / micro));
    (sizes.collect(), keys)
}

/// Sequences of the largest micro-batch that is tried.
const MOST_SEQUENCES: u32 = 1024;
