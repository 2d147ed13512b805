//! Training objectives: next token, preferences, reward; and the forward passes without gradients
//! that they add (docs/book/model/rollout.md).

/// The training objective, and its models and settings besides the trained model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The kind of objective.
    pub task: Task,
    /// Source of the reference's log-probabilities.
    pub reference: Reference,
    /// Source of completion scores in reinforcement learning.
    pub reward: RewardSource,
    /// Prompt tokens within the sequence, in reinforcement learning.
    pub prompt: u32,
    /// Completions of each prompt (TRL's `num_generations`, verl's `rollout.n`).
    pub group: u32,
    /// Optimizer steps for each rollout.
    pub updates: u32,
    /// The generation engine.
    pub engine: RolloutEngine,
    /// The teacher of a distillation.
    pub teacher: Teacher,
}

/// The frozen model whose next-token distribution a student learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Teacher {
    /// Number of parameters. A scenario has 0 until somebody says it, and then the student's, with
    /// an issue.
    pub size: f64,
    /// Parameters that a token uses; 0 if it uses all.
    pub active: f64,
    /// The format of the weights.
    pub format: TeacherFormat,
    /// The divergence between both distributions.
    pub divergence: Divergence,
    /// The place of the weights.
    pub place: TeacherPlace,
    /// GPUs on which only the teacher runs, if it has its own.
    pub gpus: u32,
    /// Largest logits of each token that the loss reads; 0 for the whole vocabulary.
    pub top_k: u32,
}

/// The format of a teacher's weights on the training GPUs. Its products are in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TeacherFormat {
    /// 16 bits.
    Half,
    /// 32 bits, under autocast (the `dtype` of trl/trainer/model_config.py is float32 by default).
    Single,
}

/// The divergence of the student's distribution from the teacher's, which decides how many tensors
/// the loss holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Divergence {
    /// Of the student's from the teacher's (Kullback-Leibler; TRL's `beta` 0).
    Forward,
    /// Of the teacher's from the student's (TRL's `beta` 1).
    Reverse,
    /// Of both from their mixture (the generalized Jensen-Shannon divergence of arXiv 2306.13649;
    /// TRL's `beta` between 0 and 1, 0.5 by default).
    JensenShannon,
}

/// The place of a teacher's weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TeacherPlace {
    /// On the training GPUs, sharded like the student's weights.
    Trainer,
    /// On the training GPUs, whole on each, whatever shards the student (the
    /// `prepare_model(evaluation_mode=True)` of accelerate/accelerator.py, with which TRL prepares
    /// a teacher without DeepSpeed).
    Whole,
    /// On the training GPUs while the teacher reads the batch of a step, and in host memory while
    /// the student trains on it (`teacher_policy.offload_after_refit` of
    /// nemo_rl/algorithms/distillation.py).
    Turns,
    /// On GPUs of an inference engine.
    Engine,
    /// Nowhere: logits were computed before the run.
    Offline,
}

/// The engine that generates completions, in vLLM's terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutEngine {
    /// The engine's tensor-parallel degree.
    pub tp: u32,
    /// Share of a GPU's memory for weights, overhead and cache (`gpu_memory_utilization`), 0 to 1.
    pub memory_share: f64,
    /// Whether the engine frees its memory while the policy trains (sleep mode).
    pub sleeps: bool,
    /// Whether the engine generates with the very weights that train, which are then in memory
    /// once, in the format of the frozen base (Unsloth's `fast_inference`).
    pub shares_weights: bool,
    /// Training state that leaves the GPU while the engine generates there.
    pub leaves: LeavesGpu,
    /// GPUs reserved for the engine; 0 if it runs on the training GPUs.
    pub gpus: u32,
    /// Updates by which a rollout may be older than the policy that trains on it, while separate
    /// GPUs generate the next; 0 if training and generation take turns.
    pub staleness: u32,
}

/// Training state that moves to host memory while the engine generates on the training GPUs, and
/// back for the next update.
///
/// TRL keeps all of it on the GPU, and so do verl (`optimizer_offload`, `param_offload`:
/// verl/trainer/config/engine/fsdp.yaml) and `OpenRLHF` (`deepspeed_enable_sleep`) by default; NeMo
/// RL always moves all (`offload_after_refit` of
/// nemo_rl/models/policy/workers/megatron_policy_worker.py).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeavesGpu {
    /// Nothing.
    Nothing,
    /// Optimizer state.
    Optimizer,
    /// Weights, gradients, optimizer state, other models: all but the context.
    All,
}

/// A kind of objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// The next token: pretraining, supervised fine-tuning.
    NextToken,
    /// Direct preference optimisation: pairs, and a frozen reference (arXiv 2305.18290).
    Dpo,
    /// Odds-ratio preference optimisation: pairs, no reference (arXiv 2403.07691).
    Orpo,
    /// Kahneman-Tversky optimisation: single completions, a reference, and an estimate of the
    /// divergence from mismatched ones (arXiv 2402.01306).
    Kto,
    /// A reward model: pairs, and one output instead of the vocabulary (arXiv 2203.02155).
    Reward,
    /// Proximal policy optimisation with a critic (arXiv 1707.06347, 2203.02155).
    Ppo,
    /// Group-relative policy optimisation: the mean over a prompt's completions instead of a critic
    /// (arXiv 2402.03300).
    Grpo,
    /// Knowledge distillation: the teacher's next-token distribution over a data set (arXiv
    /// 1503.02531).
    Distill,
    /// Distillation over completions that the student generates (GKD, arXiv 2306.13649).
    OnPolicyDistill,
}

impl Task {
    /// Whether an example is a pair of sequences, one chosen and one rejected.
    pub const fn is_paired(self) -> bool {
        matches!(self, Self::Dpo | Self::Orpo | Self::Reward)
    }

    /// Whether a step generates its training data.
    pub const fn generates(self) -> bool {
        matches!(self, Self::Ppo | Self::Grpo | Self::OnPolicyDistill)
    }

    /// Whether the model learns from a teacher.
    pub const fn distills(self) -> bool {
        matches!(self, Self::Distill | Self::OnPolicyDistill)
    }

    /// Whether rewards score the completions of a rollout.
    pub const fn has_rewards(self) -> bool {
        matches!(self, Self::Ppo | Self::Grpo)
    }

    /// Whether the objective compares the policy with a reference.
    pub const fn has_reference(self) -> bool {
        matches!(self, Self::Dpo | Self::Kto | Self::Ppo | Self::Grpo)
    }

    /// Returns the sequences through the model for each example.
    pub const fn sequences(self) -> u32 {
        if self.is_paired() { 2 } else { 1 }
    }
}

/// Source of the reference's log-probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A frozen model, in every step; the base model itself if adapters are trained.
    Model,
    /// Log-probabilities computed before the run (TRL's `precompute_ref_log_probs`).
    Precomputed,
    /// No reference, hence no KL term.
    None,
}

/// Source of completion scores in reinforcement learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RewardSource {
    /// A function, a verifier, or an external service.
    Function,
    /// A reward model as large as the policy, on the same GPUs.
    Model,
}

impl Objective {
    /// The next token, with the defaults of TRL and verl for rollouts.
    pub const NEXT_TOKEN: Self = Self {
        task: Task::NextToken,
        reference: Reference::Model,
        reward: RewardSource::Function,
        prompt: 512,
        group: 8,
        updates: 1,
        engine: RolloutEngine {
            tp: 1,
            memory_share: 0.5,
            sleeps: true,
            shares_weights: false,
            leaves: LeavesGpu::Nothing,
            gpus: 0,
            staleness: 0,
        },
        teacher: Teacher {
            size: 0.0,
            active: 0.0,
            format: TeacherFormat::Half,
            divergence: Divergence::Forward,
            place: TeacherPlace::Trainer,
            gpus: 8,
            top_k: 0,
        },
    };

    /// Whether the next token is the objective: one model, one pass in either direction.
    pub const fn is_next_token(&self) -> bool {
        matches!(self.task, Task::NextToken)
    }

    /// Whether a frozen reference runs in every step. Log-probabilities of generated completions
    /// cannot be precomputed.
    pub const fn runs_reference(&self) -> bool {
        match self.reference {
            Reference::Model => self.task.has_reference(),
            Reference::Precomputed => self.task.generates() && self.task.has_reference(),
            Reference::None => false,
        }
    }

    /// Whether a reward model runs along with the policy.
    pub fn runs_reward_model(&self) -> bool {
        self.task.has_rewards() && self.reward == RewardSource::Model
    }

    /// Whether a teacher is evaluated in every step, wherever it is.
    pub fn runs_teacher(&self) -> bool {
        self.task.distills() && self.teacher.place != TeacherPlace::Offline
    }

    /// Whether a critic is trained along with the policy.
    pub const fn has_critic(&self) -> bool {
        matches!(self.task, Task::Ppo)
    }

    /// Whether the model has one output instead of a vocabulary.
    pub const fn has_scalar_head(&self) -> bool {
        matches!(self.task, Task::Reward)
    }

    /// Returns the forward passes without gradients over each micro-batch, inside the update.
    ///
    /// The pass of a teacher, which has another size, is not among them ([`super::teacher`]). DPO:
    /// that of the reference. KTO: the policy's on mismatched completions, and the reference's
    /// on both (TRL's `KTOTrainer`, `_compute_kl_logps`). In reinforcement learning such passes run
    /// before the updates ([`super::rollout`]).
    ///
    /// ```
    /// # use links::decode;
    /// let passes = |link: &str| decode(link).scenario.setup().objective.passes();
    /// assert_eq!([passes(""), passes("objective=dpo"), passes("objective=orpo")], [0, 1, 0]);
    /// assert_eq!([passes("objective=kto"), passes("objective=kto&ref=kept")], [3, 1]);
    /// assert_eq!(passes("objective=dpo&ref=kept"), 0);
    /// ```
    pub const fn passes(&self) -> u32 {
        let reference = if self.runs_reference() { 1 } else { 0 };
        match self.task {
            Task::Dpo => reference,
            Task::Kto => 1 + 2 * reference,
            Task::NextToken
            | Task::Orpo
            | Task::Reward
            | Task::Ppo
            | Task::Grpo
            | Task::Distill
            | Task::OnPolicyDistill => 0,
        }
    }
}
