//! Scaling of a run over the number of GPUs: weak scaling keeps the batch of each GPU, strong
//! scaling keeps the global batch.

use crate::sweep;
use engine::scenario::Scenario;

/// Largest number of GPUs, the maximum of the parameter.
const MOST: u32 = 131_072;
/// Number of doublings beyond the scenario's own GPUs.
const DOUBLINGS: u32 = 4;
/// Minimum number of GPUs up to which the sweep goes.
const AT_LEAST: u32 = 512;

/// The result at one number of GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Number of GPUs.
    pub gpus: u32,
    /// Tokens per second of all GPUs together, as if memory were no limit.
    pub tokens_per_s: f64,
    /// Whether the run fits into memory.
    pub fits: bool,
}

/// Weak and strong scaling of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scaling {
    /// Weak scaling: each GPU keeps its batch.
    pub weak: Vec<Point>,
    /// Strong scaling: the step keeps its batch. A replica first gets fewer micro-batches, then
    /// smaller ones. The list ends where a replica would have less than one sequence.
    pub strong: Vec<Point>,
}

/// Evaluates weak and strong scaling from one replica of the model to sixteen times the scenario's
/// GPUs, by doublings.
pub fn scaling(scenario: &Scenario) -> Scaling {
    let degrees = scenario.degrees();
    // The resolved degrees apply to every number of GPUs.
    let kept = Scenario { tp: degrees.tp, cp: degrees.cp, pp: degrees.pp, ..*scenario };
    let mut scaling = Scaling::default();
    for replicas in numbers(sweep::replica(&kept), degrees.dp) {
        let weak = Scenario { gpus: replicas * sweep::replica(&kept), ..kept };
        scaling.weak.push(point(&weak));
        if let Some(strong) = with_the_same_batch(&weak, replicas, degrees.dp) {
            scaling.strong.push(point(&strong));
        }
    }
    scaling
}

/// Returns the numbers of replicas, ascending: one, and the scenario's own number halved and
/// doubled.
fn numbers(replica: u32, own: u32) -> Vec<u32> {
    let most = own.saturating_mul(1 << DOUBLINGS).max(AT_LEAST / replica.max(1)).min(MOST / replica.max(1)).max(own);
    let mut least = own.max(1);
    while least.is_multiple_of(2) {
        least /= 2;
    }
    let odd = (least > 1).then_some(1);
    let doubled = core::iter::successors(Some(least), |replicas| replicas.checked_mul(2));
    odd.into_iter().chain(doubled.take_while(|&replicas| replicas <= most)).collect()
}

/// Returns the scenario on `replicas` replicas with the global batch that it has on `own`; `None`
/// if the batch does not divide evenly.
pub(super) fn with_the_same_batch(scenario: &Scenario, replicas: u32, own: u32) -> Option<Scenario> {
    let (size, steps) = (scenario.micro_batch_size.max(1), scenario.grad_accum_steps.max(1));
    let sequences = own.checked_mul(size)?.checked_mul(steps)?;
    if !sequences.is_multiple_of(replicas) {
        return None;
    }
    let each = sequences / replicas;
    let micro_batch_size =
        if each.is_multiple_of(size) { size } else { (1..=size).rev().find(|size| each.is_multiple_of(*size))? };
    Some(Scenario { micro_batch_size, grad_accum_steps: each / micro_batch_size, ..*scenario })
}

fn point(scenario: &Scenario) -> Point {
    let report = scenario.report();
    let tokens_per_s = report.whole().tokens_per_s_per_gpu * f64::from(scenario.gpus);
    Point { gpus: scenario.gpus, tokens_per_s, fits: report.fits() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use engine::units::BytesPerSecond;

    #[test]
    fn both_meet_where_the_scenario_stands() {
        for scenario in [
            default_scenario(),
            Scenario { tp: 2, pp: 2, grad_accum_steps: 8, gpus: 96, ..default_scenario() },
            Scenario { micro_batch_size: 6, gpus: 24, ..default_scenario() },
        ] {
            let scaling = scaling(&scenario);
            let own = |points: &[Point]| points.iter().copied().find(|point| point.gpus == scenario.gpus).unwrap();
            assert_eq!(own(&scaling.weak), own(&scaling.strong));
            let report = scenario.report();
            let own = own(&scaling.weak);
            assert_eq!(
                (own.tokens_per_s, own.fits),
                (report.whole().tokens_per_s_per_gpu * f64::from(scenario.gpus), report.fits())
            );
            assert!(scaling.weak.windows(2).all(|pair| pair[0].gpus < pair[1].gpus));
            assert!(scaling.weak.len() >= 8 && scaling.strong.len() >= 3);
        }
    }

    #[test]
    fn the_batch_of_the_step_is_the_same_at_every_point_of_strong_scaling() {
        let scenario = Scenario { micro_batch_size: 6, grad_accum_steps: 2, gpus: 8, ..default_scenario() };
        let tokens = |strong: Scenario| strong.report().tokens_per_step;
        for replicas in [1, 2, 4, 8, 16, 32] {
            let weak = Scenario { gpus: replicas, ..scenario };
            let strong = with_the_same_batch(&weak, replicas, 8).unwrap();
            assert_eq!(tokens(strong), tokens(scenario), "{replicas}");
        }
        assert_eq!(with_the_same_batch(&Scenario { gpus: 64, ..scenario }, 64, 8), None);
    }

    #[test]
    fn fsdp_scales_nearly_linearly_as_published() {
        // T5-11B and GPT-175B on 8 to 512 A100: per-GPU throughput within a few percent (arXiv
        // 2304.11277, section 5.4).
        let mut scenario = Scenario { gpus: 128, ..default_scenario() };
        scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(200.0);
        let weak = scaling(&scenario).weak;
        let per_gpu = |gpus: u32| {
            let point = weak.iter().find(|point| point.gpus == gpus).unwrap();
            point.tokens_per_s / f64::from(gpus)
        };
        assert!(per_gpu(512) / per_gpu(128) > 0.9, "{}", per_gpu(512) / per_gpu(128));
    }
}
