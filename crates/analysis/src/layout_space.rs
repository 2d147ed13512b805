//! The layouts of one batch of one model on one cluster: every strategy, degree of parallelism,
//! micro-batch and recomputation to try. Model, precision, sequence length, GPUs and tokens per
//! step stay fixed.

use super::change;
use super::search::{Indices, Space};
use engine::model::choices::Choices;
use engine::model::training::Recompute;
use engine::params::{self, ParamId};
use engine::scenario::{Scenario, Strategy};

/// Largest pipeline-parallel degree to try.
const MOST_STAGES: u32 = 32;
/// Largest expert-parallel degree to try.
const MOST_EXPERT_GROUPS: u32 = 64;
/// Largest micro-batch to try.
pub(super) const LARGEST_MICRO_BATCH: u32 = 16;
/// Minimum tokens of a sequence per GPU under context parallelism.
const FEWEST_TOKENS: u32 = 8192;
/// All strategies. Ties go to the earlier one: the closest to a plain data-parallel loop is first.
const ALL_STRATEGIES: [Strategy; 7] = [
    Strategy::Ddp,
    Strategy::Zero1,
    Strategy::Zero2,
    Strategy::FullShard,
    Strategy::ShardGradOp,
    Strategy::HybridShard,
    Strategy::ReshardTo,
];
/// All strategies except the last, FSDP that reshards to a smaller group.
pub(super) const STRATEGIES: &[Strategy] = ALL_STRATEGIES.split_at(6).0;
/// The recomputation modes, from the least to the most recomputation.
pub(super) const MODES: [Recompute; 4] =
    [Recompute::None, Recompute::AttentionCore, Recompute::Selective, Recompute::Full];

/// The parameters that a layout sets.
const LAID_OUT: [ParamId; 7] = [
    ParamId::MicroBatchSize,
    ParamId::GradAccumSteps,
    ParamId::Tp,
    ParamId::Cp,
    ParamId::Pp,
    ParamId::Ep,
    ParamId::ShardSize,
];

/// The combinations around a scenario, by index.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LayoutSpace {
    base: Scenario,
    /// Sequences of a step, over all replicas.
    sequences: u32,
    /// Candidate degrees of pipeline, context, tensor and expert parallelism, from the slowest to
    /// vary to the fastest.
    degrees: [Vec<u32>; 4],
    micro_batches: Vec<u32>,
    strategies: &'static [Strategy],
}

impl LayoutSpace {
    /// Creates the layouts of the scenario's own batch.
    pub(super) fn new(base: &Scenario) -> Self {
        let strategies = &ALL_STRATEGIES;
        Self { strategies, ..Self::with_sequences(base, sequences(base), LARGEST_MICRO_BATCH) }
    }

    /// Creates the layouts of a step of `sequences`, in micro-batches up to a size.
    pub(super) fn with_sequences(base: &Scenario, sequences: u32, largest_micro_batch: u32) -> Self {
        let shape = base.model.architecture();
        let mesh = base.degrees();
        let layers = shape.num_hidden_layers.max(1);
        let node = base.network.values.gpus_per_node.min(shape.num_attention_heads);
        let longest = (base.seq_len / FEWEST_TOKENS).max(1);
        let groups = shape.experts.num_experts.min(MOST_EXPERT_GROUPS);
        let degrees = [
            doublings(mesh.pp, layers.min(MOST_STAGES).min(base.gpus)),
            doublings(mesh.cp, longest.min(base.gpus)),
            doublings(mesh.tp, node.min(base.gpus)),
            doublings(mesh.ep, groups.min(base.gpus)),
        ];
        let micro_batches = doublings(base.micro_batch_size, largest_micro_batch);
        Self { base: *base, sequences, degrees, micro_batches, strategies: STRATEGIES }
    }

    /// Number of consecutive combinations that differ only in micro-batch and recomputation.
    pub(super) fn block(&self) -> usize {
        self.micro_batches.len() * MODES.len()
    }

    /// Number of micro-batch sizes, which vary fastest.
    pub(super) fn micro_batches(&self) -> usize {
        self.micro_batches.len()
    }
}

impl Space for LayoutSpace {
    type Candidate = Scenario;

    fn len(&self) -> usize {
        let degrees: usize = self.degrees.iter().map(Vec::len).product();
        degrees * self.block() * self.strategies.len()
    }

    /// Returns the combination at an index if its degrees divide the GPUs, its micro-batches divide
    /// the batch, and every number is within its bounds, so that the link of the layout reproduces
    /// the layout.
    fn at(&self, place: usize) -> Option<Scenario> {
        let mut indices = Indices(place);
        let (micro_batch_size, recompute) = (indices.on(&self.micro_batches)?, indices.on(&MODES)?);
        let strategy = indices.on(self.strategies)?;
        let [pps, cps, tps, eps] = &self.degrees;
        let (ep, tp, cp, pp) = (indices.on(eps)?, indices.on(tps)?, indices.on(cps)?, indices.on(pps)?);
        // Most combinations do not divide evenly; this is checked before a scenario is built.
        let gpus = self.base.gpus.max(1);
        let replica = tp.checked_mul(cp)?.checked_mul(pp)?;
        if replica == 0 || !gpus.is_multiple_of(replica) {
            return None;
        }
        let together = micro_batch_size.checked_mul(gpus / replica)?;
        if together == 0 || !self.sequences.is_multiple_of(together) {
            return None;
        }
        let mut scenario = Scenario {
            micro_batch_size,
            tp,
            cp,
            pp,
            ep,
            choices: Choices { recompute, ..self.base.choices },
            ..self.base
        };
        let mesh = scenario.degrees();
        if (mesh.pp, mesh.cp, mesh.tp, mesh.ep) != (pp, cp, tp, ep) {
            return None;
        }
        scenario.grad_accum_steps = self.sequences / together;
        change::choose(&mut scenario, strategy);
        LAID_OUT.iter().all(|id| params::is_within_bounds(id.param(), &scenario)).then_some(scenario)
    }
}

/// Returns the sequences of a step of a scenario, over all replicas.
pub(super) fn sequences(scenario: &Scenario) -> u32 {
    let dp = scenario.degrees().dp;
    scenario.micro_batch_size.saturating_mul(scenario.grad_accum_steps).saturating_mul(dp)
}

/// Returns the powers of two up to a bound, together with the present value.
pub(super) fn doublings(now: u32, most: u32) -> Vec<u32> {
    let mut values: Vec<u32> = (0..u32::BITS - 1).map(|power| 1 << power).take_while(|value| *value <= most).collect();
    if let Err(place) = values.binary_search(&now) {
        values.insert(place, now);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::doublings;

    #[test]
    fn degrees_are_doubled_from_one_and_hold_what_is() {
        assert_eq!(doublings(1, 8), [1, 2, 4, 8]);
        assert_eq!(doublings(6, 8), [1, 2, 4, 6, 8]);
        assert_eq!(doublings(16, 1), [1, 16]);
    }
}
