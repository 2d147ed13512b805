//! Changes that lower one part of the memory bar, for a run that died although it was said to fit,
//! as for one that was not.

use super::candidates::{Goal, errors, of_changes};
use super::change::{Change, Price, Turn, apply};
use super::options::turned;
use engine::model::report::{MemoryPart, Report};
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::units::Bytes;

/// A change that lowers a part, and the whole with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lowering {
    /// The change.
    pub turn: Turn,
    /// The scenario with the change.
    pub scenario: Scenario,
    /// The report of the changed scenario.
    pub report: Report,
    /// By how much the whole that is needed is lower.
    pub less: Bytes,
}

/// Choices of how a step runs that decide what it holds.
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

/// Share of the peak below which a change is not worth its name.
const LEAST: f64 = 0.005;

/// Returns the changes that lower a part and what the run needs as a whole: settings before other
/// tasks and hardware, then what lowers the whole most. One of each kind; of memory and links there
/// are none.
pub fn lowering(scenario: &Scenario, report: &Report, part: MemoryPart) -> Vec<Lowering> {
    let now = report.memory;
    let mut found: Vec<Lowering> = Vec::new();
    for (turn, scenario) in turns(scenario) {
        let then = scenario.report();
        let less = now.needed - then.memory.needed;
        let lower = then.memory.parts.get(part) < now.parts.get(part) * (1.0 - LEAST);
        if !lower || less < now.needed * LEAST {
            continue;
        }
        let one = Lowering { turn, scenario, report: then, less };
        let same = |other: &&mut Lowering| other.turn.is_like(turn);
        match found.iter_mut().find(same) {
            Some(other) if rank(other, &one).is_le() => {}
            Some(other) => *other = one,
            None => found.push(one),
        }
    }
    let key = |one: &Lowering| (effort(one), !one.report.fits());
    found.sort_by(|one, other| key(one).cmp(&key(other)).then(rank(one, other)));
    found
}

/// Of two that fit, the faster; else the one that lowers the whole more.
fn rank(one: &Lowering, other: &Lowering) -> core::cmp::Ordering {
    let by = |of: &Lowering| if of.report.fits() { (1, of.report.tokens_per_s_per_gpu) } else { (0, of.less.get()) };
    let ((fits, of_one), (other_fits, of_other)) = (by(one), by(other));
    other_fits.cmp(&fits).then(of_other.total_cmp(&of_one))
}

/// What a change asks for; two at once are a little more.
fn effort(of: &Lowering) -> (Price, bool) {
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
        of_changes(scenario, Goal::Fit, before).into_iter().filter(is_asked).collect();
    if scenario.seq_len > 1 {
        let shorter = Scenario { seq_len: scenario.seq_len / 2, ..*scenario };
        turns.push((Turn::Change(Change::SeqLen(shorter.seq_len)), shorter));
    }
    if scenario.trained.is_all() && scenario.framework.traits().peft_adapters {
        let adapters = [Change::Lora, Change::QLora].map(|change| (change, apply(scenario, change)));
        let allowed = adapters.into_iter().filter(|(_, changed)| errors(changed) <= before);
        turns.extend(allowed.map(|(change, changed)| (Turn::Change(change), changed)));
    }
    turns.extend(turned(scenario, &HOW, before));
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
                for one in lowering(&scenario, &report, part) {
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
