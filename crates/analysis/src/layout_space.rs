//! The layouts of one batch of one model on one cluster: every strategy, degree of parallelism,
//! micro-batch and recomputation to try, and memory savers. Model, sequence length, GPUs and tokens
//! per step stay fixed.

use super::change::{self, errors};
use super::held::Held;
use super::search::{Indices, Space};
use engine::model::choices::Choices;
use engine::model::software::Loss;
use engine::model::trained::BaseFormat;
use engine::model::training::Recompute;
use engine::model::transformer::Architecture;
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
pub(super) const STRATEGIES: [Strategy; 7] = [
    Strategy::Ddp,
    Strategy::Zero1,
    Strategy::Zero2,
    Strategy::FullShard,
    Strategy::ShardGradOp,
    Strategy::HybridShard,
    Strategy::ReshardTo,
];
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

/// The combinations around a scenario, by index: all layouts of the scenario, then all of them
/// again with one memory saver after another ([`savers`]).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LayoutSpace {
    /// The scenario as it is.
    own: Scenario,
    architecture: Architecture,
    /// The scenario with the options of execution that the search uses, and with more and more
    /// memory savers.
    bases: Vec<Scenario>,
    held: Held,
    /// Sequences of a step, over all replicas.
    sequences: u32,
    /// Candidate degrees of pipeline, context, tensor and expert parallelism, from the slowest to
    /// vary to the fastest.
    degrees: [Vec<u32>; 4],
    micro_batches: Vec<u32>,
    modes: Vec<Recompute>,
    strategies: Vec<Strategy>,
}

impl LayoutSpace {
    /// Creates the layouts of a step of `sequences`, in micro-batches up to a size. `tuned` is the
    /// scenario with the options of execution to use.
    pub(super) fn new(own: &Scenario, tuned: &Scenario, sequences: u32, largest_micro_batch: u32, held: Held) -> Self {
        let shape = own.model.architecture();
        let mesh = own.degrees_of(&shape);
        let layers = shape.num_hidden_layers.max(1);
        let node = own.network.values.gpus_per_node.min(shape.num_attention_heads);
        let longest = (own.seq_len / FEWEST_TOKENS).max(1);
        let groups = shape.experts.num_experts.min(MOST_EXPERT_GROUPS);
        let degrees = |id: ParamId, now: u32, most: u32| {
            if held.has(id) { vec![now] } else { doublings(now, most.min(own.gpus)) }
        };
        let degrees = [
            degrees(ParamId::Pp, mesh.pp, layers.min(MOST_STAGES)),
            degrees(ParamId::Cp, mesh.cp, longest),
            degrees(ParamId::Tp, mesh.tp, node),
            degrees(ParamId::Ep, mesh.ep, groups),
        ];
        let micro_batches = if held.has(ParamId::MicroBatchSize) {
            vec![own.micro_batch_size]
        } else {
            doublings(own.micro_batch_size, largest_micro_batch)
        };
        let modes = with_own(held.has(ParamId::Recompute), own.recompute, &MODES);
        let strategies = with_own(held.has(ParamId::Strategy), own.strategy, &STRATEGIES);
        let bases = savers(tuned, held);
        Self { own: *own, architecture: shape, bases, held, sequences, degrees, micro_batches, modes, strategies }
    }

    /// Returns the scenario around which the layouts are.
    pub(super) fn own(&self) -> &Scenario {
        &self.own
    }

    /// Returns the parameters that every layout has as the scenario has them.
    pub(super) fn held(&self) -> Held {
        self.held
    }

    /// Number of consecutive combinations that differ only in micro-batch and recomputation.
    pub(super) fn block(&self) -> usize {
        self.micro_batches.len() * self.modes.len()
    }

    /// Number of micro-batch sizes, which vary fastest.
    pub(super) fn micro_batches(&self) -> usize {
        self.micro_batches.len()
    }

    /// Returns the degrees of pipeline, context, tensor and expert parallelism at indices, and the
    /// number of replicas, if they divide the GPUs.
    fn degrees_at(&self, indices: &mut Indices) -> Option<([u32; 4], u32)> {
        let [pps, cps, tps, eps] = &self.degrees;
        let (ep, tp, cp, pp) = (indices.on(eps)?, indices.on(tps)?, indices.on(cps)?, indices.on(pps)?);
        let gpus = self.own.gpus.max(1);
        let replica = tp.checked_mul(cp)?.checked_mul(pp)?;
        (replica > 0 && gpus.is_multiple_of(replica)).then(|| ([pp, cp, tp, ep], gpus / replica))
    }

    /// Returns the number of memory savers of a layout, as an index of the bases; the last if it
    /// has others.
    pub(super) fn rung_of(&self, layout: &Scenario) -> usize {
        let saves = |base: &Scenario| (base.offload, base.trained.base) == (layout.offload, layout.trained.base);
        self.bases.iter().position(saves).unwrap_or(self.bases.len().saturating_sub(1))
    }

    /// Number of consecutive combinations with the same memory savers.
    pub(super) fn rung(&self) -> usize {
        let degrees: usize = self.degrees.iter().map(Vec::len).product();
        degrees * self.block() * self.strategies.len()
    }
}

/// Returns the values to try: the scenario's own alone if it is held, else also the usual ones.
fn with_own<T: Copy + PartialEq>(is_held: bool, own: T, usual: &[T]) -> Vec<T> {
    if is_held {
        return vec![own];
    }
    let mut values = usual.to_vec();
    if !values.contains(&own) {
        values.push(own);
    }
    values
}

/// The parameters that memory savers set.
pub(super) const SAVERS: [ParamId; 3] = [ParamId::BaseFormat, ParamId::OffloadActivations, ParamId::OffloadOptimizer];

/// Returns the scenario, and the scenario with more and more memory savers that leave model, batch,
/// hardware and trained weights as they are: the frozen weights under adapters in 4 bits, kept
/// activations in host memory, states in host memory.
fn savers(scenario: &Scenario, held: Held) -> Vec<Scenario> {
    let mut bases = vec![*scenario];
    let mut saving = *scenario;
    let before = errors(scenario);
    let mut add = |id: ParamId, save: &dyn Fn(&mut Scenario)| {
        let mut next = saving;
        save(&mut next);
        if !held.has(id) && next != saving && errors(&next) <= before {
            saving = next;
            bases.push(next);
        }
    };
    let is_wide = matches!(scenario.trained.base, BaseFormat::Fp32 | BaseFormat::Bf16);
    if scenario.trained.has_adapters() && is_wide {
        add(ParamId::BaseFormat, &|next| next.trained.base = BaseFormat::Nf4Double);
    }
    add(ParamId::OffloadActivations, &|next| next.offload.activations = true);
    add(ParamId::OffloadOptimizer, &|next| (next.offload.optimizer, next.offload.parameters) = (true, true));
    bases
}

impl Space for LayoutSpace {
    type Candidate = Scenario;

    fn len(&self) -> usize {
        self.rung() * self.bases.len()
    }

    /// Skips the combinations of degrees that do not divide the GPUs, which are most.
    fn next(&self, place: usize) -> usize {
        let alike = self.block() * self.strategies.len();
        let is_impossible = || self.degrees_at(&mut Indices(place / alike)).is_none();
        if alike > 0 && place.is_multiple_of(alike) && is_impossible() { place + alike } else { place }
    }

    /// Returns the combination at an index if its degrees divide the GPUs, its micro-batches divide
    /// the batch, and every number is within its bounds, so that the link of the layout reproduces
    /// the layout.
    fn at(&self, place: usize) -> Option<Scenario> {
        let mut indices = Indices(place);
        let (micro_batch_size, recompute) = (indices.on(&self.micro_batches)?, indices.on(&self.modes)?);
        let strategy = indices.on(&self.strategies)?;
        let ([pp, cp, tp, ep], replicas) = self.degrees_at(&mut indices)?;
        let together = micro_batch_size.checked_mul(replicas)?;
        if together == 0 || !self.sequences.is_multiple_of(together) {
            return None;
        }
        let base = self.bases.get(place / self.rung().max(1))?;
        let choices = Choices { recompute, ..base.choices };
        let mut scenario = Scenario { micro_batch_size, tp, cp, pp, ep, choices, ..*base };
        let mesh = scenario.degrees_of(&self.architecture);
        if (mesh.pp, mesh.cp, mesh.tp, mesh.ep) != (pp, cp, tp, ep) {
            return None;
        }
        scenario.grad_accum_steps = self.sequences / together;
        let keeps_group = strategy == self.own.strategy && mesh.dp.is_multiple_of(self.own.shard_size.max(1));
        if keeps_group {
            (scenario.strategy, scenario.shard_size) = (strategy, self.own.shard_size);
        } else {
            change::choose_with(&mut scenario, strategy, tp.saturating_mul(cp));
        }
        let holds_logits = scenario.kernels.loss.is_unfused() || scenario.kernels.loss == Loss::Fused;
        if holds_logits && !self.held.has(ParamId::Loss) {
            scenario.kernels.loss = scenario.lean_loss(&mesh).unwrap_or(scenario.kernels.loss);
        } else if !scenario.has_loss_of(&mesh) {
            scenario.kernels.loss = Loss::Standard;
        }
        LAID_OUT.iter().all(|id| params::is_within_bounds(id.param(), &scenario)).then_some(scenario)
    }
}

/// Returns the sequences of a step of a scenario, over all replicas.
pub fn sequences(scenario: &Scenario) -> u32 {
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
