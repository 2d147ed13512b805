//! Resolves the user's choices to numbers: the nearest valid setup of any scenario.

use super::overheads::overheads_on;
use super::teacher::teacher_shape;
use super::{Model, Scenario, Strategy};
use crate::model::choices::Choices;
use crate::model::expert_choice::{with_fastest_chunks, with_fastest_degrees};
use crate::model::experts::ExpertParallel;
use crate::model::lengths::Lengths;
use crate::model::objective::{LeavesGpu, Objective, RolloutEngine, Task, Teacher};
use crate::model::parallel::{ContextExchange, Mesh, Pipeline, Schedule, common_divisor};
use crate::model::report::Report;
use crate::model::run::{self, HostMemory, RunReport};
use crate::model::setup::Setup;
use crate::model::software::{AttentionKernel, Kernels, Offload};
use crate::model::step;
use crate::model::trained::Trained;
use crate::model::training::{
    AttentionMask, Batch, ComputeFormat, HalfFormat, PrecisionPolicy, Reshard, Sharding, UpdatePlace,
};
use crate::model::transformer::Architecture;

impl Scenario {
    /// Returns the numbers to evaluate: counts, group sizes and fractions as requested if they are
    /// valid, else the nearest valid value, as [`Scenario::issues`] reports. Rates and shapes are
    /// used unchanged: the setters of the table of parameters and the decoder of links keep them
    /// within their bounds.
    pub fn setup(&self) -> Setup {
        let mut setup = self.resolve_without_search();
        if setup.architecture.has_experts() && self.expert_choice.degrees {
            setup = with_fastest_degrees(&setup);
        }
        if setup.architecture.has_experts() && self.expert_choice.chunks {
            setup = with_fastest_chunks(&setup);
        }
        setup
    }

    /// Resolves the scenario with the requested degrees and chunks of experts, without a search for
    /// the fastest.
    pub(crate) fn resolve_without_search(&self) -> Setup {
        let architecture = self.model.architecture();
        let (mesh, sharding) = self.layout(&architecture);
        let choices = Choices {
            sequence_heads: self.heads_of_sequence(&architecture, &mesh),
            pipeline: self.schedule(&mesh),
            experts: ExpertParallel {
                capacity_factor: self.experts.capacity_factor.max(1.0),
                imbalance: self.experts.imbalance.max(1.0),
                chunks: self.experts.chunks.max(1),
                ..self.experts
            },
            trained: Trained {
                // The stage of a frozen layer is not tracked.
                frozen_layers: if mesh.pp > 1 { 0 } else { self.trained.frozen_layers },
                ..self.trained
            },
            objective: self.resolved_objective(mesh.gpus()),
            keep_fraction: self.keep_fraction.clamp(0.0, 1.0),
            update_place: self.resolved_update_place(&mesh, sharding),
            galore_rank: self.galore_rank.max(1),
            layers_in_16_bits: self.layers_in_16_bits.min(architecture.num_hidden_layers),
            gradients_in_16_bits: self.gradients_in_16_bits && self.compute_format != ComputeFormat::AsPolicy,
            mtp: if self.objective.task == Task::NextToken && self.trained.is_all() { self.mtp } else { 0 },
            // Only sharded weights are offloaded: DDP and ZeRO keep them whole on the GPU.
            offload: Offload { parameters: self.offload.parameters && self.strategy.shards_weights(), ..self.offload },
            kernels: Kernels { attention: self.resolved_attention(), ..self.kernels },
            ..self.choices
        };
        let accelerator = self.accelerator.values;
        let objective = &choices.objective;
        let teacher = objective.runs_teacher().then(|| teacher_shape(&self.model, &objective.teacher));
        let mut setup = Setup {
            architecture,
            teacher,
            accelerator: if self.computes_in_bf16() { accelerator.computing_in_bf16() } else { accelerator },
            network: {
                let mut network = self.network.values;
                network.gpus_per_node = network.gpus_per_node.max(1);
                network.topology = self.topology;
                network.host = network.host.with_possible_limits();
                network
            },
            mesh,
            sharding,
            batch: Batch {
                seq_len: self.seq_len.max(1),
                micro_batch_size: self.micro_batch_size.max(1).saturating_mul(self.objective.task.sequences()),
                grad_accum_steps: self.grad_accum_steps.max(1),
            },
            lengths: Lengths::Equal,
            mask: AttentionMask::Causal,
            overheads: overheads_on(
                self.accelerator.values.generation,
                self.framework,
                self.kernels.compile,
                self.segments,
            ),
            measured_memory: self.anchor.memory,
            choices,
        };
        self.anchor.slow(&mut setup);
        self.set_lengths(&mut setup);
        setup
    }

    /// Whether products are in bf16: if they are in 16 bits, by choice or as the GPU has units for
    /// it.
    pub fn computes_in_bf16(&self) -> bool {
        if self.recipe == PrecisionPolicy::Fp32 {
            return false;
        }
        match self.half {
            HalfFormat::OfGpu => !self.accelerator.values.emulates_bf16(),
            HalfFormat::Bf16 => true,
            HalfFormat::Fp16 => false,
        }
    }

    /// Returns the kernel of attention that runs on this GPU. FlashAttention 2 and later need
    /// compute capability 8.0 (README of Dao-AILab/flash-attention); below it PyTorch runs its
    /// memory-efficient kernel, which takes fp16 and no bf16 there, and else separate products
    /// (`sdp_utils.cpp`: `check_mem_efficient_hardware_support`,
    /// `less_than_sm80_mem_efficient_dtypes`).
    pub(crate) fn resolved_attention(&self) -> AttentionKernel {
        match self.kernels.attention {
            AttentionKernel::Unfused => AttentionKernel::Unfused,
            kernel if !self.accelerator.values.generation.is_before_ampere() => kernel,
            _ if self.computes_in_bf16() => AttentionKernel::Unfused,
            _ => AttentionKernel::FlashFirst,
        }
    }

    /// Returns the objective with a valid rollout: a prompt shorter than the sequence, and an
    /// engine whose degree divides its GPUs.
    fn resolved_objective(&self, gpus: u32) -> Objective {
        let Objective { prompt, group, updates, engine, .. } = self.objective;
        let of_engine = if engine.gpus > 0 { engine.gpus } else { gpus };
        Objective {
            prompt: prompt.clamp(1, self.seq_len.saturating_sub(1).max(1)),
            group: group.max(1),
            updates: updates.max(1),
            engine: RolloutEngine {
                tp: nearest_divisor(of_engine, engine.tp),
                memory_share: engine.memory_share.clamp(0.0, 1.0),
                // Weights that the engine uses stay.
                leaves: match engine.leaves {
                    LeavesGpu::All if engine.shares_weights => LeavesGpu::Optimizer,
                    leaves => leaves,
                },
                shares_weights: engine.shares_weights && engine.gpus == 0,
                // Engines on the training GPUs take turns with training.
                staleness: if engine.gpus > 0 { engine.staleness } else { 0 },
                ..engine
            },
            teacher: Teacher {
                size: self.teacher_size(),
                gpus: self.objective.teacher.gpus.max(1),
                ..self.objective.teacher
            },
            ..self.objective
        }
    }

    /// Returns the GPUs that split a sequence by heads: the requested number, as far as each GPU
    /// has a head of its own.
    pub(crate) fn heads_of_sequence(&self, architecture: &Architecture, mesh: &Mesh) -> u32 {
        let asked = match self.context {
            ContextExchange::Ring | ContextExchange::AllGather => return 1,
            ContextExchange::AllToAll => mesh.cp,
            ContextExchange::Mixed => nearest_divisor(mesh.cp, self.sequence_heads),
        };
        let heads = self.heads_to_share(architecture, mesh.tp);
        largest_divisor(common_divisor(heads, mesh.cp), asked)
    }

    /// Returns the heads of a tensor-parallel GPU that an all-to-all can distribute: in Megatron
    /// whole groups of queries with their keys; other implementations repeat keys and values.
    pub(crate) fn heads_to_share(&self, architecture: &Architecture, tp: u32) -> u32 {
        let grouped = self.framework.traits().hands_out_groups && !architecture.latent.is_used();
        let heads = if grouped { architecture.num_key_value_heads } else { architecture.num_attention_heads };
        (heads / tp.max(1)).max(1)
    }

    /// Returns the point at which the optimizer updates: in the backward pass only if each gradient
    /// occurs there once, whole or as FSDP's shard.
    pub(crate) fn resolved_update_place(&self, mesh: &Mesh, sharding: Sharding) -> UpdatePlace {
        let once = self.grad_accum_steps <= 1 && mesh.pp <= 1;
        let reduced = matches!(sharding, Sharding::Fsdp(_)) || mesh.replicas().saturating_mul(mesh.cp) <= 1;
        let has_hooks = !self.framework.traits().flat_gradient_buckets;
        if once && reduced && has_hooks { self.update_place } else { UpdatePlace::AfterBackward }
    }

    /// Evaluates the scenario.
    pub fn report(&self) -> Report {
        step::evaluate(&self.setup())
    }

    /// Evaluates the whole run.
    pub fn run_report(&self) -> RunReport {
        let setup = self.setup();
        run::evaluate(&setup, &step::evaluate(&setup), &self.run_choices())
    }

    /// Returns the host memory of the run, without evaluating the step.
    pub fn host_memory(&self) -> HostMemory {
        HostMemory::new(&self.setup(), &self.run_choices())
    }

    /// Returns the run around a step of this scenario that has been evaluated already.
    pub fn run_of(&self, report: &Report) -> RunReport {
        run::evaluate(&self.setup(), report, &self.run_choices())
    }

    /// Returns the scenario under another strategy.
    #[must_use]
    pub fn with_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Returns the scenario with another model.
    #[must_use]
    pub fn with_model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// Returns the pipeline's options; a single stage has no schedule to choose.
    fn schedule(&self, mesh: &Mesh) -> Pipeline {
        let schedule = if mesh.pp > 1 { self.pipeline.schedule } else { Schedule::OneForwardOneBackward };
        Pipeline { schedule, ..self.pipeline }
    }

    /// Returns the degrees of tensor, context and pipeline parallelism that are used: each is the
    /// divisor nearest to the requested one of the GPUs that remain after the previous degrees,
    /// with at most as many stages as layers.
    pub fn degrees(&self) -> Degrees {
        self.degrees_of(&self.model.architecture())
    }

    /// Computes [`Scenario::degrees`] from an architecture that the caller already has.
    pub fn degrees_of(&self, architecture: &Architecture) -> Degrees {
        let gpus = self.gpus.max(1);
        let tp = nearest_divisor(gpus, self.tp);
        let cp = nearest_divisor(gpus / tp, self.cp);
        // A stage holds at least one layer.
        let (rest, layers) = (gpus / tp / cp, architecture.num_hidden_layers.max(1));
        let nearest = nearest_divisor(rest, self.pp);
        let pp = if nearest > layers { largest_divisor(rest, layers) } else { nearest };
        let stage = gpus / pp;
        let experts = if architecture.has_experts() { architecture.experts.num_experts } else { 0 };
        let ep = if experts > 0 { nearest_divisor(common_divisor(stage, experts), self.ep) } else { 1 };
        let etp = if experts > 0 { nearest_divisor(stage / ep, self.etp) } else { 1 };
        Degrees { tp, cp, pp, dp: gpus / tp / cp / pp, ep, etp }
    }

    fn layout(&self, architecture: &Architecture) -> (Mesh, Sharding) {
        let Degrees { tp, cp, pp, dp, ep, etp } = self.degrees_of(architecture);
        let mesh = |dp_replicate, dp_shard| Mesh { dp_replicate, dp_shard, cp, tp, pp, ep, etp };
        let group = || nearest_divisor(dp, self.shard_size);
        match self.strategy {
            Strategy::Ddp => (mesh(dp, 1), Sharding::Ddp),
            Strategy::Zero1 => (mesh(1, dp), Sharding::Zero1),
            Strategy::Zero1Group => (mesh(dp / group(), group()), Sharding::Zero1),
            Strategy::Zero2 => (mesh(1, dp), Sharding::Zero2),
            Strategy::FullShard => (mesh(1, dp), Sharding::Fsdp(Reshard::Always)),
            Strategy::ShardGradOp => (mesh(1, dp), Sharding::Fsdp(Reshard::Never)),
            Strategy::ReshardTo => {
                let mesh = mesh(1, dp);
                (mesh, Sharding::Fsdp(Reshard::to(group(), mesh.shard_group())))
            }
            Strategy::HybridShard => (mesh(dp / group(), group()), Sharding::Fsdp(Reshard::Always)),
        }
    }
}

/// Degrees of parallelism: `tp cp pp dp` is the number of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Tensor parallelism.
    pub tp: u32,
    /// Context parallelism.
    pub cp: u32,
    /// Pipeline stages.
    pub pp: u32,
    /// Data parallelism: replicas and shards together.
    pub dp: u32,
    /// Expert parallelism, over the GPUs of a stage: 1 in a dense model.
    pub ep: u32,
    /// Expert tensor parallelism, over the GPUs of a stage that `ep` leaves.
    pub etp: u32,
}

/// Returns the divisor of `number` nearest to `wanted`, the smaller of two equally near.
pub fn nearest_divisor(number: u32, wanted: u32) -> u32 {
    let (number, wanted) = (number.max(1), wanted.clamp(1, number.max(1)));
    // 1 divides every number, so the search ends.
    let around = (0..wanted).flat_map(|distance| [wanted - distance, wanted.saturating_add(distance)]);
    around.into_iter().find(|&divisor| number.is_multiple_of(divisor)).unwrap_or(1)
}

/// Returns the largest divisor of `number` that is at most `most`.
fn largest_divisor(number: u32, most: u32) -> u32 {
    (1..=most.min(number)).rev().find(|&divisor| number.is_multiple_of(divisor)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::nearest_divisor;

    #[test]
    fn the_nearest_divisor_is_found_from_both_sides() {
        assert_eq!(nearest_divisor(64, 8), 8);
        assert_eq!(nearest_divisor(64, 6), 4);
        assert_eq!(nearest_divisor(64, 7), 8);
        assert_eq!(nearest_divisor(12, 100), 12);
        assert_eq!(nearest_divisor(13, 0), 1);
        assert_eq!(nearest_divisor(13, 8), 13);
        assert_eq!(nearest_divisor(13, 7), 1);
        assert_eq!(nearest_divisor(0, 7), 1);
    }
}
