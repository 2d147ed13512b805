//! Neighbours of a layout: the next valid degree of parallelism, micro-batch size or number of
//! micro-batches, and the effect on the global batch. Validation of the scenario decides which
//! values are valid.

use super::scaling::with_the_same_batch;
use engine::params::{self, ParamId};
use engine::scenario::Scenario;
use engine::scenario::issue::Severity;
use engine::scenario::resolve::nearest_divisor;

/// Returns the sequences of one step over all replicas, which tokens per step are proportional to.
pub fn sequences(scenario: &Scenario) -> f64 {
    let [size, steps, dp] = [scenario.micro_batch_size, scenario.grad_accum_steps, scenario.degrees().dp];
    [size, steps, dp].into_iter().map(|count| f64::from(count.max(1))).product()
}

/// Returns the scenario with another value of a count. Another degree of parallelism keeps the
/// sequences of a step where they divide: gradient accumulation changes first, then the micro-batch
/// shrinks. A shard group that no longer divides the data-parallel GPUs becomes the nearest that
/// does.
pub fn with_count(scenario: &Scenario, id: ParamId, value: u32) -> Scenario {
    let mut changed = *scenario;
    let Some(number) = id.number() else { return changed };
    (number.set)(&mut changed, f64::from(value));
    let (before, after) = (scenario.degrees().dp, changed.degrees().dp);
    if before == after {
        return changed;
    }
    if changed.strategy.uses_shard_size() && !after.is_multiple_of(changed.shard_size.max(1)) {
        changed.shard_size = nearest_divisor(after, changed.shard_size);
    }
    let same = with_the_same_batch(&changed, after, before);
    same.filter(|same| params::is_within_bounds(ParamId::GradAccumSteps.param(), same)).unwrap_or(changed)
}

/// Returns the next valid values below and above the one in use, with the rest of the scenario
/// unchanged: `None` if there is none, or if the parameter is no count of the layout. The
/// micro-batch size and the number of micro-batches double and halve.
pub fn around(scenario: &Scenario, id: ParamId) -> [Option<u32>; 2] {
    adjacent_counts(scenario, id, in_use(scenario, id))
}

/// Returns the valid values below and above a typed value that cannot be used, ascending.
pub fn corrections(scenario: &Scenario, id: ParamId) -> Vec<u32> {
    adjacent_counts(scenario, id, asked(scenario, id)).into_iter().flatten().collect()
}

/// Returns the valid values of a count next to `at`.
fn adjacent_counts(scenario: &Scenario, id: ParamId, at: u32) -> [Option<u32>; 2] {
    let Some(number) = id.number() else { return [None; 2] };
    let (least, most) = (number.min.max(1.0) as u32, number.max as u32);
    match id {
        ParamId::MicroBatchSize | ParamId::GradAccumSteps => {
            let below = at.saturating_sub(1).checked_ilog2().map(|power| 1 << power);
            let above = at.saturating_add(1).checked_next_power_of_two();
            [below, above].map(|value| value.filter(|value| (least..=most).contains(value)))
        }
        ParamId::Tp | ParamId::Cp | ParamId::Pp | ParamId::Ep | ParamId::Etp | ParamId::ShardSize => {
            let errors = errors(scenario, None);
            // Every degree divides the GPUs; other conditions are validated value by value.
            let valid = |value: &u32| scenario.gpus.is_multiple_of(*value) && is_valid(scenario, id, *value, errors);
            let most = most.min(scenario.gpus);
            [(least..at.min(most.saturating_add(1))).rev().find(valid), (at.saturating_add(1)..=most).find(valid)]
        }
        _ => [None; 2],
    }
}

/// Returns the typed value of a count.
fn asked(scenario: &Scenario, id: ParamId) -> u32 {
    id.number().map_or(0, |number| (number.get)(scenario) as u32)
}

/// Returns the value of a count that the engine uses.
fn in_use(scenario: &Scenario, id: ParamId) -> u32 {
    let degrees = scenario.degrees();
    match id {
        ParamId::Tp => degrees.tp,
        ParamId::Cp => degrees.cp,
        ParamId::Pp => degrees.pp,
        ParamId::Ep => degrees.ep,
        ParamId::Etp => degrees.etp,
        ParamId::ShardSize => nearest_divisor(degrees.dp, scenario.shard_size),
        _ => asked(scenario, id).max(1),
    }
}

/// Whether the layout with this value has no error about the count, and no new error elsewhere.
fn is_valid(scenario: &Scenario, id: ParamId, value: u32, errors_before: usize) -> bool {
    let changed = with_count(scenario, id, value);
    in_use(&changed, id) == value && errors(&changed, Some(id)) == 0 && errors(&changed, None) <= errors_before
}

/// Counts the errors of a layout, all or those about one parameter.
fn errors(scenario: &Scenario, about: Option<ParamId>) -> usize {
    let issues = scenario.layout_issues();
    let counts = |key: Option<&str>| about.is_none_or(|id| key == Some(id.key()));
    issues.iter().filter(|issue| issue.severity == Severity::Error && counts(issue.key)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use engine::scenario::Strategy;
    use links::decode;

    const DEGREES: [ParamId; 4] = [ParamId::Tp, ParamId::Cp, ParamId::Pp, ParamId::Ep];

    #[test]
    fn every_offered_degree_is_used_as_it_is_and_adds_no_error() {
        for link in [
            "",
            "cluster=dgx-h100&model=llama-3-70b&gpus=96&accum=8",
            "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&strategy=hybrid-shard&shard=8",
            "gpus=60&tp=7&pp=11",
        ] {
            let scenario = decode(link).scenario;
            for id in DEGREES {
                for value in around(&scenario, id).into_iter().flatten() {
                    let next = with_count(&scenario, id, value);
                    assert_eq!(in_use(&next, id), value, "{link} {id:?}");
                    assert!(errors(&next, None) <= errors(&scenario, None), "{link} {id:?} {value}");
                    let issues = next.issues();
                    assert!(issues.iter().all(|issue| issue.severity == Severity::Note || issue.key != Some(id.key())));
                }
            }
        }
    }

    #[test]
    fn heads_layers_and_gpus_bound_the_steps() {
        let scenario = decode("cluster=dgx-h100&model=llama-3-8b&gpus=64").scenario;
        // 32 heads: no 64-way tensor parallelism.
        assert_eq!(around(&Scenario { tp: 32, ..scenario }, ParamId::Tp), [Some(16), None]);
        assert_eq!(around(&scenario, ParamId::Tp), [None, Some(2)]);
        // 32 layers.
        assert_eq!(around(&Scenario { pp: 32, ..scenario }, ParamId::Pp), [Some(16), None]);
        assert_eq!(around(&Scenario { gpus: 1, ..scenario }, ParamId::Cp), [None, None]);
        // A dense model has no experts to split.
        assert_eq!(around(&scenario, ParamId::Ep), [None, None]);
        assert_eq!(around(&scenario, ParamId::SequenceLength), [None, None]);
    }

    #[test]
    fn a_degree_keeps_the_batch_where_that_divides() {
        let scenario = Scenario { grad_accum_steps: 4, ..default_scenario() };
        for (id, value) in [(ParamId::Tp, 2), (ParamId::Cp, 4), (ParamId::Pp, 8)] {
            let next = with_count(&scenario, id, value);
            assert_eq!(sequences(&next), sequences(&scenario), "{id:?}");
            assert_eq!(next.grad_accum_steps, 4 * value);
            assert_eq!(with_count(&next, id, 1), scenario, "and back");
        }
        // With half as many replicas, each takes two sequences; with twice as many, none can take
        // half a sequence.
        let split = Scenario { tp: 2, ..default_scenario() };
        let whole = with_count(&split, ParamId::Tp, 1);
        assert_eq!(sequences(&whole), 2.0 * sequences(&split));
        // The number and the size of micro-batches define the batch.
        let twice = with_count(&scenario, ParamId::MicroBatchSize, 2);
        assert_eq!(sequences(&twice), 2.0 * sequences(&scenario));
    }

    #[test]
    fn a_shard_group_follows_the_replicas() {
        let scenario = Scenario { strategy: Strategy::HybridShard, shard_size: 8, ..default_scenario() };
        let next = with_count(&scenario, ParamId::Cp, 16);
        assert_eq!((next.degrees().dp, next.shard_size), (4, 4));
        assert_eq!(errors(&next, None), 0);
    }

    #[test]
    fn micro_batches_double_and_halve() {
        let at =
            |size: u32| around(&Scenario { micro_batch_size: size, ..default_scenario() }, ParamId::MicroBatchSize);
        assert_eq!(at(1), [None, Some(2)]);
        assert_eq!(at(4), [Some(2), Some(8)]);
        assert_eq!(at(6), [Some(4), Some(8)]);
        assert_eq!(at(1024), [Some(512), None]);
    }

    #[test]
    fn corrections_are_the_value_in_use_and_its_neighbour_beyond_what_was_asked_for() {
        let asked = |tp: u32, pp: u32| Scenario { tp, pp, ..default_scenario() };
        assert_eq!(corrections(&asked(1, 5), ParamId::Pp), [4, 8]);
        assert_eq!(corrections(&asked(3, 1), ParamId::Tp), [2, 4]);
        // More stages than layers.
        assert_eq!(corrections(&asked(1, 64), ParamId::Pp), [32]);
        for value in corrections(&asked(1, 5), ParamId::Pp) {
            assert_eq!(errors(&with_count(&asked(1, 5), ParamId::Pp, value), None), 0);
        }
    }
}
