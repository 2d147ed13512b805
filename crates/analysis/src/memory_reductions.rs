//! Changes that reduce one part of the memory bar, for a run that ran out of memory, whether or not
//! it was predicted to fit.

use super::candidates::{Goal, change_candidates};
use super::change::{Change, Price, Turn, apply, errors};
use super::other_options::other_option_candidates;
use engine::model::report::{MemoryPart, Report};
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::units::Bytes;

/// A change that reduces one part of memory, and the peak with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryReduction {
    /// The change.
    pub turn: Turn,
    /// The scenario with the change.
    pub scenario: Scenario,
    /// The report of the changed scenario.
    pub report: Report,
    /// Reduction of the memory that the run needs.
    pub less: Bytes,
}

/// Choices of execution that change the memory of a step.
const HOW: [ParamId; 8] = [
    ParamId::AttentionKernel,
    ParamId::Loss,
    ParamId::NormKernel,
    ParamId::TiledMlp,
    ParamId::OptimizerKernel,
    ParamId::UpdatePlace,
    ParamId::OffloadActivations,
    ParamId::Segments,
];

/// Share of the peak below which a reduction is not listed.
const LEAST: f64 = 0.005;

/// Returns the changes that reduce a part and the memory that the run needs: settings before other
/// tasks and hardware, then the largest reduction first. At most one change of each kind, and none
/// of GPU memory or links.
pub fn memory_reductions(scenario: &Scenario, report: &Report, part: MemoryPart) -> Vec<MemoryReduction> {
    let now = report.memory;
    let mut found: Vec<MemoryReduction> = Vec::new();
    for (turn, scenario) in turns(scenario) {
        let then = scenario.report();
        let less = now.needed - then.memory.needed;
        let lower = then.memory.parts.get(part) < now.parts.get(part) * (1.0 - LEAST);
        if !lower || less < now.needed * LEAST {
            continue;
        }
        let one = MemoryReduction { turn, scenario, report: then, less };
        let same = |other: &&mut MemoryReduction| other.turn.is_like(turn);
        match found.iter_mut().find(same) {
            Some(other) if rank(other, &one).is_le() => {}
            Some(other) => *other = one,
            None => found.push(one),
        }
    }
    let key = |one: &MemoryReduction| (effort(one), !one.report.fits());
    found.sort_by(|one, other| key(one).cmp(&key(other)).then(rank(one, other)));
    found
}

/// Orders two reductions: of two that fit the faster first, else the larger reduction of the total.
fn rank(one: &MemoryReduction, other: &MemoryReduction) -> core::cmp::Ordering {
    let by = |of: &MemoryReduction| {
        if of.report.fits() { (1, of.report.whole().tokens_per_s_per_gpu) } else { (0, of.less.get()) }
    };
    let ((fits, of_one), (other_fits, of_other)) = (by(one), by(other));
    other_fits.cmp(&fits).then(of_other.total_cmp(&of_one))
}

/// Returns the cost of a change; two changes at once cost a little more.
fn effort(of: &MemoryReduction) -> (Price, bool) {
    (of.turn.price(), matches!(of.turn, Turn::Change(Change::Both(..))))
}

fn turns(scenario: &Scenario) -> Vec<(Turn, Scenario)> {
    let degrees = scenario.degrees();
    let alone = degrees.dp.saturating_mul(degrees.cp) == 1;
    let is_asked = |(turn, _): &(Turn, Scenario)| match turn {
        Turn::Change(Change::Memory(_) | Change::Link(_)) => false,
        // One GPU shards nothing.
        Turn::Change(Change::Strategy(_) | Change::Both(..) | Change::ShardSize(_)) => !alone,
        _ => true,
    };
    let before = errors(scenario);
    let mut turns: Vec<(Turn, Scenario)> =
        change_candidates(scenario, Goal::Fit, before).into_iter().filter(is_asked).collect();
    if scenario.seq_len > 1 {
        let shorter = Scenario { seq_len: scenario.seq_len / 2, ..*scenario };
        turns.push((Turn::Change(Change::SeqLen(shorter.seq_len)), shorter));
    }
    if scenario.trained.is_all() && scenario.framework.traits().peft_adapters {
        let adapters = [Change::Lora, Change::QLora].map(|change| (change, apply(scenario, change)));
        let allowed = adapters.into_iter().filter(|(_, changed)| errors(changed) <= before);
        turns.extend(allowed.map(|(change, changed)| (Turn::Change(change), changed)));
    }
    turns.extend(other_option_candidates(scenario, &HOW, before));
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::SCENARIOS;
    use links::decode;

    #[test]
    fn every_change_lowers_the_part_and_the_whole() {
        let mut found = 0;
        for entry in SCENARIOS.iter().step_by(5) {
            let scenario = decode(entry.link).scenario;
            let report = scenario.report();
            for part in MemoryPart::ALL {
                for one in memory_reductions(&scenario, &report, part) {
                    assert_eq!(one.scenario.report(), one.report, "{}", entry.id);
                    assert!(one.report.memory.parts.get(part) < report.memory.parts.get(part), "{}: {one:?}", entry.id);
                    assert!(one.report.memory.needed < report.memory.needed, "{}: {one:?}", entry.id);
                    found += 1;
                }
            }
        }
        assert!(found > 50, "{found}");
    }
}
