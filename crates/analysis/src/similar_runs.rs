//! Measured runs similar to a scenario in the choices that affect speed.
//!
//! A distance counts steps that matter to speed. A doubling of the model counts one, as does
//! another recomputation mode; a doubling of the GPUs, of the sequence, or of a degree of
//! parallelism a half, of the micro-batch a quarter, since overlap hides most of what they change.
//! Another GPU of the same silicon counts one, other silicon three; another framework one and a
//! half; products in another number of bits two, another policy of precision a half; sharded
//! weights against whole ones one, another strategy otherwise a half; written attention scores one,
//! another kernel of attention a quarter; experts against dense layers, and adapters against all
//! weights, four. The steps add up.

use engine::model::hardware::Generation;
use engine::model::software::{AttentionKernel, Framework};
use engine::model::training::{ComputeFormat, PrecisionPolicy, Recompute};
use engine::scenario::{Id, Scenario, Strategy};

/// The choices of a scenario that affect its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    gpu: Id,
    generation: Generation,
    framework: Framework,
    params: f64,
    has_experts: bool,
    is_all_trained: bool,
    strategy: Strategy,
    recompute: Recompute,
    format: ComputeFormat,
    recipe: PrecisionPolicy,
    attention: AttentionKernel,
    /// GPUs, sequence length, micro-batch.
    counts: [f64; 3],
    /// tp, cp, pp, ep.
    degrees: [f64; 4],
}

/// Steps of a doubling of each of [`Traits::counts`].
const OF_COUNTS: [f64; 3] = [0.5, 0.5, 0.25];
/// Steps of a doubling of a degree of parallelism.
const OF_DEGREES: f64 = 0.5;
/// Steps between tasks whose speeds are hardly comparable.
const APART: f64 = 4.0;

impl Traits {
    /// Returns the traits of a scenario.
    pub fn from_scenario(scenario: &Scenario) -> Self {
        let (shape, mesh) = (scenario.model.architecture(), scenario.degrees());
        Self {
            gpu: scenario.accelerator.id,
            generation: scenario.accelerator.values.generation,
            framework: scenario.framework,
            params: shape.params() as f64,
            has_experts: shape.has_experts(),
            is_all_trained: scenario.trained.is_all(),
            strategy: scenario.strategy,
            recompute: scenario.recompute,
            format: scenario.compute_format,
            recipe: scenario.recipe,
            attention: scenario.kernels.attention,
            counts: [scenario.gpus, scenario.seq_len, scenario.micro_batch_size].map(f64::from),
            degrees: [mesh.tp, mesh.cp, mesh.pp, mesh.ep].map(f64::from),
        }
    }

    /// Returns these traits with another shape (parameters, whether the model has routed experts,
    /// whether all weights train), other counts (GPUs, sequence length, micro-batch) and degrees
    /// (tp, cp, pp, ep).
    pub(crate) fn with_numbers(
        self,
        (params, has_experts, is_all_trained): (f64, bool, bool),
        counts: [f64; 3],
        degrees: [f64; 4],
    ) -> Self {
        Self { params, has_experts, is_all_trained, counts, degrees, ..self }
    }

    /// Returns the distance to other traits in steps: 0 if all traits are equal.
    pub fn distance(&self, other: &Self) -> f64 {
        let unlike = |is_unlike: bool, steps: f64| if is_unlike { steps } else { 0.0 };
        let gpu = if self.generation == other.generation { unlike(self.gpu != other.gpu, 1.0) } else { 3.0 };
        let strategy = if self.strategy.shards_weights() == other.strategy.shards_weights() {
            unlike(self.strategy != other.strategy, 0.5)
        } else {
            1.0
        };
        let is_unfused = |one: &Self| one.attention == AttentionKernel::Unfused;
        let choices = gpu
            + strategy
            + unlike(self.framework != other.framework, 1.5)
            + unlike(self.recompute != other.recompute, 1.0)
            + unlike(self.format != other.format, 2.0)
            + unlike(self.recipe != other.recipe, 0.5)
            + unlike(self.attention != other.attention, 0.25)
            + unlike(is_unfused(self) != is_unfused(other), 0.75)
            + unlike(self.has_experts != other.has_experts, APART)
            + unlike(self.is_all_trained != other.is_all_trained, APART);
        let counts = self.counts.iter().zip(other.counts).zip(OF_COUNTS);
        let degrees = self.degrees.iter().zip(other.degrees);
        choices
            + doublings(self.params, other.params)
            + counts.map(|((one, other), steps)| steps * doublings(*one, other)).sum::<f64>()
            + degrees.map(|(one, other)| OF_DEGREES * doublings(*one, other)).sum::<f64>()
    }
}

/// Returns the number of doublings between two values: whole doublings, and a proportional rest.
fn doublings(one: f64, other: f64) -> f64 {
    let (low, high) = if one < other { (one, other) } else { (other, one) };
    if low <= 0.0 || !high.is_finite() {
        return 0.0;
    }
    let (mut ratio, mut times) = (high / low, 0.0);
    while ratio >= 2.0 {
        ratio *= 0.5;
        times += 1.0;
    }
    times + (ratio - 1.0)
}

/// Returns the indices of the nearest of some scenarios, at most `most`, each with its distance,
/// the nearest first; ties keep their order.
pub fn nearest<'a>(own: &Traits, all: impl Iterator<Item = &'a Traits>, most: usize) -> Vec<(usize, f64)> {
    let mut found: Vec<(usize, f64)> = Vec::with_capacity(most + 1);
    for (place, distance) in all.map(|other| own.distance(other)).enumerate() {
        let at = found.partition_point(|(_, nearer)| *nearer <= distance);
        if at < most {
            found.insert(at, (place, distance));
            found.truncate(most);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    fn traits(link: &str) -> Traits {
        Traits::from_scenario(&decode(link).scenario)
    }

    #[test]
    fn a_scenario_is_nearest_to_itself_and_distances_are_the_same_both_ways() {
        let all = [
            "v=1",
            "v=1&gpus=512",
            "v=1&recompute=full",
            "v=1&cluster=dgx-h100&model=llama-3.1-8b",
            "v=1&cluster=dgx-h100&model=mixtral-8x7b&ep=8",
            "v=1&cluster=dgx-h100&model=llama-3.1-8b&compute=fp8&tp=2",
        ]
        .map(traits);
        for (place, own) in all.iter().enumerate() {
            assert_eq!(nearest(own, all.iter(), 1), [(place, 0.0)]);
            assert!(all.iter().all(|other| own.distance(other) == other.distance(own)));
        }
        assert_eq!(nearest(&all[0], all.iter(), 3).iter().map(|found| found.0).collect::<Vec<_>>(), [0, 2, 1]);
    }

    #[test]
    fn doublings_count_in_proportion() {
        assert_eq!([doublings(8.0, 64.0), doublings(64.0, 8.0), doublings(2.0, 3.0)], [3.0, 3.0, 0.5]);
        assert_eq!([doublings(0.0, 3.0), doublings(1.0, f64::INFINITY)], [0.0; 2]);
    }
}
