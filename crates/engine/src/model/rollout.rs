//! Generation of training data for reinforcement learning, and the step around it: rollout,
//! scoring, updates (docs/book/model/rollout.md).
//!
//! Training and generation alternate. Each has its own memory on a GPU ([`RolloutReport::memory`]
//! is that of generation, the step's report has that of training), and the two are never added up.

mod cache;
mod completions;
mod decode;
mod refit;

pub use cache::{cache_bytes, cache_bytes_per_token};
pub use completions::Completions;
pub use decode::{LAYER_LATENCY, decode_step, prefill};
pub use refit::sync;

use super::host;
use super::memory::{OtherModels, reserved, shared_weights, with_scalar_head};
use super::objective::{LeavesGpu, Objective};
use super::pace;
use super::parallel::{Mesh, TensorParallel};
pub use super::report::rollout::{GenerationMemory, GenerationPart, RolloutReport};
use super::report::{Report, TimeReport};
use super::setup::Setup;
use super::stages::{Stage, stages};
use super::states;
use super::teacher_engine;
use super::trained::Trained;
use crate::model::choices::Choices;
use crate::units::{Bytes, Seconds};

/// Bytes of a weight in the engine.
pub(super) const HALF: f64 = 2.0;
/// Maximum number of concurrent sequences of an engine (`max_num_seqs`, verl's default).
const MOST_SEQUENCES: f64 = 1024.0;
/// Sequences for which vLLM reserves the sampler's tensors (its default `max_num_seqs` at the time
/// of the measurement).
const SAMPLED: f64 = 256.0;
/// Bytes of the sampler for each logit of [`SAMPLED`] sequences.
const PER_LOGIT: f64 = 41.0;

/// Returns vLLM's memory besides weights and cache on a GPU: tensors for sampling from the
/// vocabulary, `41 · 256 · V`, and memory outside PyTorch, CUDA's context and NCCL's buffers: 1.79
/// GiB, and as much again with tensor parallelism.
///
/// Both are from vLLM's own figures for Llama 3 8B on an 80 GB GPU (github vllm-project/vllm pull
/// 10511, 2024-12): 1.26 GiB of tensors, and outside PyTorch 1.79 GiB on one GPU and 3.58 on two.
/// CUDA graphs are captured later and not included.
///
/// ```
/// # use links::decode;
/// # use engine::model::rollout;
/// // The same account: 0.9 of 79.22 GiB less 14.96 of weights leave 53.29 GiB for the cache.
/// let link = "cluster=dgx-h100&gpus=1&model=llama-3-8b&objective=grpo&genmem=90&train=lora&usable=99.025";
/// let setup = decode(link).scenario.setup();
/// let memory = rollout::generation_memory(&setup);
/// assert!((memory.weights.gib() - 14.96).abs() < 0.01, "{}", memory.weights.gib());
/// assert!((memory.cache.gib() - 53.29).abs() < 0.05, "{}", memory.cache.gib());
/// ```
pub fn overhead(setup: &Setup) -> Bytes {
    const OUTSIDE: Bytes = Bytes::from_gib(1.79);
    let outside = if setup.objective.engine.tp > 1 { 2.0 * OUTSIDE } else { OUTSIDE };
    Bytes::new(PER_LOGIT * SAMPLED * f64::from(setup.architecture.vocab_size)) + outside
}

/// Returns the model as held by one of the engine's GPUs: whole, in 16 bits, split only by the
/// engine's own tensor parallelism, embedding included (vLLM's `VocabParallelEmbedding`); adapters
/// are merged.
pub(super) fn engine_setup(setup: &Setup) -> (Setup, Stage) {
    let tp = setup.objective.engine.tp.max(1);
    let mesh = Mesh { tp, etp: tp, ..Mesh::data_parallel(1, 1) };
    let engine = Setup {
        mesh,
        choices: Choices {
            trained: Trained::ALL,
            objective: Objective::NEXT_TOKEN,
            tensor: TensorParallel { splits_embedding: true, ..setup.tensor },
            ..setup.choices
        },
        ..*setup
    };
    (engine, stages(&engine).first)
}

/// Returns the number of GPUs that generate.
pub fn gpus(setup: &Setup) -> u32 {
    match setup.objective.engine.gpus {
        0 => setup.mesh.gpus(),
        own => own,
    }
}

/// Returns the memory of one GPU during generation: `M_engine = u M`, of which the cache takes the
/// part that weights and overhead leave.
pub fn generation_memory(setup: &Setup) -> GenerationMemory {
    let (engine, stage) = engine_setup(setup);
    let completions = Completions::new(setup);
    let placed = &setup.objective.engine;
    let shared = shared_weights(setup);
    let weights = if placed.shares_weights { shared } else { Bytes::new(HALF * stage.params.held.all()) };
    let overhead = overhead(setup);
    let training = if placed.gpus > 0 { Bytes::ZERO } else { at_rest(setup) - shared };
    GenerationMemory {
        training,
        weights,
        overhead,
        cache: reserved(setup) - weights - overhead,
        capacity: setup.accelerator.usable_memory(),
        per_sequence: cached(&engine, &setup.objective, &completions, completions.most),
        held: cached(&engine, &setup.objective, &completions, completions.held()),
    }
}

/// Returns the cache of a sequence with `completion` tokens after its prompt: their keys and
/// values, and the sequence's share of the prompt's, which all completions of a prompt use.
fn cached(engine: &Setup, objective: &Objective, of: &Completions, completion: f64) -> Bytes {
    let shared = 1.0 - 1.0 / f64::from(objective.group.max(1));
    cache_bytes(engine, of.prompt + completion) - cache_bytes(engine, of.prompt) * shared
}

/// Training memory of one GPU between steps, without context.
struct AtRest {
    /// Optimizer state.
    optimizer: Bytes,
    /// Weights, gradients that stay allocated, other models.
    others: Bytes,
}

impl AtRest {
    fn new(setup: &Setup, stage: &Stage) -> Self {
        let states = states::gpu_states(setup, &stage.params);
        let kept = if setup.traits().keeps_gradient_buffers { states.gradients } else { Bytes::ZERO };
        let others = states.weights + kept + OtherModels::new(setup, stage).total();
        Self { optimizer: states.optimizer, others }
    }

    /// Returns the part that leaves the GPU for generation, and the part that stays.
    fn moved(self, leaves: LeavesGpu) -> (Bytes, Bytes) {
        match leaves {
            LeavesGpu::Nothing => (Bytes::ZERO, self.optimizer + self.others),
            LeavesGpu::Optimizer => (self.optimizer, self.others),
            LeavesGpu::All => (self.optimizer + self.others, Bytes::ZERO),
        }
    }
}

/// Returns the training memory that stays allocated during generation, on the stage that keeps
/// most.
fn at_rest(setup: &Setup) -> Bytes {
    let leaves = setup.objective.engine.leaves;
    let stays = |stage: &Stage| AtRest::new(setup, stage).moved(leaves).1;
    stages(setup).iter().map(stays).fold(Bytes::ZERO, Bytes::max) + super::memory::context(setup)
}

/// Returns the training memory of a stage's GPU that moves to the host for generation; none if the
/// engine has its own GPUs.
pub fn moved(setup: &Setup, stage: &Stage) -> Bytes {
    let Objective { task, engine, .. } = &setup.objective;
    if !task.generates() || engine.gpus > 0 {
        return Bytes::ZERO;
    }
    AtRest::new(setup, stage).moved(engine.leaves).0
}

/// Returns the time in which training state moves to the host for generation, and back: twice the
/// state of the stage with most over the link to the host.
fn moving(setup: &Setup) -> Seconds {
    let most = stages(setup).iter().map(|stage| moved(setup, stage)).fold(Bytes::ZERO, Bytes::max);
    2.0 * (most / host::transfer_rate(setup))
}

/// Evaluates generation and the step around it; `update` is one update of the policy. Allocates
/// nothing.
///
/// Rollout: prompts at the rate of compute, once for each group; then passes that generate a token
/// for each running sequence, until the longest completion of all engines ends
/// ([`Completions::passes`]). Where k rollouts may be ahead of training, they run together, and one
/// takes the k-th part. Scoring: one forward pass each of the policy, the reference, the reward
/// model and the critic. Updates: in sequence, those of the critic as long as the critic's own
/// step.
pub fn evaluate(setup: &Setup, update: &TimeReport) -> RolloutReport {
    let objective = &setup.objective;
    let memory = generation_memory(setup);
    let completions = Completions::new(setup);
    let (engine, stage) = engine_setup(setup);
    let updates = f64::from(objective.updates.max(1));
    let batch = &setup.batch;
    let sequences = f64::from(setup.mesh.replicas())
        * f64::from(batch.micro_batch_size)
        * f64::from(batch.grad_accum_steps)
        * updates
        * completions.per_sequence;
    let engines = f64::from(gpus(setup)) / f64::from(objective.engine.tp.max(1));
    let each = at_least_one(sequences / engines);
    let staleness = objective.engine.staleness;
    let ahead = f64::from(staleness.max(1));
    let concurrent = at_most(at_most(ahead * each, at_least_one(memory.room())), MOST_SEQUENCES);
    let longest = completions.longest_of(ahead * sequences);
    let decode_steps = completions.passes(ahead * each, concurrent, longest) / ahead;
    let running = each * completions.mean / decode_steps;
    let decode_step = decode_step(&engine, &stage, running, completions.prompt + completions.age());
    let prompts = at_least_one(each / f64::from(objective.group.max(1)));

    let passes = scored_passes(objective);
    let forward = pace::forward_pass(setup);
    let mut scoring = passes * forward + teacher_engine::served(setup);
    let mut critic = Seconds::ZERO;
    let scalar = with_scalar_head(setup);
    if objective.runs_reward_model() || objective.has_critic() {
        let scorers = f64::from(u8::from(objective.runs_reward_model())) + f64::from(u8::from(objective.has_critic()));
        scoring += scorers * pace::forward_pass(&scalar);
    }
    if objective.has_critic() {
        critic = updates * pace::time(&scalar, &stages(&scalar)).step;
    }
    RolloutReport {
        memory,
        gpus: gpus(setup),
        own_gpus: objective.engine.gpus,
        staleness,
        sequences,
        tokens: sequences * completions.mean,
        longest,
        each,
        concurrent,
        running,
        decode_steps,
        decode_step,
        prefill: prefill(&engine, prompts, completions.prompt),
        decode: decode_steps * decode_step,
        sync: sync(setup),
        moving: moving(setup),
        scoring: updates * scoring,
        update: updates * update.step,
        critic,
    }
}

/// Returns the forward passes of models with the policy's size and vocabulary, over the data of one
/// update: the policy's own log-probabilities, as an engine's differ from those of training, and
/// the reference's.
///
/// The policy's run in TRL with vLLM (`vllm_importance_sampling_correction`, the default:
/// trl/trainer/grpo_trainer.py), in verl (`old_log_prob`: verl/trainer/ppo/ray_trainer.py) and in
/// NeMo RL unless `force_on_policy_ratio` (nemo_rl/algorithms/grpo.py). A distillation needs none:
/// its loss has no ratio of policies.
pub fn scored_passes(objective: &Objective) -> f64 {
    let own = if objective.task.distills() { 0.0 } else { 1.0 };
    own + f64::from(u8::from(objective.runs_reference()))
}

/// Returns the time of a whole step per optimizer step, and its GPUs: [`Report`]'s own time if
/// nothing is generated.
pub fn whole_step(setup: &Setup, report: &Report) -> (Seconds, f64) {
    let gpus = f64::from(setup.mesh.gpus()) + f64::from(teacher_engine::own_gpus(setup));
    report.rollout.as_ref().map_or((report.update.time.step, gpus), |rollout| {
        let updates = f64::from(setup.objective.updates.max(1));
        (rollout.step() * (1.0 / updates), gpus + f64::from(rollout.own_gpus))
    })
}

fn at_least_one(count: f64) -> f64 {
    if count > 1.0 { count } else { 1.0 }
}

fn at_most(count: f64, most: f64) -> f64 {
    if count < most { count } else { most }
}
