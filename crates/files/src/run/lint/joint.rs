//! Changes of several keys at once that make a run fit: recomputation, micro-batches, loss,
//! offloading, sharding. One key alone may not be enough, and two small changes are often faster
//! than a large one.

use engine::model::choices::Choices;
use engine::model::report::Report;
use engine::model::software::{Loss, NormKernel};
use engine::model::training::Recompute;
use engine::scenario::{Scenario, Strategy};

use super::{Candidate, Changes, Source, apply_and_evaluate, is_sure};
use crate::run::Change;

/// A group of settings that change together.
struct Axis {
    /// Returns the scenarios to try.
    tried: fn(&Scenario) -> Vec<Scenario>,
    /// Copies the group's settings from another scenario.
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
                // The kernels with this loss include fused norms.
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

/// Most combinations that are written: later ones are slower, or change more.
const MOST_WRITTEN: usize = 48;
/// Relative difference up to which two speeds count as equal; then fewer keys win.
const SAME: f64 = 0.02;

/// Gain required of each key that is added: a release may lack the key, and the user has to look it
/// up.
const OF_ADDED: f64 = 0.05;

/// A combination that fits.
struct Fitting {
    scenario: Scenario,
    /// Worth of the combination ([`worth`]).
    worth: f64,
    /// Number of groups that differ.
    changed: usize,
    /// Whether it surely fits.
    is_sure: bool,
}

/// Returns the worth of a fix: the speed times the odds of fitting, reduced for each added key.
pub(super) fn worth(report: &Report, added: usize) -> f64 {
    report.whole().tokens_per_s_per_gpu * report.odds() / (1.0 + OF_ADDED * added as f64)
}

/// Returns the number of keys that a fix adds.
pub(super) fn added(fix: &[Change]) -> usize {
    fix.iter().filter(|change| change.from.is_none()).count()
}

/// Returns how far a speed is below the best, in steps too small to matter.
pub(super) fn steps_below(best: f64, one: f64) -> u32 {
    if one > 0.0 && best > one { ((best / one).ln() / SAME) as u32 } else { 0 }
}

/// Returns changes that make a run fit without changing the training: the one of the highest worth
/// (among about equal worth, the one with the fewest keys), then the one that changes the fewest
/// settings.
pub(super) fn joint(source: &Source, before: &Report) -> Vec<Candidate> {
    let mut fitting = fitting(source, before);
    if fitting.iter().any(|one| one.is_sure) {
        fitting.retain(|one| one.is_sure);
    }
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

/// Returns every combination that fits, of settings that the files have keys for.
fn fitting(source: &Source, before: &Report) -> Vec<Fitting> {
    let now = &source.run.scenario;
    // The setting as read back from the files counts, not as requested.
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
            // A larger micro-batch needs more memory.
            if !report.fits() {
                break;
            }
            // Offloaded state has to fit the hosts.
            if scenario.offload != now.offload && !scenario.host_memory().fits() {
                break;
            }
            let is_other = micro_batch_size != now.micro_batch_size;
            let added = if is_other { added + keys_of_sizes } else { added };
            let changed = changed + usize::from(is_other);
            found.push(Fitting { scenario, worth: worth(&report, added), changed, is_sure: is_sure(&report) });
        }
    }
    found
}

/// Returns pairs of micro-batch size and accumulation steps of an equal step, the smallest size
/// first, and the number of keys added for another size.
fn micro_batches(now: &Scenario, said: impl Fn(&Scenario) -> Option<(Scenario, usize)>) -> (Vec<(u32, u32)>, usize) {
    let own = (now.micro_batch_size, now.grad_accum_steps);
    let Some(all) = now.micro_batch_size.checked_mul(now.grad_accum_steps).filter(|all| *all > 1) else {
        return (vec![own], 0);
    };
    // One other size shows whether the files have keys for it.
    let (micro_batch_size, grad_accum_steps) = if now.micro_batch_size > 1 { (1, all) } else { (all, 1) };
    let other = Scenario { micro_batch_size, grad_accum_steps, ..*now };
    let keys = said(&other).filter(|(said, _)| said.micro_batch_size == micro_batch_size).map(|(_, keys)| keys);
    let Some(keys) = keys else { return (vec![own], 0) };
    let sizes =
        (1..=all.min(MOST_SEQUENCES)).filter(|micro| all.is_multiple_of(*micro)).map(|micro| (micro, all / micro));
    (sizes.collect(), keys)
}

/// Largest micro-batch to try, in sequences.
const MOST_SEQUENCES: u32 = 1024;
